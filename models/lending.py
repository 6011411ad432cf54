"""What online services need over time, and what of their GPUs may be lent to batch work.

Produced by the demand side (forecast, margins, service level), consumed by the schedule and checked by the verifier.
All tuples run over the buckets of one :class:`models.horizon.Horizon`.
"""

from __future__ import annotations

from pydantic import Field

from models.part import Part


class DemandCurve(Part):
    """Expected online demand of one service in GPUs per bucket.

    ``held`` are the GPUs kept for it: the forecast at the service level plus margin, at least the guarantee.
    """

    service: str
    pool: str
    forecast: tuple[int, ...]
    held: tuple[int, ...]
    upper: tuple[int, ...] = ()


class PoolLending(Part):
    """Loan limits of the services' GPUs in one pool.

    Attributes
    ----------
    owned_gpus
        GPUs of the pool that the services hold at their peak; batch work gets them as a loan only.
    lendable_gpus
        Per bucket the most GPUs of these that batch work may hold: owned less held.
    slow_gpus
        Per bucket the most that batch pods may hold which do not leave within the deadline (grace plus overhead is
        longer, or they may not be evicted at all); at most ``lendable_gpus``.
    leave_by
        Per bucket the second (epoch) by which GPUs lent in it must be free again so that the next, smaller limit
        holds; None where the limit does not shrink after the bucket.
    """

    pool: str
    owned_gpus: int = Field(ge=0)
    lendable_gpus: tuple[int, ...]
    slow_gpus: tuple[int, ...]
    leave_by: tuple[int | None, ...] = ()


class ForecastMargin(Part):
    """How the margin of one service was chosen for one lead, on a replay of its history.

    Attributes
    ----------
    lead_s
        Seconds ahead for which it was tried; it serves shorter leads too.
    quantile, beyond
        Quantile of demand that is held, and the part by which more than the highest value is.
    reached
        The replay keeps the service level with confidence; otherwise days are few or the level is out of reach.
    steps, short_steps
        Replayed steps, and those in which demand exceeded what was held.
    lent_share
        Lent part of the GPU-hours that were idle.
    """

    lead_s: int
    model: str
    quantile: float
    beyond: float = 0.0
    reached: bool
    steps: int
    short_steps: int
    lent_share: float


class ForecastJudgement(Part):
    """Margins chosen on the first part of the history and scored on the rest, which they never saw.

    ``short_low`` and ``short_high`` are Wilson's 95 % interval of the share of short steps, ``exact_low`` and
    ``exact_high`` Clopper's and Pearson's.
    """

    lead_s: int
    steps: int
    short_steps: int
    short_low: float
    short_high: float
    exact_low: float
    exact_high: float
    lent_share: float
    worst_short_gpus: int


class ForecastQuality(Part):
    """What the demand of one service rests on, and how good its forecast was.

    ``origin`` is ``history``, ``announced``, ``profile`` or ``replicas``; only a history has margins and judgements.
    """

    service: str
    origin: str
    step_s: int = 0
    margins: tuple[ForecastMargin, ...] = ()
    surge_margins: tuple[ForecastMargin, ...] = ()
    judged: tuple[ForecastJudgement, ...] = ()
    notes: tuple[str, ...] = ()


class LendingLimits(Part):
    """Loan limits of all pools with online services.

    Attributes
    ----------
    deadline_s, overhead_s
        Seconds within which lent GPUs must be back when demand exceeds the forecast, and what a return costs beside
        the pods' grace period.
    maximal_grace_s
        Longest grace period of a pod that leaves within the deadline; negative where none can.
    edges
        The horizon's bucket edges for which the tuples hold.
    service_level
        Part of the time in which demand must be met without any return, as a text such as ``99.5%``.
    surge_level
        Part of the time in which demand must be met within the deadline, loans returned.
    """

    deadline_s: int = 30
    overhead_s: int = 1
    maximal_grace_s: int = 29
    edges: tuple[int, ...] = ()
    service_level: str = ""
    pools: tuple[PoolLending, ...] = ()
    demand: tuple[DemandCurve, ...] = ()
    surge_level: str = ""
    forecasts: tuple[ForecastQuality, ...] = ()

    def pool(self, name: str) -> PoolLending | None:
        """Limits of a pool, None where no service runs in it."""
        return next((one for one in self.pools if one.pool == name), None)
