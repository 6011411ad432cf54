"""``gangplan report``: a plan document in another form."""

from __future__ import annotations

from typing import Annotated

import typer

from models.findings import VerificationError
from planner.cli.option_groups import FilterOptions, OutputOptions, TalkOptions
from planner.cli.sink import write_data
from planner.cli.talk import Talk
from planner.cli.verbs.plan import write_plan
from planner.cli.verbs.schedule import write_schedule

PlanPath = Annotated[
    str,
    typer.Argument(
        metavar="PLAN", help="Document of a plan or drill (JSON or YAML), or - for standard input."
    ),
]


def report(
    plan: PlanPath, shown: FilterOptions, output: OutputOptions, talking: TalkOptions
) -> int:
    """Render the document of a plan or drill again, in any form."""
    from models.drill import DrillResult
    from planner.report.drill_report import drill_report
    from planner.service.plan_documents import read_plan_or_drill

    talk = Talk(talking)
    result = read_plan_or_drill(plan)
    if result.verification is None:
        talk.note(
            "this document carries no verification; check it with `gangplan verify SNAPSHOT PLAN`"
        )
    elif result.verification.violations:
        for violation in result.verification.violations:
            talk.error(f"{violation.rule}: {violation.object}: {violation.message}")
        raise VerificationError(f"{plan} failed verification and is not shown as a plan")
    if isinstance(result, DrillResult):
        chosen = {"namespaces": tuple(shown.namespace or ()), "queues": tuple(shown.queue or ())}
        write_data(drill_report(result, **chosen), output, talk)
    elif result.schedule is not None:
        write_schedule(result, shown, output, talk)
    else:
        write_plan(result, shown, output, talk)
    return 0
