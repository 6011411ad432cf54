"""``gangplan compare``: what differs between two plans."""

from __future__ import annotations

from typing import Annotated

import typer

from models.findings import UsageError
from planner.cli.exit_codes import CHANGED
from planner.cli.option_groups import OutputOptions, TalkOptions
from planner.cli.sink import write_data
from planner.cli.talk import Talk

FirstPlan = Annotated[str, typer.Argument(metavar="A", help="Plan document before.")]
SecondPlan = Annotated[str, typer.Argument(metavar="B", help="Plan document after.")]
FailOnChange = Annotated[
    bool, typer.Option("--fail-on-change", help="Exit with 1 if the plans differ.")
]


def compare(
    first: FirstPlan,
    second: SecondPlan,
    output: OutputOptions,
    talking: TalkOptions,
    fail_on_change: FailOnChange = False,
) -> int:
    """Which gangs, queues and figures differ between two plan documents."""
    from planner.report.compare import compare as compare_plans
    from planner.report.compare_report import compare_report
    from planner.usecases.inputs.plan_documents import read_plan

    if first == second == "-":
        raise UsageError("only one of the two plans can come from standard input")
    difference = compare_plans(read_plan(first), read_plan(second))
    write_data(compare_report(difference), output, Talk(talking))
    return CHANGED if fail_on_change and difference.changed else 0
