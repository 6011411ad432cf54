"""Loans over time: demand, limits, the return proof, and what deadlines and grace periods decide."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from models.lending import LendingLimits
from models.moments import local_text
from models.schedule import Schedule
from planner.demand.grace import lendable_table
from planner.demand.scheduled import PoolReturns, schedule_returns
from planner.report.frames.build import frame_of

DEMAND = {"pool": "object", "service": "object", "from": "object", "to": "object"}
LIMITS = {"pool": "object", "from": "object", "to": "object", "leave_by": "object"}
RETURNS = {
    "pool": "object", "from": "object", "to": "object", "leavers": "object", "drain_by": "object"
}  # fmt: skip
LENDABLE = {"pool": "object", "in_time": "boolean"}
GAINS = {"pool": "object", "gang": "object"}


def lending_frames(schedule: Schedule) -> dict[str, pd.DataFrame]:
    """File stem to frame, for the CSV set of a schedule; empty where no loan limits are known."""
    limits, timezone = schedule.lending, schedule.timezone
    if limits is None:
        return {}
    returns = schedule_returns(schedule)
    return {
        "demand": demand_frame(limits, timezone),
        "lending": limits_frame(limits, timezone),
        "returns": returns_frame(returns, limits, timezone),
        "lendable": lendable_frame(limits),
        "grace": grace_gains_frame(returns),
    }


def demand_frame(limits: LendingLimits, timezone: str) -> pd.DataFrame:
    """One row per pool, service and bucket, in GPUs: forecast (median), held, surge."""
    spans = _spans(limits, timezone)
    rows = [
        {
            "pool": one.pool,
            "service": one.service,
            "from": begin,
            "to": end,
            "forecast_gpus": one.forecast[place],
            "held_gpus": one.held[place],
            "surge_gpus": (one.upper or one.held)[place],
        }
        for one in limits.demand
        for place, (begin, end) in enumerate(spans)
    ]
    return frame_of(rows, DEMAND, ("forecast_gpus", "held_gpus", "surge_gpus"))


def limits_frame(limits: LendingLimits, timezone: str) -> pd.DataFrame:
    """One row per pool and bucket, in GPUs; ``leave_by`` empty where the next limit is no smaller."""
    spans = _spans(limits, timezone)
    rows = [
        {
            "pool": one.pool,
            "from": begin,
            "to": end,
            "owned_gpus": one.owned_gpus,
            "lendable_gpus": one.lendable_gpus[place],
            "slow_gpus": one.slow_gpus[place],
            "leave_by": _moment(one.leave_by[place] if one.leave_by else None, timezone),
        }
        for one in limits.pools
        for place, (begin, end) in enumerate(spans)
    ]
    return frame_of(rows, LIMITS, ("owned_gpus", "lendable_gpus", "slow_gpus"))


def returns_frame(
    returns: tuple[PoolReturns, ...], limits: LendingLimits, timezone: str
) -> pd.DataFrame:
    """The proof, one row per pool and bucket; ``slack_s`` missing where a surge is not met within the deadline."""
    spans = _spans(limits, timezone)
    rows = [
        {
            "pool": one.pool,
            "from": spans[one.bucket][0],
            "to": spans[one.bucket][1],
            "lent_gpus": one.lent_gpus,
            "returnable_gpus": one.returnable_gpus,
            "surge_gpus": one.surge_gpus,
            "back_after_s": one.back_after_s,
            "slack_s": one.slack_s,
            "short_gpus": one.short_gpus,
            "leavers": " ".join(f"{gang}:{gpus}" for gang, gpus in one.leavers),
            "lost_gpu_seconds": one.lost_gpu_seconds,
            "drain_by": _moment(one.drain_by, timezone),
            "drain_gpus": one.drain_gpus,
        }
        for pool in returns
        for one in pool.proof
    ]
    numbers = ("lent_gpus", "returnable_gpus", "surge_gpus", "back_after_s", "slack_s")
    return frame_of(rows, RETURNS, (*numbers, "short_gpus", "lost_gpu_seconds", "drain_gpus"))


def lendable_frame(limits: LendingLimits) -> pd.DataFrame:
    """Lendable GPUs at deadlines of 30, 60 and 120 s and grace periods of 5, 15 and 30 s."""
    rows = [
        {
            "pool": one.pool,
            "deadline_s": one.deadline_s,
            "grace_s": one.grace_s,
            "in_time": one.in_time,
            "least_gpus": one.least,
            "most_gpus": one.most,
            "gpu_seconds": one.gpu_seconds,
        }
        for one in lendable_table(limits)
    ]
    return frame_of(
        rows, LENDABLE, ("deadline_s", "grace_s", "least_gpus", "most_gpus", "gpu_seconds")
    )


def grace_gains_frame(returns: tuple[PoolReturns, ...]) -> pd.DataFrame:
    """Gangs whose pods leave too slowly, per pool the one whose shorter grace buys most first."""
    rows = [
        {
            "pool": pool.pool,
            "gang": one.gang,
            "gpus": one.gpus,
            "grace_s": one.grace_s,
            "wanted_grace_s": one.wanted_grace_s,
            "gpu_seconds": one.gpu_seconds,
        }
        for pool in returns
        for one in pool.gains
    ]
    return frame_of(rows, GAINS, ("gpus", "grace_s", "wanted_grace_s", "gpu_seconds"))


def _spans(limits: LendingLimits, timezone: str) -> list[tuple[str, str]]:
    texts = [local_text(edge, timezone) for edge in limits.edges]
    return list(pairwise(texts))


def _moment(second: int | None, timezone: str) -> str:
    return "" if second is None else local_text(second, timezone)
