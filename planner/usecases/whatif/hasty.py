"""A first answer soon: scenarios planned from the base without searching in integers."""

from __future__ import annotations

from dataclasses import replace

from planner.usecases.whatif.base import Base, Planned

SOON_S = 1.0
"""Seconds of the base's search up to which its scenarios are searched in full at once."""
AROUND = ("prepare", "explain", "baseline", "verify")
"""Stages of a plan that are not its search."""
MOST_AROUND = 0.5
"""What these may take beside the base's search; where they take more, planning twice would take too long."""


def hasty_base(base: Base) -> Base | None:
    """The base without effort for its scenarios; None where a first answer would not come much sooner.

    Schedules and evictions are searched at once, small clusters too, and those on which the search is not most of a
    plan.
    """
    if base.over_time is not None or base.policy.evict:
        return None
    stages = base.plan.certificate.stage_seconds()
    search, around = stages.get("solve", 0.0), sum(stages.get(name, 0.0) for name in AROUND)
    if search <= SOON_S or around > MOST_AROUND * search:
        return None
    return replace(base, warm=replace(base.warm, effort_s=0.0))


def is_open(base: Base, planned: Planned) -> bool:
    """Whether searching on may improve a plan, or its bounds beyond the gap that is good enough."""
    if planned.plan is None or planned.plan is base.plan or planned.situation.policy.evict:
        return False
    gap = base.limits.gap
    return any(
        tier.bound is None or abs(tier.bound - tier.value) > gap * max(1, abs(tier.value))
        for tier in planned.plan.certificate.tiers
    )


def better_of(first: Planned | None, second: Planned) -> Planned:
    """The plan that is worth more, the second of equals, since its bounds are no looser."""
    if first is None or first.plan is None:
        return second
    if second.plan is None:
        return first
    for one, two in zip(first.plan.certificate.tiers, second.plan.certificate.tiers, strict=True):
        if one.value != two.value:
            return second if (two.value > one.value) == (two.sense == "max") else first
    return second
