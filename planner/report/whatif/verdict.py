"""Which of two plans is better, and when nobody can tell.

Two plans are compared by what is proved: a tier's value is reached, its bound is not exceeded. Where the ranges from
value to bound overlap, a longer search could turn the comparison round, and it is called undecided.
"""

from __future__ import annotations

from collections.abc import Iterable

from models.checks.wording import counted
from models.plan import PlanResult, Tier
from planner.report.compare import FIGURES
from planner.report.proof_words import tier_words
from planner.report.whatif.document import FigureDelta, TierPair, Verdict
from planner.report.whatif.timing import ScheduleDelta

_TIERS_OF_FIGURE = {
    "gpus_after": ".gpus",
    "gangs_started": ".gangs",
    "gangs_waiting": ".gangs",
    "gangs_evicted": "gangs_given_up",
    "pods_evicted": "pods_evicted",
}


def figure_deltas(base: PlanResult, plan: PlanResult) -> tuple[FigureDelta, ...]:
    """Key figures of both plans; a difference within the largest open gap of their tiers is undecided."""
    found = []
    for key, label, unit in FIGURES:
        one, other = getattr(base.summary, key), getattr(plan.summary, key)
        slack = None
        undecided = False
        if key in _TIERS_OF_FIGURE:
            parts = [_slack(result, _TIERS_OF_FIGURE[key]) for result in (base, plan)]
            slack = None if None in parts else sum(part for part in parts if part is not None)
            undecided = one != other and (slack is None or abs(other - one) <= slack)
        found.append(
            FigureDelta(
                key=key,
                label=label,
                unit=unit,
                base=one,
                value=other,
                slack=slack,
                undecided=undecided,
            )
        )
    return tuple(found)


def _slack(result: PlanResult, suffix: str) -> int | None:
    """Largest distance of value and bound among the tiers of a kind; None where one has no bound."""
    tiers = [tier for tier in result.certificate.tiers if tier.name.endswith(suffix)]
    if any(tier.bound is None for tier in tiers):
        return None
    return max(
        (abs(tier.bound - tier.value) for tier in tiers if tier.bound is not None), default=0
    )


def tier_pairs(base: PlanResult, plan: PlanResult) -> tuple[TierPair, ...]:
    """Tiers of both certificates, the base's order first."""
    one = {tier.name: tier for tier in base.certificate.tiers}
    other = {tier.name: tier for tier in plan.certificate.tiers}
    found = []
    for name in dict.fromkeys([*one, *other]):
        known = one.get(name) or other[name]
        a, b = one.get(name), other.get(name)
        found.append(
            TierPair(
                name=name,
                unit=known.unit,
                sense=known.sense,
                base_value=a.value if a else None,
                base_bound=a.bound if a else None,
                value=b.value if b else None,
                bound=b.bound if b else None,
            )
        )
    return tuple(found)


def verdict(base: PlanResult, plan: PlanResult, figures: Iterable[FigureDelta]) -> Verdict:
    """Which plan is better, by tiers where these mean the same in both, else by figures."""
    names = [[tier.name for tier in one.certificate.tiers] for one in (base, plan)]
    if names[0] == names[1] and _standing(base) == _standing(plan) and _deserve_alike(base, plan):
        return _by_tiers(base.certificate.tiers, plan.certificate.tiers)
    return _by_figures({one.key: one for one in figures})


def _standing(plan: PlanResult) -> dict[str, tuple[str | None, int | None]]:
    return {
        gang.full_name: (gang.tier_class, gang.rank)
        for gang in plan.gangs
        if gang.startable is not None
    }


def _deserve_alike(base: PlanResult, plan: PlanResult) -> bool:
    one, other = ({q.name: q.deserved for q in result.queues} for result in (base, plan))
    return one == other


def _by_tiers(base: Iterable[Tier], plan: Iterable[Tier]) -> Verdict:
    for a, b in zip(base, plan, strict=True):
        kept, gained = _range(a), _range(b)
        if kept == gained and kept is not None and kept[0] == kept[1]:
            continue
        if kept is None or gained is None:
            message = f"{tier_words(a.name)}: no bound; a longer search may turn this round"
            return Verdict(judgement="undecided", by="tiers", tier=a.name, message=message)
        if gained[0] > kept[1] or gained[1] < kept[0]:
            better = (gained[0] > kept[1]) == (a.sense == "max")
            word = "better" if better else "worse"
            message = (
                f"{word} in {tier_words(a.name)}: {b.value:,} against {a.value:,} {_plural(a.unit)}"
            )
            return Verdict(
                judgement="better" if better else "worse", by="tiers", tier=a.name, message=message
            )
        told = "the same so far" if a.value == b.value else f"{b.value:,} against {a.value:,}"
        message = (
            f"undecided in {tier_words(a.name)}: {told}, but the gaps overlap "
            f"(base {_shown(kept)}, scenario {_shown(gained)})"
        )
        return Verdict(judgement="undecided", by="tiers", tier=a.name, message=message)
    return Verdict(judgement="same", by="tiers", message="worth the same in every tier, proved")


def _plural(unit: str) -> str:
    return "GPUs" if unit == "GPU" else unit


def _range(tier: Tier) -> tuple[int, int] | None:
    if tier.bound is None:
        return None
    return min(tier.value, tier.bound), max(tier.value, tier.bound)


def _shown(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _by_figures(figures: dict[str, FigureDelta]) -> Verdict:
    for key in ("gpus_after", "gangs_started"):
        one = figures[key]
        if one.change == 0 and one.slack == 0:
            continue
        if one.undecided or one.change == 0:
            within = "no bound" if one.slack is None else f"gaps of {one.slack:,} {one.unit} in all"
            message = f"undecided: {one.change:+,} {one.unit} ({one.label}), {within}"
            return Verdict(judgement="undecided", by="figures", tier=key, message=message)
        better = one.change > 0
        return Verdict(
            judgement="better" if better else "worse",
            by="figures",
            tier=key,
            message=f"{'better' if better else 'worse'} by {one.label}: {one.change:+,} {one.unit}",
        )
    return Verdict(
        judgement="same", by="figures", message="the same GPUs allocated and gangs started"
    )


def schedule_verdict(base: PlanResult, plan: PlanResult, delta: ScheduleDelta) -> Verdict:
    """More work within the horizon is better, equal work by less delay; undecided while a tier of either is open.

    Gangs that run now and are stopped in one of the two count by their end; where that speaks against the rest, the
    difference is undecided.
    """
    change = delta.compared_work_gpu_seconds
    later = delta.delay_s - delta.base_delay_s
    told = f"{change / 3600:+,.1f} GPU-hours of work within the horizon"
    if not change:
        told = (
            f"as much work, {'sooner' if later < 0 else 'later'} in sum"
            if later
            else "as much work, as soon"
        )
    for names, when in ((delta.sooner, "earlier"), (delta.later, "later or not at all")):
        if names:
            verb = "ends" if len(names) == 1 else "end"
            told += f"; {counted(len(names), 'gang')} that {'runs' if len(names) == 1 else 'run'} now {verb} {when}"
    gain = change or -later
    mixed = (gain < 0 or bool(delta.later)) and (gain > 0 or bool(delta.sooner))
    closed = all(one.certificate.closed for one in (base, plan))
    if not closed or mixed:
        message = f"undecided: {told}{'' if closed else ', not every tier is proved'}"
        return Verdict(judgement="undecided", by="figures", tier="work", message=message)
    if not gain and not delta.sooner and not delta.later:
        return Verdict(judgement="same", by="figures", message=told)
    better = gain > 0 or bool(delta.sooner)
    word = "better" if better else "worse"
    return Verdict(
        judgement="better" if better else "worse",
        by="figures",
        tier="work",
        message=f"{word}: {told}",
    )
