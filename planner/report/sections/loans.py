"""Loans of online GPUs: demand and limits, the proof that they come back, and what would allow more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from models.lending import ForecastQuality, LendingLimits
from models.moments import local_text
from models.schedule import Schedule
from planner.demand.grace import grace_advice, lendable_table
from planner.demand.returns import BucketReturn, worst_return
from planner.demand.scheduled import PoolReturns, schedule_returns
from planner.report.rows import rest_note
from planner.report.svg.demand_curve import demand_curve
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import DASH, counted, duration

_RETURNS = (
    Column("POOL"),
    Column("FROM"),
    Column("TO"),
    Column("LENT", "GPUs", numeric=True),
    Column("RETURNABLE", "GPUs in time", numeric=True),
    Column("SURGE", "GPUs asked back", numeric=True),
    Column("BACK AFTER", "s", numeric=True),
    Column("SLACK", "s", numeric=True),
    Column("LOST", "GPU-hours", numeric=True, needs_width=110),
    Column("PLANNED RETURN", "GPUs, gone by", needs_width=100),
    Column("WHO LEAVES", "gang: GPUs", grows=True),
)
_LENDABLE = (
    Column("POOL"),
    Column("DEADLINE", "s", numeric=True),
    Column("GRACE", "s", numeric=True),
    Column("BACK IN TIME"),
    Column("LENDABLE", "GPUs, least", numeric=True),
    Column("LENDABLE", "GPUs, most", numeric=True),
    Column("LENDABLE", "GPU-hours", numeric=True),
)
_GAINS = (
    Column("GANG", grows=True),
    Column("POOL"),
    Column("GPUS", "GPUs", numeric=True),
    Column("GRACE", "s now", numeric=True),
    Column("GRACE", "s needed", numeric=True),
    Column("BUYS", "GPU-hours", numeric=True),
)
_WHERE = "returns.csv (-o csv --out DIR)"
_FORECASTS = (
    Column("SERVICE", grows=True),
    Column("FROM"),
    Column("AHEAD"),
    Column("HELD", "model, quantile"),
    Column("STEPS", "not used", numeric=True),
    Column("SHORT", "% (95 % interval)", numeric=True),
    Column("LENT", "% of idle", numeric=True),
    Column("WORST", "GPUs short", numeric=True),
)
_NAMED = 6
"""Gangs named in a cell; all of them are in the files."""


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
        lead=_lead(limits, returns),
        points=tuple(one for one in (advice, _best_gain(returns)) if one),
        figures=figures,
        tables=(
            returns_table(returns, limits, schedule.timezone, limit),
            lendable_gpus_table(limits),
            *((grace_table(returns, limit),) if place != "table" else ()),
            *((forecast_table(limits, limit),) if place != "table" else ()),
        ),
        notes=_notes(limits),
    )


def returns_table(
    returns: Sequence[PoolReturns], limits: LendingLimits, timezone: str, limit: int
) -> Table:
    """Bucket by bucket: lent, returnable within the deadline, slack, and who would leave; only buckets with loans."""
    proof = [one for pool in returns for one in pool.proof if one.lent_gpus]
    spans = list(_spans(proof))
    shown = spans
    if len(spans) > limit:
        tightest = sorted(spans, key=lambda span: _tightness(span[0]))[:limit]
        shown = sorted(tightest, key=lambda span: (span[0].pool, span[0].bucket))
    rows = tuple(_return_row(first, last, limits, timezone) for first, last in shown)
    return Table(
        "Return proof",
        _RETURNS,
        rows,
        empty="Nothing is lent.",
        notes=(
            "Surge: demand at the surge level beyond what the services hold. Slack: deadline less the time until that "
            "is met. Who leaves: the gangs that lose least work and are gone in time.",
            *rest_note(len(shown), len(spans), "spans with loans", _WHERE),
        ),
    )


def lendable_gpus_table(limits: LendingLimits) -> Table:
    """Lendable GPUs at deadlines of 30, 60 and 120 s and grace periods of 5, 15 and 30 s."""
    rows = tuple(
        (
            one.pool,
            f"{one.deadline_s}",
            f"{one.grace_s}",
            "yes" if one.in_time else "no",
            f"{one.least:,}",
            f"{one.most:,}",
            _hours(one.gpu_seconds),
        )
        for one in lendable_table(limits)
    )
    return Table(
        "Lendable GPUs by deadline and grace period",
        _LENDABLE,
        rows,
        notes=(
            f"Back in time: grace period and {limits.overhead_s} s of overhead fit the deadline. Least and most over "
            "the buckets of the horizon.",
        ),
    )


def grace_table(returns: Sequence[PoolReturns], limit: int) -> Table:
    """Which gangs' shorter grace period buys most, each taken alone."""
    gains = [(pool.pool, one) for pool in returns for one in pool.gains if one.gpu_seconds]
    gains.sort(key=lambda pair: (-pair[1].gpu_seconds, pair[1].gang, pair[0]))
    rows = tuple(
        (
            one.gang,
            pool,
            f"{one.gpus:,}",
            f"{one.grace_s:,}",
            f"{one.wanted_grace_s:,}",
            _hours(one.gpu_seconds),
        )
        for pool, one in gains[:limit]
    )
    return Table(
        "Whose shorter grace period buys most",
        _GAINS,
        rows,
        empty="No gang's grace period stands in the way of a loan.",
        notes=rest_note(len(rows), len(gains), "gangs", "grace.csv (-o csv --out DIR)"),
    )


def forecast_table(limits: LendingLimits, limit: int) -> Table:
    """How good each forecast was on days that its margins were not chosen on."""
    rows = [row for one in limits.forecasts for row in _forecast_rows(one)]
    notes = sorted({f"{one.service}: {note}" for one in limits.forecasts for note in one.notes})
    return Table(
        "Forecast of demand",
        _FORECASTS,
        tuple(rows[:limit]),
        empty="No service has a forecast.",
        notes=(
            "Margins chosen on the first two thirds of the history, scored on the rest. Short: demand exceeded what is "
            "held (Wilson's interval). Lent: of what perfect knowledge would lend.",
            *notes,
            *rest_note(len(rows[:limit]), len(rows), "forecasts", "the JSON output"),
        ),
    )


def _forecast_rows(one: ForecastQuality) -> list[tuple[str, ...]]:
    margins = {margin.lead_s: margin for margin in one.margins}
    if not one.judged:
        return [(one.service, one.origin, *(DASH,) * 6)]
    found: list[tuple[str, ...]] = []
    for judged in one.judged:
        margin = margins.get(judged.lead_s)
        held = DASH if margin is None else f"{margin.model}, {margin.quantile:.1%}"
        interval = f"({100 * judged.short_low:.1f} to {100 * judged.short_high:.1f})"
        found.append(
            (
                one.service,
                one.origin,
                duration(judged.lead_s),
                held,
                f"{judged.steps:,}",
                f"{100 * judged.short_steps / judged.steps:.1f} {interval}",
                f"{100 * judged.lent_share:.1f}",
                f"{judged.worst_short_gpus:,}",
            )
        )
    return found


def _lead(limits: LendingLimits, returns: Sequence[PoolReturns]) -> str:
    owned = sum(one.owned_gpus for one in limits.pools)
    hours = sum(
        one.lent_gpus * (limits.edges[one.bucket + 1] - limits.edges[one.bucket])
        for pool in returns
        for one in pool.proof
    )
    begin = f"Services own {counted(owned, 'GPU')}; {_hours(hours)} GPU-hours of them are lent"
    level = f"at a service level of {limits.service_level}" if limits.service_level else ""
    worst = worst_return([one for pool in returns for one in pool.proof])
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
        f"{_hours(best.gpu_seconds)} GPU-hours more could be lent in {pool}."
    )


def _notes(limits: LendingLimits) -> tuple[str, ...]:
    found = [
        "Counted in whole GPUs per pool, not per node: which node a service gets back is the scheduler's choice.",
    ]
    if all(one.upper == one.held for one in limits.demand):
        found.append(
            "The demand has no margin of its own (a profile, announced values, or the pods of now)."
        )
    return tuple(found)


def _spans(proof: Sequence[BucketReturn]) -> Iterator[tuple[BucketReturn, BucketReturn]]:
    """First and last of buckets that follow each other and tell the same; a planned return ends a span."""
    begin = 0
    for place, one in enumerate(proof):
        following = proof[place + 1] if place + 1 < len(proof) else None
        expected = replace(
            one,
            bucket=one.bucket + 1,
            drain_by=following.drain_by if following else None,
            drain_gpus=following.drain_gpus if following else 0,
        )
        if following != expected or one.drain_gpus:
            yield proof[begin], one
            begin = place + 1


def _tightness(one: BucketReturn) -> tuple[Any, ...]:
    return (
        one.slack_s is not None,
        one.slack_s if one.slack_s is not None else -one.short_gpus,
        -one.surge_gpus,
        -one.lent_gpus,
        one.pool,
        one.bucket,
    )


def _return_row(
    one: BucketReturn, last: BucketReturn, limits: LendingLimits, timezone: str
) -> tuple[str, ...]:
    drain = DASH
    if last.drain_by is not None and last.drain_gpus:
        drain = f"{last.drain_gpus:,}, {local_text(last.drain_by, timezone)[11:19]}"
    late = "" if not one.short_gpus else f" ({counted(one.short_gpus, 'GPU')} not in time)"
    return (
        one.pool,
        local_text(limits.edges[one.bucket], timezone)[:16].replace("T", " "),
        local_text(limits.edges[last.bucket + 1], timezone)[11:16],
        f"{one.lent_gpus:,}",
        f"{one.returnable_gpus:,}",
        f"{one.surge_gpus:,}",
        DASH if one.back_after_s is None or not one.surge_gpus else f"{one.back_after_s}",
        DASH if one.slack_s is None else f"{one.slack_s}",
        _hours(one.lost_gpu_seconds),
        drain,
        _leavers(one) + late,
    )


def _leavers(one: BucketReturn) -> str:
    if not one.leavers:
        return DASH
    named = ", ".join(f"{gang}: {gpus:,}" for gang, gpus in one.leavers[:_NAMED])
    more = len(one.leavers) - _NAMED
    return f"{named} and {counted(more, 'more gang')}" if more > 0 else named


def _hours(gpu_seconds: int) -> str:
    return f"{gpu_seconds / 3600:,.1f}"
