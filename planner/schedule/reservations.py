"""Starts that are reserved for large gangs, and who runs before them without delaying them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from models.schedule import MOST_BACKFILLED, Reservation, ScheduledGang

RESERVED_GPUS = 2
"""Gangs of at least so many GPUs that start later are told with who runs before them on their pool's GPUs."""
Place = tuple[str, int]


def reservations(
    gangs: Sequence[ScheduledGang], order: Mapping[Place, int]
) -> tuple[Reservation, ...]:
    """Large gangs that start later, and lower ranks that run in their pools and end before they start.

    Parameters
    ----------
    order
        Position of every class and rank.
    """
    pools = _Pools(gangs, order)
    found = []
    for gang in gangs:
        if gang.status != "starts" or gang.gpus < RESERVED_GPUS or not gang.tier_class:
            continue
        first = gang.runs[0]
        if first.start_bucket == 0:
            continue
        before = pools.before(first.pool, first.start_bucket, order[gang.tier_class, gang.rank])
        if before.size:
            found.append(
                Reservation(
                    gang=gang.full_name,
                    pool=first.pool,
                    starts_at=gang.starts_at or "",
                    gpus=gang.gpus,
                    backfilled_gangs=int(before.size),
                    backfilled=tuple(gangs[int(n)].full_name for n in before[:MOST_BACKFILLED]),
                )
            )
    return tuple(found)


class _Pools:
    """Runs of every pool in columns: gang, end, position of its rank."""

    def __init__(self, gangs: Sequence[ScheduledGang], order: Mapping[Place, int]) -> None:
        rows: dict[str, list[tuple[int, int, int]]] = {}
        for number, gang in enumerate(gangs):
            place = order.get((gang.tier_class, gang.rank))
            if gang.status == "starts" and place is not None:
                for run in gang.runs:
                    rows.setdefault(run.pool, []).append((number, run.end_bucket, place))
        self._columns = {pool: np.array(some, dtype=np.int64).T for pool, some in rows.items()}

    def before(
        self, pool: str, bucket: int, place: int
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Gangs of later ranks with a run in the pool that has ended by a bucket, each once."""
        numbers, ends, places = self._columns[pool]
        found: np.ndarray[tuple[int], np.dtype[np.int64]] = np.unique(
            numbers[(ends <= bucket) & (places > place)]
        )
        return found
