"""``gangplan report``: a plan document in another form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from models.findings import UsageError, VerificationError
from planner.cli.option_groups import FilterOptions, OutputOptions, TalkOptions
from planner.cli.shown_names import refuse_unknown_in_plan
from planner.cli.sink import write_data
from planner.cli.talk import Talk
from planner.cli.verbs.plan import write_plan
from planner.cli.verbs.schedule import write_schedule

if TYPE_CHECKING:
    from models.drill import DrillResult
    from models.plan import PlanResult

PlanPath = Annotated[
    str,
    typer.Argument(
        metavar="PLAN",
        help="Document of a plan, schedule or drill (JSON or YAML), or - for standard input.",
    ),
]
ForReader = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="READER",
        help="Report of a schedule for one reader: platform, capacity, 'tenant QUEUE' (hides other tenants' names) or "
        "'service NAME'.",
        show_default=False,
    ),
]


def report(
    plan: PlanPath,
    shown: FilterOptions,
    output: OutputOptions,
    talking: TalkOptions,
    reader: ForReader = None,
) -> int:
    """Render the document of a plan, schedule or drill again, in any form."""
    from models.drill import DrillResult
    from planner.report.drill_report import drill_report
    from planner.usecases.inputs.plan_documents import read_plan_or_drill

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
    if not isinstance(result, DrillResult):
        refuse_unknown_in_plan(result, shown)
    if reader is not None:
        _write_for(reader, result, shown, output, talk)
    elif isinstance(result, DrillResult):
        chosen = {"namespaces": tuple(shown.namespace or ()), "queues": tuple(shown.queue or ())}
        write_data(drill_report(result, **chosen), output, talk)
    elif result.schedule is not None:
        write_schedule(result, shown, output, talk)
    else:
        write_plan(result, shown, output, talk)
    return 0


def _write_for(
    text: str,
    result: PlanResult | DrillResult,
    shown: FilterOptions,
    output: OutputOptions,
    talk: Talk,
) -> None:
    """The report of a night, cut for a reader."""
    from models.nightly.reader import parse_reader
    from models.plan import PlanResult
    from planner.report.night.report import night_report

    try:
        reader = parse_reader(text)
    except ValueError as error:
        raise UsageError(f"--for {text}: {error}") from None
    if shown.namespace or shown.queue:
        raise UsageError("--for chooses what is shown; leave out --namespace and --queue")
    if not isinstance(result, PlanResult) or result.schedule is None:
        raise UsageError(
            "--for needs the document of a schedule (gangplan schedule, gangplan nightly)"
        )
    write_data(night_report(result, reader), output, talk)
