"""Loans of online GPUs: demand and limits, the proof that they come back, and what would allow more."""

from __future__ import annotations

from collections.abc import Sequence

from models.lending import LendingLimits
from models.schedule import Schedule
from planner.demand.grace import grace_advice
from planner.demand.returns import worst_return
from planner.demand.scheduled import PoolReturns, schedule_returns
from planner.report.sections.loan_tables import (
    forecast_table,
    grace_table,
    hours_text,
    lendable_gpus_table,
    missed_table,
    returns_table,
)
from planner.report.svg.demand_curve import demand_curve
from planner.report.tables import Figure, Place, Section
from planner.report.text import counted


def loans_section(schedule: Schedule, place: Place, limit: int) -> Section:
    """Everything about loans of a schedule; tables with more rows than the limit begin with the least slack."""
    limits = schedule.lending
    if limits is None:
        return Section(
            "loans",
            "Night loans and return proof",
            lead="No online service with GPUs is known, so nothing is lent. Name services in the policy, or give "
            "--demand.",
        )
    returns = schedule_returns(schedule)
    lent = {one.name: one.lent for one in schedule.pools}
    figures = tuple(
        Figure(
            f"Demand and loans of {pool.pool}",
            lambda pool=pool: demand_curve(  # type: ignore[misc]
                limits, pool, schedule.timezone, lent.get(pool.pool, ())
            ),
        )
        for pool in limits.pools
    )
    advice = grace_advice(limits)
    return Section(
        "loans",
        "Night loans and return proof",
        lead=_lead(schedule, limits, returns),
        points=tuple(one for one in (advice, _best_gain(returns)) if one),
        figures=figures,
        tables=(
            *((missed_table(schedule),) if schedule.missed_returns else ()),
            returns_table(returns, limits, schedule.timezone, limit),
            lendable_gpus_table(limits),
            *((grace_table(returns, limit),) if place != "table" else ()),
            *((forecast_table(limits, limit),) if place != "table" else ()),
        ),
        notes=_notes(limits),
    )


def _lead(schedule: Schedule, limits: LendingLimits, returns: Sequence[PoolReturns]) -> str:
    owned = sum(one.owned_gpus for one in limits.pools)
    hours = sum(
        one.lent_gpus * (limits.edges[one.bucket + 1] - limits.edges[one.bucket])
        for pool in returns
        for one in pool.proof
    )
    begin = f"Services own {counted(owned, 'GPU')}; {hours_text(hours)} GPU-hours of them are lent"
    level = f"at a service level of {limits.service_level}" if limits.service_level else ""
    worst = worst_return([one for pool in returns for one in pool.proof])
    if schedule.missed_returns:
        seconds = sum(one.gpu_seconds for one in schedule.missed_returns)
        return f"{begin}. Services lack {hours_text(seconds)} GPU-hours of what is theirs."
    stated = f"{begin} {level}.".replace(" .", ".")
    if worst is None:
        return stated
    if worst.slack_s is not None and not worst.surge_gpus:
        return f"{stated} No surge that is planned for asks any of them back before its loan ends."
    if worst.slack_s is None:
        return (
            f"{begin}. A surge would not be met within {limits.deadline_s} s: "
            f"{counted(worst.short_gpus, 'GPU')} of {worst.pool} would be missing."
        )
    return (
        f"{begin} {level}. In the worst bucket a surge asks {counted(worst.surge_gpus, 'GPU')} back; they are there "
        f"after {worst.back_after_s} s, {worst.slack_s} s before the deadline of {limits.deadline_s} s."
    )


def _best_gain(returns: Sequence[PoolReturns]) -> str:
    gains = [(pool.pool, one) for pool in returns for one in pool.gains if one.gpu_seconds]
    if not gains:
        return ""
    pool, best = min(gains, key=lambda pair: (-pair[1].gpu_seconds, pair[1].gang, pair[0]))
    return (
        f"A grace period of {best.wanted_grace_s} s instead of {best.grace_s} s on {best.gang} buys most: up to "
        f"{hours_text(best.gpu_seconds)} GPU-hours more could be lent in {pool}."
    )


def _notes(limits: LendingLimits) -> tuple[str, ...]:
    found = [
        "Planned returns have their places on nodes. What a surge asks back beyond them is counted in whole GPUs per "
        "pool: which node a service gets then is the scheduler's choice.",
    ]
    if all(one.upper == one.held for one in limits.demand):
        found.append(
            "The demand has no margin of its own (a profile, announced values, or the pods of now)."
        )
    return tuple(found)
