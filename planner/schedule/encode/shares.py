"""Limits of queues over time under ``proportion``: the weighted water filling over what is asked for in each bucket.

What is asked for depends on the gangs that have ended before (:mod:`planner.schedule.encode.requests`), so a limit is a
function of them: it grows with what its queue asks for and shrinks with what others do. A gang has to keep the limit in
every bucket in which it starts or goes on after a stop; what runs already may stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.resources import Resources
from planner.encode.prepared import Prepared
from planner.encode.water_filling import Claim, water_filling, whole_limit
from planner.problem.placement import IntArray
from planner.problem.timed import TimedRow, WorkClass
from planner.schedule.encode.occupancy import Occupancy
from planner.schedule.encode.queue_room import queue_use
from planner.schedule.encode.requests import QueueRequests, queue_requests
from planner.schedule.encode.work import WorkItem

MOST_FILLINGS = 2_000
"""Fillings from which bounds take what a queue asks for in place of its largest share."""


class Shares:
    """Limits of all queues from what each asks for, in one bucket."""

    def __init__(self, prepared: Prepared, one: Occupancy, items: Sequence[WorkItem]) -> None:
        limits = prepared.limits
        self.names = one.names[:-1]
        self.requests: QueueRequests = queue_requests(prepared, one, items)
        self.queue_of = tuple(item.gang.queue for item in items)
        owners = {*self.requests.steady, *self.queue_of}
        self.listed = tuple(
            n for n in sorted(owners) if n in limits.queues and not limits.queues[n].implicit
        )
        self._claims = tuple(
            Claim(
                name=name,
                weight=limits.queues[name].weight,
                request={},
                ceiling={
                    d: amount for d in self.names if (amount := limits.ceiling(name, d)) is not None
                },
                guarantee=limits.queues[name].guarantee,
            )
            for name in self.listed
        )
        self._total = {name: limits.total.amount(name) for name in self.names}
        self.now = {
            (name, d): amount
            for name in self.listed
            for d in self.names
            if d in limits.total and (amount := limits.limit(name, d)) is not None
        }
        shape = (one.horizon.count, len(one.names))
        steady = self.requests.steady
        self.steady = np.array(
            [steady.get(n, np.zeros(shape, dtype=np.int64)) for n in self.listed], dtype=np.int64
        ).reshape(len(self.listed), *shape)
        self.use = {name: queue_use(prepared, one, name) for name in set(self.queue_of)}
        self._known: dict[bytes, dict[tuple[str, str], int]] = {}

    def limits(self, asked: IntArray) -> Mapping[tuple[str, str], int]:
        """(queue, dimension) to its limit; ``asked`` is ``[listed queues, dimensions]``."""
        key = asked.tobytes()
        if key not in self._known:
            claims = [
                Claim(
                    claim.name,
                    claim.weight,
                    Resources({d: int(row[i]) for i, d in enumerate(self.names)}).without_zeros(),
                    claim.ceiling,
                    claim.guarantee,
                )
                for claim, row in zip(self._claims, asked, strict=True)
            ]
            shares = water_filling(self._total, claims)
            self._known[key] = {
                (name, d): whole_limit(amount)
                for name, share in shares.items()
                for d, amount in share.items()
            }
        return self._known[key]

    def widest_rooms(self, able: Sequence[bool]) -> dict[TimedRow, IntArray]:
        """Per queue and dimension the room that no schedule exceeds in a bucket.

        A queue has most where nothing of it has ended and all that can have ended of the others has. What starts in a
        bucket may stay, so the room of a later one is that of any bucket before it. ``able`` tells the items that fit
        somewhere; others ask for nothing.
        """
        count = self.steady.shape[1]
        own, others = self.steady.copy(), self.steady.copy()
        number = {name: place for place, name in enumerate(self.listed)}
        for item, queue in enumerate(self.queue_of):
            place = number.get(queue)
            if place is not None and able[item]:
                first, end = self.requests.first[item], self.requests.earliest_end[item]
                own[place, first:] += self.requests.whole[item]
                others[place, first:end] += self.requests.whole[item]
        wanted = sorted(set(self.queue_of) & set(self.listed))
        exact = len(wanted) * count <= MOST_FILLINGS
        found: dict[TimedRow, IntArray] = {}
        for name in wanted:
            place = number[name]
            for bucket in range(count):
                asked = others[:, bucket].copy()
                asked[place] = own[place, bucket]
                if bucket == 0:
                    limits: Mapping[tuple[str, str], int] = self.now
                elif exact:
                    limits = self.limits(asked)
                else:
                    limits = self._most(name, place, asked)
                for column, dimension in enumerate(self.names):
                    if (name, dimension) in limits:
                        row = TimedRow("queue", name, dimension)
                        line = found.setdefault(row, np.zeros(count, dtype=np.int64))
                        room = limits[name, dimension] - int(self.use[name][bucket, column])
                        line[bucket] = max(room, 0)
        return {row: np.maximum.accumulate(line) for row, line in found.items()}

    def _most(self, name: str, place: int, asked: IntArray) -> dict[tuple[str, str], int]:
        claim = self._claims[place]
        return {
            (name, d): max(
                min(int(asked[place, i]), claim.ceiling.get(d, 0)), claim.guarantee.get(d, 0)
            )
            for i, d in enumerate(self.names)
        }


@dataclass(frozen=True)
class ShareRule:
    """Rooms of the rows of queues in a bucket, from the gangs of each class that have ended before it.

    Attributes
    ----------
    rows
        Rows of a problem that are shares, with their queue and dimension.
    classes
        Per work class its queue, what one gang of it asks for, and the first bucket in which it does.
    sizes
        Gangs per class.
    """

    shares: Shares
    rows: Mapping[int, tuple[str, str]]
    classes: tuple[tuple[str, IntArray, int], ...]
    sizes: tuple[int, ...]

    def room(self, bucket: int, ended: Mapping[int, int]) -> dict[int, int]:
        """Row to what scheduled gangs may use in a bucket in which one of them starts."""
        limits = self.limits(bucket, ended)
        found = {}
        for row, (queue, dimension) in self.rows.items():
            column = self.shares.names.index(dimension)
            limit = limits.get((queue, dimension))
            if limit is not None:
                found[row] = max(limit - int(self.shares.use[queue][bucket, column]), 0)
        return found

    def limits(self, bucket: int, ended: Mapping[int, int]) -> Mapping[tuple[str, str], int]:
        """Limits of all queues in a bucket; in the first one those of now, which count every pod that exists."""
        if bucket == 0:
            return self.shares.now
        asked = self.shares.steady[:, bucket].copy()
        for number, (queue, whole, first) in enumerate(self.classes):
            if first <= bucket and queue in self.shares.listed:
                left = self.sizes[number] - ended.get(number, 0)
                asked[self.shares.listed.index(queue)] += whole * left
        return self.shares.limits(np.maximum(asked, 0))


def share_rule(shares: Shares, classes: Sequence[WorkClass], rows: Sequence[TimedRow]) -> ShareRule:
    """The rule in the numbers of a problem; gangs of a class ask for the same."""
    requests = shares.requests
    return ShareRule(
        shares=shares,
        rows={
            number: (row.subject, row.detail)
            for number, row in enumerate(rows)
            if row.kind == "queue"
        },
        classes=tuple(
            (
                shares.queue_of[one.items[0]],
                requests.whole[one.items[0]],
                requests.first[one.items[0]],
            )
            for one in classes
        ),
        sizes=tuple(one.size for one in classes),
    )
