"""``gangplan plan``: one planning round for now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.findings import UsageError
from planner.cli.clusters_run import ClusterOptions, ClustersRun
from planner.cli.manifest_option import ManifestFolder, refuse_used_folder
from planner.cli.option_groups import (
    FilterOptions,
    OutputOptions,
    PolicyOptions,
    SearchOptions,
    SnapshotPaths,
    TalkOptions,
)
from planner.cli.planning_run import PlanningRun, exit_code, requirements_of
from planner.cli.sink import write_data
from planner.cli.talk import Talk
from planner.cli.values import parse_effort

if TYPE_CHECKING:
    from models.plan import PlanResult

PreviousPlan = Annotated[
    Path | None,
    typer.Option(
        "--previous",
        metavar="PLAN",
        help="An earlier plan document: what a change since then does not touch stays, the rest is planned.",
        show_default=False,
    ),
]
Effort = Annotated[
    float | None,
    typer.Option(
        "--effort",
        parser=parse_effort,
        metavar="DURATION",
        help="With --previous: the search beyond what has changed; 0 for none.",
        show_default="a tenth of the earlier plan's search",
    ),
]


def plan(
    snapshot: SnapshotPaths,
    policy: PolicyOptions,
    search: SearchOptions,
    shown: FilterOptions,
    output: OutputOptions,
    talking: TalkOptions,
    clusters: ClusterOptions,
    previous: PreviousPlan = None,
    effort: Effort = None,
    manifests: ManifestFolder = None,
) -> int:
    """What starts now, where, and what waits and why."""
    talk = Talk(talking)
    requirements = requirements_of(search)
    if effort is not None and previous is None:
        raise UsageError("--effort needs --previous; --time-limit limits a plan made anew")
    refuse_used_folder(manifests)
    if clusters.clusters:
        if manifests is not None:
            raise UsageError("--manifests is about one plan: use it without --clusters")
        run = ClustersRun(snapshot, policy, search, shown, output, clusters, talk, previous, effort)
        return run.run()
    clusters.refuse_without_clusters()
    result = PlanningRun(snapshot, policy, search, talk, previous, effort, manifests, shown).plan()
    write_plan(result, shown, output, talk)
    return exit_code(result, requirements, talk)


def write_plan(
    result: PlanResult, shown: FilterOptions, output: OutputOptions, talk: Talk, command: str = ""
) -> None:
    """Write a plan document in the form that was asked for."""
    from planner.report.plan_report import plan_report

    report = plan_report(
        result,
        namespaces=tuple(shown.namespace or ()),
        queues=tuple(shown.queue or ()),
        command=command,
    )
    write_data(report, output, talk)
