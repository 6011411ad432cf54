"""``gangplan demo``: the main job on a cluster that ships with the product."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from models.findings import UsageError
from planner.cli.option_groups import (
    FilterOptions,
    OutputOptions,
    PolicyOptions,
    SearchOptions,
    TalkOptions,
)
from planner.cli.planning_run import PlanningRun, exit_code, read_input, requirements_of
from planner.cli.talk import Talk
from planner.cli.verbs.plan import write_plan

SampleName = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="Which sample: demo (the default), evening or night.",
        show_default=False,
    ),
]


def demo(
    policy: PolicyOptions,
    search: SearchOptions,
    shown: FilterOptions,
    output: OutputOptions,
    talking: TalkOptions,
    name: SampleName = None,
) -> int:
    """Plan a sample cluster, print the tables and write the HTML report here."""
    from planner.report.formats import render
    from planner.samples import DEFAULT_SAMPLE, sample_names, sample_path

    talk = Talk(talking)
    requirements = requirements_of(search)
    if name is not None and name not in sample_names():
        raise UsageError(f"no sample is called {name!r}; known: {', '.join(sample_names())}")
    chosen = name or DEFAULT_SAMPLE
    result = PlanningRun([sample_path(chosen)], policy, search, talk).plan()
    command = "gangplan demo" if name is None else f"gangplan demo {name}"
    write_plan(result, shown, output, talk, command)
    _tell_story(sample_path(chosen), policy, talk)
    for path in render(result, "html", out=report_path(chosen, DEFAULT_SAMPLE), command=command):
        talk.note(f"HTML report: {path}")
    return exit_code(result, requirements, talk)


def _tell_story(sample: Path, policy: PolicyOptions, talk: Talk) -> None:
    """What would happen to the sample without gangs."""
    from planner.documents.pod_by_pod_story import pod_by_pod_story

    given = read_input([sample], policy)
    story = pod_by_pod_story(given.snapshot, given.policy)
    if story:
        talk.note(story)


def report_path(sample: str, default: str) -> Path:
    """File of the HTML report, below the current folder."""
    return Path(f"gangplan-report-{'demo' if sample == default else sample}.html")
