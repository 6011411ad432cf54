"""The document's certificate: every claim about values, bounds and what they prove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from models.plan import Certificate, GangEntry, RuleViolation, Tier
from models.rules import RuleId
from models.workloads import Gang
from planner.verify.beside import upsets_evictions
from planner.verify.fitting import Fitting
from planner.verify.standing import RankedState, Standing
from planner.verify.tiers import is_started, tier_values
from planner.verify.wording import violation

_OPTIMAL_GAP = 1e-3
_SLACK = 1e-6
_START_TIERS = ("shortfall", "gpus", "gangs")
PREFERENCES = "preferences"


def check_certificate(state: RankedState) -> Iterator[RuleViolation]:
    """Status, bounds and gaps fit together; every tier's value is recomputed."""
    if not state.given("certificate"):
        return
    certificate = state.plan.certificate
    yield from check_bounds(certificate)
    if state.plan.schedule is not None:
        return  # its tiers are those of the schedule, which may let a gang that fits wait
    values = tier_values(state)
    for tier in certificate.tiers:
        wanted = values.get(tier.name)
        if wanted is None:
            told = "is no tier of this objective and cannot be recomputed; remove it"
            yield violation(RuleId.DOCUMENT, f"tier/{tier.name}", told)
        elif wanted != tier.value:
            told = f"value is {tier.value} {tier.unit}, recomputed {wanted}; correct it"
            yield violation(RuleId.DOCUMENT, f"tier/{tier.name}", told)
    yield from _check_unmet(state, values)
    yield from _check_nothing_fits(state)


def _check_unmet(state: RankedState, values: Mapping[str, int]) -> Iterator[RuleViolation]:
    """What gangs are said not to get of what they prefer adds up to the value of that tier."""
    if all(tier.name != PREFERENCES for tier in state.plan.certificate.tiers):
        return
    told = sum(one.points for entry in state.plan.gangs for one in entry.unmet)
    if told != values[PREFERENCES]:
        wrong = f"the gangs' unmet rules are {told} points, recomputed {values[PREFERENCES]}; correct them"
        yield violation(RuleId.DOCUMENT, f"tier/{PREFERENCES}", wrong)


def check_bounds(certificate: Certificate) -> Iterator[RuleViolation]:
    """What can be judged without the snapshot: status, sides of bounds, gaps, conditional marks, proofs."""
    status = certificate.status
    if status not in ("OPTIMAL", "FEASIBLE"):
        told = f"status {status} carries no plan; OPTIMAL or FEASIBLE would"
        yield violation(RuleId.DOCUMENT, "certificate/status", told)
    if not certificate.tiers:
        yield violation(RuleId.DOCUMENT, "certificate/tiers", "are missing; give every tier")
    names: set[str] = set()
    open_above = ""
    for tier in certificate.tiers:
        reasons = [*_tier_faults(tier, optimal=status == "OPTIMAL")]
        if tier.name in names:
            reasons.append("appears twice")
        names.add(tier.name)
        if open_above and tier.bound is not None and not tier.conditional:
            reasons.append(f"tier {open_above} above is open, so its bound is conditional")
        if tier.bound != tier.value:
            open_above = open_above or tier.name
        start_tier = tier.name.rpartition(".")[2] in _START_TIERS
        if certificate.properties == "proved" and start_tier and tier.bound != tier.value:
            reasons.append(f"properties are proved, but bound {tier.bound} is not the value")
        for reason in reasons:
            yield violation(RuleId.DOCUMENT, f"tier/{tier.name}", f"{reason}; correct it")


def _tier_faults(tier: Tier, *, optimal: bool) -> Iterator[str]:
    if tier.bound is None or tier.gap is None:
        if tier.bound is not None or tier.gap is not None:
            yield "bound and gap must be null together"
        elif optimal:
            yield "status is OPTIMAL, but nothing is proved here"
        return
    distance = tier.bound - tier.value if tier.sense == "max" else tier.value - tier.bound
    if distance < 0:
        yield f"bound {tier.bound} is on the wrong side of value {tier.value} ({tier.sense})"
    gap = abs(distance) / max(1, abs(tier.value))
    if not abs(tier.gap - gap) <= _SLACK + _OPTIMAL_GAP * gap:
        yield f"gap is {tier.gap}, value {tier.value} and bound {tier.bound} give {gap:.6g}"
    if optimal and gap > _OPTIMAL_GAP + _SLACK:
        yield f"status is OPTIMAL with a gap of {gap:.2%}, at most 0.1 % is allowed"


def _check_nothing_fits(state: RankedState) -> Iterator[RuleViolation]:
    """P3 with all placements fixed: no waiting gang fits beside the plan, its evictions still legal.

    Own tier lists may want otherwise.
    """
    if isinstance(state.policy.policy.objective, tuple):
        return
    left = [
        one
        for one in state.standings.values()
        if one.startable and not is_started(state, one) and one.need.counts
    ]
    specs = {id(piece.spec): piece.spec for one in left for piece in one.need.pieces}
    gangs = state.snapshot.gang_by_name
    entrance = state.admission.entrance(gangs[name] for name in state.placed_by_gang)
    fitting = Fitting(state, state.held_after, state.queue_after, list(specs.values()))
    for one in left:
        touched = one.gang.full_name in state.placed_by_gang or state.lost_by(one.gang)
        if touched or not fitting.fits(one.gang, one.need):
            continue
        if not entrance.admits(one.gang):
            continue
        if not upsets_evictions(state, one.gang, one.need):
            told = f"waits although its {one.pods} pods fit beside the plan; start it"
            yield violation(RuleId.DOCUMENT, f"gang/{one.gang.full_name}", told)


def check_classification(state: RankedState) -> Iterator[RuleViolation]:
    """What entries say about startable, class, rank and GPUs still lacking, where they do, is what we find."""
    for entry, gang in state.reading.entries:
        if gang is None:
            continue
        if entry.startable is None:
            yield from _wrongly_ranked(state, entry, gang)
            continue
        standing = state.standings.get(gang.full_name)
        for told in _misclassified(entry, standing, state.measure.unit):
            yield violation(RuleId.DOCUMENT, f"gang/{gang.full_name}", f"{told}; correct it")


def _wrongly_ranked(state: RankedState, entry: GangEntry, gang: Gang) -> Iterator[RuleViolation]:
    """The rank of a running gang that can grow, where the document gives one."""
    wanted = state.ranks.get(gang.full_name) if gang.full_name in state.alone.further else None
    if entry.rank is not None and entry.rank != wanted:
        told = f"rank is {entry.rank!r}, recomputed {wanted!r}; correct it"
        yield violation(RuleId.DOCUMENT, f"gang/{gang.full_name}", told)


def _shown(entry: GangEntry, unit: str) -> int | None:
    return entry.gpus if unit == "GPU" else entry.milli_gpus


def _misclassified(entry: GangEntry, standing: Standing | None, unit: str) -> Iterator[str]:
    if standing is None:
        if entry.startable:
            yield "is called startable, but it did not wait or has an unmodelled rule"
        return
    if not standing.decided:
        return
    pairs: list[tuple[str, object, object]] = [("startable", entry.startable, standing.startable)]
    if standing.startable:
        pairs += [
            ("tierClass", entry.tier_class, standing.tier_class),
            ("rank", entry.rank, standing.rank),
            ("gpus", _shown(entry, unit), standing.gpus),
        ]
    for name, have, wanted in pairs:
        if have != wanted:
            yield f"{name} is {have!r}, recomputed {wanted!r}"
