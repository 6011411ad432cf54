"""What `plan` and `demo` share: read, plan under Ctrl-C and progress, save a bundle if the plan is withheld."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from models.findings import NoPlanInTimeError, VerificationError
from planner.cli.exit_codes import REQUIREMENT_MISSED
from planner.cli.interrupt import stop_on_interrupt
from planner.cli.manifest_option import write_manifests
from planner.cli.option_groups import FilterOptions, PolicyOptions, SearchOptions
from planner.cli.progress import progress_sink
from planner.cli.shown_names import refuse_unknown
from planner.cli.talk import Talk
from planner.problem.limits import Limits
from planner.problem.progress import Progress, ProgressSink
from planner.runtime.started import BEGAN

if TYPE_CHECKING:
    from models.drill import DrillResult
    from models.plan import PlanResult
    from planner.usecases.inputs.checked_input import CheckedInput
    from planner.usecases.requirements import Requirement


@dataclass(frozen=True)
class PlanningRun:
    """Inputs of one planning run."""

    paths: Sequence[str | Path]
    policy: PolicyOptions
    search: SearchOptions
    talk: Talk
    previous: Path | None = None
    effort_s: float | None = None
    manifests: Path | None = None
    shown: FilterOptions | None = None

    def plan(self) -> PlanResult:
        """The verified plan.

        Raises
        ------
        PlannerError
            With the exit code that the command line promises for it.
        KeyboardInterrupt
            Ctrl-C came before there was a plan.
        """
        with progress_sink(self.talk) as sink:
            sink(Progress("read", 0.0))
            given = read_input(self.paths, self.policy, self.shown)
            if not self.policy.allow_incomplete:
                given.refuse_incomplete()
            self.talk.findings(given.findings)
            earlier = self._earlier(given)
            try:
                result = self._search(given, earlier, sink)
            except VerificationError as error:
                save_withheld(self.talk, given, error, "plan")
                raise
        if self.manifests is not None:
            write_manifests(self.manifests, given, result, self.talk)
        return result

    def _earlier(self, given: CheckedInput) -> PlanResult | None:
        if self.previous is None:
            return None
        from planner.usecases.inputs.earlier_plan import unrelated
        from planner.usecases.inputs.plan_documents import read_plan

        earlier = read_plan(self.previous)
        self.talk.findings(unrelated(earlier, given.snapshot))
        return earlier

    def _search(
        self, given: CheckedInput, earlier: PlanResult | None, sink: ProgressSink
    ) -> PlanResult:
        from planner.usecases.planning import make_plan

        def say() -> None:
            self.talk.note("stopping with the best plan so far; Ctrl-C again ends at once")

        with stop_on_interrupt(say) as interruption:
            try:
                return make_plan(
                    given.snapshot,
                    given.policy,
                    limits_of(self.search),
                    findings=given.findings,
                    on_progress=sink,
                    stop=interruption.stop,
                    previous=earlier,
                    effort_s=self.effort_s,
                    on_refused=lambda refused: save_refused(self.talk, given, refused),
                    began=BEGAN,
                )
            except NoPlanInTimeError:
                if interruption.interrupted:
                    raise KeyboardInterrupt from None
                raise


def save_withheld(talk: Talk, given: CheckedInput, error: VerificationError, what: str) -> None:
    """Name the violations of a withheld ``plan`` or ``drill`` and save everything to repeat the run."""
    from planner.usecases.bundle import save_bundle

    result: PlanResult | DrillResult | None = getattr(error, "result", None)
    if result is None:
        return
    for violation in result.verification.violations if result.verification else ():
        talk.error(f"{violation.rule}: {violation.object}: {violation.message}")
    path = save_bundle(given.snapshot, given.policy, result, Path())
    talk.error(f"the {what} is withheld; everything to repeat the run is in {path}")


def save_refused(talk: Talk, given: CheckedInput, refused: PlanResult) -> None:
    """Name what the check refused of the best plan and save everything to repeat the run; another plan is given."""
    from planner.usecases.bundle import save_bundle

    for violation in refused.violations:
        talk.error(f"{violation.rule}: {violation.object}: {violation.message}")
    path = save_bundle(given.snapshot, given.policy, refused, Path())
    talk.error(f"the best plan is withheld, the next best is given; the run is saved in {path}")


def read_input(
    paths: Sequence[str | Path], options: PolicyOptions, shown: FilterOptions | None = None
) -> CheckedInput:
    """Snapshot, effective policy, and all findings about both.

    Raises
    ------
    UsageError
        ``shown`` names a namespace or queue that the snapshot does not have.
    """
    from planner.usecases.inputs.checked_input import read_checked

    given = read_checked(paths, policy_file=options.policy, assignments=options.set_policy or ())
    if shown is not None:
        refuse_unknown(given.snapshot, shown)
    return given


def limits_of(options: SearchOptions) -> Limits:
    """Limits of the search; with ``--deterministic`` one worker unless more are asked for."""
    from planner.runtime.machine import usable_cores

    workers = options.workers or (1 if options.deterministic else usable_cores())
    return Limits(
        time_limit_s=options.time_limit,
        gap=options.gap,
        seed=options.seed,
        workers=workers,
        deterministic=options.deterministic,
    )


def requirements_of(options: SearchOptions) -> tuple[Requirement, ...]:
    """The parsed ``--require`` options; read before the search, so that a typing error costs no minute."""
    from planner.usecases.requirements import parse_requirement

    return tuple(parse_requirement(text) for text in options.require or ())


def exit_code(result: PlanResult, requirements: Sequence[Requirement], talk: Talk) -> int:
    """0, or 7 where a requirement is missed (each is said)."""
    from planner.usecases.requirements import missed_requirements

    missed = missed_requirements(requirements, result.summary)
    for sentence in missed:
        talk.error(sentence)
    return REQUIREMENT_MISSED if missed else 0
