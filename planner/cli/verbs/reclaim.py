"""``gangplan reclaim``: the drill. Who leaves, how fast, is it enough."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.drill_run import DrillRun
from planner.cli.exit_codes import REQUIREMENT_MISSED
from planner.cli.option_groups import (
    FilterOptions,
    OutputOptions,
    PolicyOptions,
    SearchOptions,
    SnapshotPaths,
    TalkOptions,
)
from planner.cli.sink import write_data
from planner.cli.talk import Talk
from planner.cli.values import parse_deadline, parse_whole_seconds

Needs = Annotated[
    list[str],
    typer.Option(
        "--need",
        metavar="SERVICE=GPUS",
        help="A service of the policy, a queue or a gang, and how many GPUs it needs; more may "
        "follow after commas: per-pod=GPUS, kind=MODEL, pool=POOL, node=LABEL=VALUE. May be repeated.",
        show_default=False,
    ),
]
Deadline = Annotated[
    int,
    typer.Option(
        "--deadline",
        parser=parse_deadline,
        metavar="DURATION",
        help="Within which the GPUs have to be back, in whole seconds.",
        show_default="30s",
    ),
]
Overhead = Annotated[
    int | None,
    typer.Option(
        "--overhead",
        parser=parse_whole_seconds,
        metavar="DURATION",
        help="From the call to the first signal.",
        show_default="of the service, else 1s",
    ),
]
ByHand = Annotated[
    bool,
    typer.Option(
        "--by-hand",
        help="A person evicts: shares, guarantees and reclaimable of queues are set aside.",
        show_default=False,
    ),
]
NoChanges = Annotated[
    bool,
    typer.Option("--no-changes", help="Do not try what would help.", show_default=False),
]


def reclaim(
    snapshot: SnapshotPaths,
    need: Needs,
    policy: PolicyOptions,
    search: SearchOptions,
    shown: FilterOptions,
    output: OutputOptions,
    talking: TalkOptions,
    deadline: Deadline = 30,
    overhead: Overhead = None,
    by_hand: ByHand = False,
    no_changes: NoChanges = False,
) -> int:
    """Drill: a service needs GPUs back within seconds. Who leaves, is it in time, what would help."""
    from planner.report.drill_report import drill_report
    from planner.usecases.requirements import missed_requirements

    talk = Talk(talking)
    run = DrillRun(
        snapshot,
        policy,
        search,
        talk,
        needs=need,
        deadline_s=deadline,
        overhead_s=overhead,
        by_hand=by_hand,
        changes=not no_changes,
        shown=shown,
    )
    result = run.drill()
    report = drill_report(
        result, namespaces=tuple(shown.namespace or ()), queues=tuple(shown.queue or ())
    )
    write_data(report, output, talk)
    missed = missed_requirements(run.requirements, result.summary)
    for sentence in missed:
        talk.error(sentence)
    return REQUIREMENT_MISSED if missed else 0
