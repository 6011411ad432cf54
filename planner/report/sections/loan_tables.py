"""Tables about loans: the return proof, lendable GPUs, whose grace buys most, and how good the forecast was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from models.lending import ForecastQuality, LendingLimits
from models.moments import local_text
from models.schedule import Schedule
from planner.demand.grace import lendable_table
from planner.demand.returns import BucketReturn
from planner.demand.scheduled import PoolReturns
from planner.report.rows import rest_note
from planner.report.tables import Column, Table
from planner.report.text import DASH, counted, duration

_WHERE = "returns.csv (-o csv --out DIR)"
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
_MISSED = (
    Column("SERVICE", grows=True),
    Column("POOL"),
    Column("MISSING", "GPUs", numeric=True),
    Column("DUE"),
    Column("BACK"),
    Column("LACKS", "GPU-hours", numeric=True),
    Column("WHY", grows=True),
)
_NAMED = 6
"""Gangs named in a cell; all of them are in the files."""


def missed_table(schedule: Schedule) -> Table:
    """What services lack, what is due first first; every row."""
    return Table(
        "Returns that are missed",
        _MISSED,
        tuple(
            (
                one.service or DASH,
                one.pool,
                f"{one.gpus:,}",
                one.due_at[:16].replace("T", " "),
                one.back_at[:16].replace("T", " ") if one.back_at else "not within the horizon",
                hours_text(one.gpu_seconds),
                one.cause,
            )
            for one in schedule.missed_returns
        ),
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
            hours_text(one.gpu_seconds),
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
            hours_text(one.gpu_seconds),
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
        hours_text(one.lost_gpu_seconds),
        drain,
        _leavers(one) + late,
    )


def _leavers(one: BucketReturn) -> str:
    if not one.leavers:
        return DASH
    named = ", ".join(f"{gang}: {gpus:,}" for gang, gpus in one.leavers[:_NAMED])
    more = len(one.leavers) - _NAMED
    return f"{named} and {counted(more, 'more gang')}" if more > 0 else named


def hours_text(gpu_seconds: int) -> str:
    """GPU-seconds as GPU-hours with one decimal."""
    return f"{gpu_seconds / 3600:,.1f}"
