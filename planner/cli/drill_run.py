"""One drill at the command line: read, drill under Ctrl-C and progress, save a bundle if it is withheld."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from models.findings import VerificationError
from planner.cli.interrupt import stop_on_interrupt
from planner.cli.option_groups import FilterOptions, PolicyOptions, SearchOptions
from planner.cli.planning_run import limits_of, read_input, save_withheld
from planner.cli.progress import progress_sink
from planner.cli.talk import Talk
from planner.problem.progress import Progress, ProgressSink

if TYPE_CHECKING:
    from models.drill import DrillResult, Need
    from planner.usecases.inputs.checked_input import CheckedInput
    from planner.usecases.requirements import Requirement


@dataclass(frozen=True)
class DrillRun:
    """Inputs of one drill; wrong needs and requirements are told before anything is read."""

    paths: Sequence[str | Path]
    policy: PolicyOptions
    search: SearchOptions
    talk: Talk
    needs: Sequence[str]
    deadline_s: int
    overhead_s: int | None
    by_hand: bool
    changes: bool
    shown: FilterOptions
    requirements: tuple[Requirement, ...] = field(init=False)
    asked: tuple[Need, ...] = field(init=False)

    def __post_init__(self) -> None:
        from models.drill import DrillSummary
        from planner.drill.text import parse_need
        from planner.usecases.requirements import parse_requirement

        wanted = tuple(
            parse_requirement(text, DrillSummary, "gpusInTime>=8")
            for text in self.search.require or ()
        )
        object.__setattr__(self, "requirements", wanted)
        object.__setattr__(self, "asked", tuple(map(parse_need, self.needs)))

    def drill(self) -> DrillResult:
        """The verified drill; raises PlannerError with the exit code that the command line promises."""
        with progress_sink(self.talk) as sink:
            sink(Progress("read", 0.0))
            given = read_input(self.paths, self.policy, self.shown)
            if not self.policy.allow_incomplete:
                given.refuse_incomplete()
            self.talk.findings(given.findings)
            try:
                return self._drill(given, sink)
            except VerificationError as error:
                save_withheld(self.talk, given, error, "drill")
                raise

    def _drill(self, given: CheckedInput, sink: ProgressSink) -> DrillResult:
        from planner.drill.use_case import drill_question, make_drill

        def say() -> None:
            self.talk.note("stopping with the best drill so far; Ctrl-C again ends at once")

        question = drill_question(
            self.asked,
            deadline_seconds=self.deadline_s,
            policy=given.policy,
            overhead_seconds=self.overhead_s,
            by_hand=self.by_hand,
        )
        with stop_on_interrupt(say) as interruption:
            return make_drill(
                given.snapshot,
                given.policy,
                question,
                limits_of(self.search),
                findings=given.findings,
                on_progress=sink,
                stop=interruption.stop,
                changes=self.changes,
            )
