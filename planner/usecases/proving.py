"""What the independent check does not recompute: bounds against better plans, the baseline, a new search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from models.effective import EffectivePolicy
from models.plan import PlanResult, RuleViolation, Tier
from models.rules import RuleId
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.simulate.baseline import baseline_of, verified_run
from planner.usecases.planning import make_plan


def against_greedy(
    snapshot: Snapshot, policy: EffectivePolicy, plan: PlanResult
) -> Iterator[RuleViolation]:
    """Bounds that a greedy plan passes, and figures of a baseline that a greedy run does not have."""
    if plan.schedule is not None:
        return
    greedy = verified_run(snapshot, policy)
    if greedy is None:
        return
    yield from beaten(plan.certificate.tiers, greedy.tiers, "a greedy scheduler")
    wanted = baseline_of(snapshot, policy, run=greedy)
    if plan.baseline is None or wanted is None:
        return
    for field in ("gpus_after", "gangs_started", "pods_evicted", "gangs_left_out"):
        have, right = getattr(plan.baseline, field), getattr(wanted, field)
        if field in plan.baseline.model_fields_set and have != right:
            told = f"is {have:,}, recomputed {right:,}; correct it"
            yield _violation(f"baseline/{field}", told)


def proved_again(
    snapshot: Snapshot, policy: EffectivePolicy, plan: PlanResult, limits: Limits
) -> tuple[list[RuleViolation], frozenset[str]]:
    """Contradictions with a new search, and the tiers whose bounds it proves again."""
    again = make_plan(snapshot, policy, limits, fixes=False)
    values = {tier.name: tier.value for tier in again.certificate.tiers}
    found = list(beaten(plan.certificate.tiers, values, "a new search"))
    codes = {(one.namespace, one.name): {r.code for r in one.reasons} for one in again.gangs}
    decided = {(one.namespace, one.name): one.decision for one in again.gangs}
    same = all(decided.get((one.namespace, one.name)) == one.decision for one in plan.gangs)
    for one in plan.gangs if same else ():
        key = (one.namespace, one.name)
        told = {reason.code for reason in one.reasons}
        if one.decision == "wait" and told and codes[key] and not told & codes[key]:
            wrong = (
                f"waits with {_words(told)}, a new search finds {_words(codes[key])}; plan again"
            )
            found.append(_violation(f"gang/{one.namespace}/{one.name}", wrong))
    proved: set[str] = set()
    for tier, other in zip(plan.certificate.tiers, again.certificate.tiers, strict=False):
        if tier.name != other.name or tier.value != other.value or other.bound != tier.bound:
            break
        proved.add(tier.name)
    return found, frozenset(proved)


def beaten(tiers: Sequence[Tier], values: Mapping[str, int], who: str) -> Iterator[RuleViolation]:
    """The first tier in which another correct plan is better than the bound allows, all tiers above being equal."""
    for tier in tiers:
        value = values.get(tier.name)
        if value is None:
            return
        sign = 1 if tier.sense == "max" else -1
        if tier.bound is not None and sign * value > sign * tier.bound:
            told = (
                f"bound {tier.bound:,} {tier.unit} is refuted: {who} reaches {value:,}; plan again"
            )
            yield _violation(f"tier/{tier.name}", told)
        if value != tier.value:
            return


def not_proved(plan: PlanResult, again: frozenset[str]) -> tuple[str, ...]:
    """What a check without violations still does not prove, in words."""
    left = [t.name for t in plan.certificate.tiers if t.bound is not None and t.name not in again]
    found = []
    if left:
        found.append(
            f"bounds of {len(left)} of {len(plan.certificate.tiers)} tiers: checked against the plan and a greedy one "
            "only" + ("" if again else "; --prove solves again")
        )
    if any(one.decision == "wait" for one in plan.gangs):
        found.append("that the reasons of waiting gangs are all, with their numbers")
    if any(group.fixes for group in plan.waiting):
        found.append("effects of the changes that would start waiting gangs")
    return tuple(found)


def _words(codes: set[str]) -> str:
    return ", ".join(sorted(codes))


def _violation(subject: str, told: str) -> RuleViolation:
    return RuleViolation(rule=RuleId.DOCUMENT.value, object=subject, message=told)
