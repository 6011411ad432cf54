"""``gangplan explain``: why this gang waits, and the smallest changes that would start it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from models.findings import NoPlanInTimeError
from planner.cli.exit_codes import REQUIREMENT_MISSED
from planner.cli.interrupt import stop_on_interrupt
from planner.cli.option_groups import (
    FilterOptions,
    OutputOptions,
    PolicyOptions,
    SearchOptions,
    SnapshotPaths,
    TalkOptions,
)
from planner.cli.planning_run import limits_of, read_input, requirements_of
from planner.cli.progress import progress_sink
from planner.cli.sink import write_data
from planner.cli.talk import Talk
from planner.problem.progress import Progress

if TYPE_CHECKING:
    from models.explanation import Explanations
    from planner.usecases.explain.explaining import Question

Gangs = Annotated[
    list[str] | None,
    typer.Option(
        "--gang",
        metavar="NAMESPACE/NAME",
        help="The gang to explain; may be repeated. Without it -n and -q choose waiting gangs.",
        show_default=False,
    ),
]


def explain(
    snapshot: SnapshotPaths,
    policy: PolicyOptions,
    search: SearchOptions,
    shown: FilterOptions,
    output: OutputOptions,
    talking: TalkOptions,
    gang: Gangs = None,
) -> int:
    """Why a gang waits: all binding reasons, the proof, and changes that start it.

    Every change that is shown was applied to the snapshot and planned in full: the gang starts.
    All these plans share --time-limit; Ctrl-C keeps what is confirmed so far.
    """
    from planner.report.explain_report import explain_report
    from planner.usecases.explain.explaining import Question
    from planner.usecases.requirements import missed_requirements

    talk = Talk(talking)
    requirements = requirements_of(search)
    question = Question(tuple(gang or ()), tuple(shown.namespace or ()), tuple(shown.queue or ()))
    document = _explained(snapshot, policy, search, question, talk)
    write_data(explain_report(document), output, talk)
    missed = missed_requirements(requirements, document.plan)
    for sentence in missed:
        talk.error(sentence)
    return REQUIREMENT_MISSED if missed else 0


def _explained(
    paths: list[str], policy: PolicyOptions, search: SearchOptions, question: Question, talk: Talk
) -> Explanations:
    from planner.usecases.explain.explaining import explain_gangs, gang_names

    with progress_sink(talk) as sink:
        sink(Progress("read", 0.0))
        shown = FilterOptions(list(question.namespaces), list(question.queues))
        given = read_input(paths, policy, shown)
        if not policy.allow_incomplete:
            given.refuse_incomplete()
        gang_names(
            given.snapshot, question
        )  # a wrong name shows before the findings and a long search
        talk.findings(given.findings)

        def say() -> None:
            talk.note("stopping with what is confirmed so far; Ctrl-C again ends at once")

        with stop_on_interrupt(say) as interruption:
            try:
                return explain_gangs(
                    given.snapshot,
                    given.policy,
                    limits_of(search),
                    question,
                    findings=given.findings,
                    on_progress=sink,
                    stop=interruption.stop,
                )
            except NoPlanInTimeError:
                if interruption.interrupted:
                    raise KeyboardInterrupt from None
                raise
