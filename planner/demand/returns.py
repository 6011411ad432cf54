"""The proof that loans come back: bucket by bucket what is lent, what is back within the deadline, and who leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from models.lending import LendingLimits, PoolLending
from planner.demand.occupants import Occupant, cheapest_leavers


@dataclass(frozen=True, slots=True)
class BucketReturn:
    """Loans of one pool in one bucket.

    Attributes
    ----------
    lent_gpus
        GPUs that batch work holds of the services'.
    returnable_gpus
        The part that is back within the deadline, whatever happens.
    surge_gpus
        GPUs that a surge asks back: demand at the surge level beyond what is left to the services.
    back_after_s
        Seconds until the surge is met, overhead included; None where it is not met within the deadline.
    slack_s
        Deadline less that; None where it is not met.
    leavers
        Gangs that would leave, and their GPUs.
    lost_gpu_seconds
        GPU-seconds of work lost by that.
    short_gpus
        GPUs of the surge that are not back within the deadline; 0 unless the limits are broken.
    drain_by
        Second by which loans beyond the next bucket's limit must be gone; None where it is no smaller.
    drain_gpus
        How many GPUs that are.
    """

    pool: str
    bucket: int
    lent_gpus: int
    returnable_gpus: int
    surge_gpus: int
    back_after_s: int | None
    slack_s: int | None
    leavers: tuple[tuple[str, int], ...]
    lost_gpu_seconds: int
    short_gpus: int
    drain_by: int | None
    drain_gpus: int


def return_proof(
    limits: LendingLimits,
    pool: str,
    occupants: Sequence[Sequence[Occupant]],
    lent: Sequence[int] | None = None,
) -> tuple[BucketReturn, ...]:
    """Proof for one pool.

    Parameters
    ----------
    occupants
        Per bucket the gangs that may leave for the services.
    lent
        Per bucket the lent GPUs, where the gangs hold others of the pool too; None: all that they hold.

    Raises
    ------
    ValueError
        The pool has no limits, or the buckets do not match them.
    """
    lending = limits.pool(pool)
    if lending is None or len(occupants) != len(lending.lendable_gpus):
        raise ValueError(f"no limits of pool {pool!r} for {len(occupants)} buckets")
    upper = surge_demand(limits, pool)
    held = [sum(one.gpus for one in inside) for inside in occupants] if lent is None else lent
    return tuple(
        _bucket(limits, lending, place, upper[place], inside, held[place])
        for place, inside in enumerate(occupants)
    )


def surge_demand(limits: LendingLimits, pool: str) -> tuple[int, ...]:
    """Demand at the surge level per bucket in GPUs, all services of the pool together."""
    curves = [one.upper or one.held for one in limits.demand if one.pool == pool]
    return tuple(sum(values) for values in zip(*curves, strict=True))


def worst_return(proof: Sequence[BucketReturn]) -> BucketReturn | None:
    """The bucket with the least slack (unmet surges first, then most GPUs asked back); None without loans."""
    lent = [one for one in proof if one.lent_gpus]
    return min(
        lent,
        key=lambda one: (
            one.slack_s is not None,
            one.slack_s if one.slack_s is not None else -one.short_gpus,
            -one.surge_gpus,
            one.bucket,
        ),
        default=None,
    )


def _bucket(
    limits: LendingLimits,
    lending: PoolLending,
    place: int,
    upper: int,
    occupants: Sequence[Occupant],
    lent: int,
) -> BucketReturn:
    able = sum(one.gpus for one in occupants if one.leaves_within(limits.maximal_grace_s))
    surge = max(0, min(upper, lending.owned_gpus) - (lending.owned_gpus - lent))
    leavers = cheapest_leavers(occupants, surge, maximal_grace_s=limits.maximal_grace_s)
    back = sum(one.gpus for one in leavers)
    met = back >= surge
    after = max((one.grace_s for one in leavers), default=-limits.overhead_s) + limits.overhead_s
    by = lending.leave_by[place] if lending.leave_by else None
    following = lending.lendable_gpus[place + 1 : place + 2]
    return BucketReturn(
        pool=lending.pool,
        bucket=place,
        lent_gpus=lent,
        returnable_gpus=min(able, lent),
        surge_gpus=surge,
        back_after_s=after if met else None,
        slack_s=limits.deadline_s - after if met else None,
        leavers=tuple((one.gang, one.gpus) for one in leavers),
        lost_gpu_seconds=sum(one.lost_gpu_seconds for one in leavers),
        short_gpus=max(0, surge - back),
        drain_by=by,
        drain_gpus=max(0, lent - following[0]) if by is not None and following else 0,
    )


def lendable_gpu_seconds(lending: PoolLending, edges: Sequence[int], *, quick: bool) -> int:
    """GPU-seconds of the horizon that may be lent to pods that leave in time (``quick``), or to any."""
    gpus = lending.lendable_gpus if quick else lending.slow_gpus
    lengths = (end - begin for begin, end in pairwise(edges))
    return sum(amount * length for amount, length in zip(gpus, lengths, strict=True))
