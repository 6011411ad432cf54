"""What `plan` and `demo` share: read, plan under Ctrl-C and progress, save a bundle if the plan is withheld."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from models.findings import NoPlanInTimeError, VerificationError
from planner.cli.interrupt import StoppableRun
from planner.cli.option_groups import PolicyOptions, SearchOptions
from planner.cli.progress import progress_sink
from planner.cli.talk import Talk
from planner.problem.limits import Limits

if TYPE_CHECKING:
    from models.effective import EffectivePolicy
    from models.findings import Finding
    from models.plan import PlanResult
    from models.snapshot import Snapshot
    from planner.service.requirements import Requirement

REQUIREMENT_MISSED = 7


@dataclass(frozen=True)
class PlanningRun:
    """Inputs of one planning run."""

    paths: Sequence[str | Path]
    policy: PolicyOptions
    search: SearchOptions
    talk: Talk

    def plan(self) -> PlanResult:
        """The verified plan.

        Raises
        ------
        PlannerError
            With the exit code that the command line promises for it.
        KeyboardInterrupt
            Ctrl-C came before there was a plan.
        """
        snapshot, policy, findings = read_and_check(self.paths, self.policy)
        self.talk.findings(findings)
        try:
            return self._search(snapshot, policy, findings)
        except VerificationError as error:
            self._save_bundle(snapshot, policy, error)
            raise

    def _search(
        self, snapshot: Snapshot, policy: EffectivePolicy, findings: Sequence[Finding]
    ) -> PlanResult:
        from planner.service.planning import make_plan

        run: StoppableRun[PlanResult] = StoppableRun(
            lambda: self.talk.note("stopping with the best plan so far; Ctrl-C again ends at once")
        )
        with progress_sink(self.talk) as sink:
            try:
                return run.run(
                    lambda stop: make_plan(
                        snapshot,
                        policy,
                        limits_of(self.search),
                        findings=findings,
                        on_progress=sink,
                        stop=stop,
                    )
                )
            except NoPlanInTimeError:
                if run.interrupted:
                    raise KeyboardInterrupt from None
                raise

    def _save_bundle(
        self, snapshot: Snapshot, policy: EffectivePolicy, error: VerificationError
    ) -> None:
        from planner.service.bundle import save_bundle

        result: PlanResult | None = getattr(error, "result", None)
        if result is None:
            return
        for violation in result.verification.violations if result.verification else ():
            self.talk.error(f"{violation.rule}: {violation.object}: {violation.message}")
        path = save_bundle(snapshot, policy, result, Path())
        self.talk.error(f"the plan is withheld; everything to repeat the run is in {path}")


def read_and_check(
    paths: Sequence[str | Path], options: PolicyOptions
) -> tuple[Snapshot, EffectivePolicy, tuple[Finding, ...]]:
    """Snapshot, effective policy, and all findings about both."""
    from models.checks import check_snapshot
    from planner.service.inputs import read_inputs
    from planner.service.policies import effective_policy, read_policy

    if options.policy is not None:
        read_policy(options.policy)  # a typing error in it shows before a long read
    snapshot = read_inputs(paths, allow_incomplete=options.allow_incomplete)
    policy = effective_policy(snapshot, options.policy, options.set_policy or ())
    return snapshot, policy, (*snapshot.findings, *check_snapshot(snapshot, policy))


def limits_of(options: SearchOptions) -> Limits:
    """Limits of the search; with ``--deterministic`` one worker unless more are asked for."""
    from planner.service.machine import usable_cores

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
    from planner.service.requirements import parse_requirement

    return tuple(parse_requirement(text) for text in options.require or ())


def exit_code(result: PlanResult, requirements: Sequence[Requirement], talk: Talk) -> int:
    """0, or 7 where a requirement is missed (each is said)."""
    from planner.service.requirements import missed_requirements

    missed = missed_requirements(requirements, result.summary)
    for sentence in missed:
        talk.error(sentence)
    return REQUIREMENT_MISSED if missed else 0
