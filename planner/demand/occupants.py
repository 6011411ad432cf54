"""Batch pods on lent GPUs, as the return proof sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Occupant:
    """A gang's part of the lent GPUs of one pool in one bucket.

    Attributes
    ----------
    gang
        ``namespace/name``.
    gpus
        Lent GPUs that it holds.
    grace_s
        Longest grace period of its pods, in seconds.
    lost_gpu_seconds
        GPU-seconds of work lost if all of it has to leave within this bucket.
    evictable
        It may be evicted at all.
    """

    gang: str
    gpus: int
    grace_s: int
    lost_gpu_seconds: int = 0
    evictable: bool = True

    def leaves_within(self, grace_s: int) -> bool:
        """Whether it is gone after a grace period of so many seconds."""
        return self.evictable and self.grace_s <= grace_s


def cheapest_leavers(
    occupants: Sequence[Occupant], gpus: int, *, maximal_grace_s: int
) -> tuple[Occupant, ...]:
    """Who leaves so that at least so many GPUs are back in time: the least work lost, then the fewest GPUs, exactly.

    A gang leaves whole. All that can leave in time do where that is not enough. Ties go to the larger gang, then by
    name.
    """
    able = sorted(
        (one for one in occupants if one.leaves_within(maximal_grace_s) and one.gpus > 0),
        key=lambda one: (-one.gpus, one.gang),
    )
    if gpus <= 0:
        return ()
    if sum(one.gpus for one in able) <= gpus:
        return tuple(able)
    return tuple(able[place] for place in _cover(able, gpus))


def _cover(able: Sequence[Occupant], gpus: int) -> list[int]:
    """Covering knapsack by dynamic programming over the GPUs still wanted; earlier gangs win ties."""
    scale = sum(one.gpus for one in able) + 1
    never = np.iinfo(np.int64).max // 2
    cost = np.full(gpus + 1, never, dtype=np.int64)
    cost[0] = 0
    chosen = np.zeros((len(able), gpus + 1), dtype=np.bool_)
    wanted = np.arange(gpus + 1)
    for place, one in enumerate(able):
        # Losses beyond 2^40 GPU-seconds (30,000 GPU-years) count as that, so that sums stay exact.
        lost = min(one.lost_gpu_seconds, 1 << 40)
        with_it = cost[np.maximum(wanted - one.gpus, 0)] + lost * scale + one.gpus
        with_it[0] = never
        chosen[place] = with_it < cost
        cost = np.minimum(cost, with_it)
    found, left = [], gpus
    for place in range(len(able) - 1, -1, -1):
        if chosen[place, left]:
            found.append(place)
            left = max(0, left - able[place].gpus)
    return found[::-1]
