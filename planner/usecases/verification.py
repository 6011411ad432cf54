"""The use case of ``gangplan verify``: any plan document against a snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from models.drill import DrillResult
from models.effective import EffectivePolicy, resolve_policy
from models.plan import Part, PlanResult, RuleViolation, Verification
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.usecases.inputs.checked_input import checked
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.inputs.plan_documents import read_plan_or_drill
from planner.usecases.inputs.policies import policy_keys, policy_of_plan, read_policy


class VerificationResult(Part):
    """The document of ``gangplan verify``.

    ``policy_from`` says whose policy the plan was checked under: ``options`` or ``plan document`` or ``snapshot``.
    """

    schema_version: int = 1
    kind: Literal["VerificationResult"] = "VerificationResult"
    sentence: str
    verified: bool
    rules: int
    violations: tuple[RuleViolation, ...]
    snapshot_digest: str
    plan_digest: str
    policy_from: str
    warnings: tuple[str, ...] = ()
    not_proved: tuple[str, ...] = ()


def verify_plan(
    snapshot_paths: Sequence[str | Path],
    plan_path: str | Path,
    *,
    policy_file: Path | None = None,
    assignments: Sequence[str] = (),
    allow_incomplete: bool = False,
    prove: Limits | None = None,
) -> VerificationResult:
    """Check a plan file; the policy is the options', else what the document says was set.

    ``prove``: search again within these limits and compare.

    Raises
    ------
    InputError
        Snapshot, plan or policy cannot be read.
    """
    result = read_plan_or_drill(plan_path)
    flags = policy_keys(assignments)
    if policy_file is not None or assignments:
        file, origin = (read_policy(policy_file) if policy_file else None), "options"
    else:
        file = policy_of_plan(result)
        origin = "snapshot" if file is None else "plan document"
    snapshot = read_inputs(snapshot_paths)
    found = checked(snapshot, resolve_policy(snapshot, file, flags))
    if not allow_incomplete:
        found.refuse_incomplete()
    return check_plan(snapshot, found.policy, result, policy_from=origin, prove=prove)


def check_plan(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    result: PlanResult | DrillResult,
    *,
    policy_from: str,
    prove: Limits | None = None,
) -> VerificationResult:
    """Every rule that a plan or drill breaks, recomputed from the snapshot."""
    found = _checked(snapshot, policy, result)
    open_claims: tuple[str, ...] = ()
    if isinstance(result, PlanResult):
        from planner.usecases.proving import against_greedy, not_proved, proved_again

        more = list(against_greedy(snapshot, policy, result))
        again: frozenset[str] = frozenset()
        if prove is not None and result.schedule is None:
            contradictions, again = proved_again(snapshot, policy, result, prove)
            known = {(one.object) for one in more}
            more += [one for one in contradictions if one.object not in known]
        found = found.model_copy(update={"violations": (*found.violations, *more)})
        open_claims = not_proved(result, again)
    number = len(found.violations)
    sentence = (
        f"Not verified: {number} violation{'s' if number != 1 else ''} of {found.rules} rules."
        if number
        else f"Verified: 0 violations of {found.rules} rules."
    )
    return VerificationResult(
        sentence=sentence,
        verified=not number,
        rules=found.rules,
        violations=found.violations,
        snapshot_digest=snapshot.digest,
        plan_digest=result.snapshot.digest,
        policy_from=policy_from,
        warnings=_warnings(snapshot, result),
        not_proved=open_claims,
    )


def _checked(
    snapshot: Snapshot, policy: EffectivePolicy, result: PlanResult | DrillResult
) -> Verification:
    if isinstance(result, DrillResult):
        from planner.verify.drill import verify_drill

        return verify_drill(snapshot, policy, result)
    from planner.verify.check import verify

    return verify(snapshot, policy, result)


def _warnings(snapshot: Snapshot, result: PlanResult | DrillResult) -> tuple[str, ...]:
    digest = result.snapshot.digest
    if digest and digest != snapshot.digest:
        return (
            f"the plan was made for another snapshot (digest {digest[:19]}…, "
            f"this one is {snapshot.digest[:19]}…)",
        )
    return ()
