"""``gangplan report``: a plan document in another form."""

from __future__ import annotations

from typing import Annotated

import typer

from models.findings import VerificationError
from planner.cli.option_groups import FilterOptions, OutputOptions, TalkOptions
from planner.cli.talk import Talk
from planner.cli.verbs.plan import write_plan

PlanPath = Annotated[
    str,
    typer.Argument(metavar="PLAN", help="Plan document (JSON or YAML), or - for standard input."),
]


def report(
    plan: PlanPath, shown: FilterOptions, output: OutputOptions, talking: TalkOptions
) -> int:
    """Render a plan document again, in any form."""
    from planner.service.plan_documents import read_plan

    talk = Talk(talking)
    result = read_plan(plan)
    if result.verification is None:
        talk.note(
            "this document carries no verification; check it with `gangplan verify SNAPSHOT PLAN`"
        )
    elif result.verification.violations:
        for violation in result.verification.violations:
            talk.error(f"{violation.rule}: {violation.object}: {violation.message}")
        raise VerificationError(f"{plan} failed verification and is not shown as a plan")
    write_plan(result, shown, output, talk)
    return 0
