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
    """

    deadline_s: int = 30
    overhead_s: int = 1
    maximal_grace_s: int = 29
    edges: tuple[int, ...] = ()
    service_level: str = ""
    pools: tuple[PoolLending, ...] = ()
    demand: tuple[DemandCurve, ...] = ()

    def pool(self, name: str) -> PoolLending | None:
        """Limits of a pool, None where no service runs in it."""
        return next((one for one in self.pools if one.pool == name), None)
