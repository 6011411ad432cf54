"""Everything together: items, classes, rows with their room, and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.encode.prepared import Prepared
from planner.problem.placement import IntArray
from planner.problem.timed import Option, Part, TimedProblem, TimedRow, WorkClass
from planner.schedule.encode.columns import start_table
from planner.schedule.encode.occupancy import Occupancy
from planner.schedule.encode.places import Places
from planner.schedule.encode.queue_room import queue_rooms
from planner.schedule.encode.rows import Rows
from planner.schedule.encode.shares import Shares, share_rule
from planner.schedule.encode.supply import Supply
from planner.schedule.encode.work import WorkItem

ItemOptions = tuple[tuple[Part, ...], ...]
"""Ways to spread one gang's pods over pools."""


@dataclass(frozen=True)
class TimedInput:
    """A timed problem with the values it was made from.

    Attributes
    ----------
    items
        Waiting and carried work; classes refer to them.
    parts
        Per item the ways to spread its pods over pools, in the order of its class's options.
    rooms
        All rows, those that can never bind included; reasons need them.
    uses
        Per item the (row, amount) of each of its options, rows as in ``rooms``.
    """

    prepared: Prepared
    occupancy: Occupancy
    supply: Supply
    items: tuple[WorkItem, ...]
    parts: tuple[ItemOptions, ...]
    problem: TimedProblem
    rooms: Mapping[TimedRow, IntArray]
    uses: tuple[tuple[Mapping[TimedRow, int], ...], ...]


def build_timed(
    prepared: Prepared,
    one: Occupancy,
    have: Supply,
    items: Sequence[WorkItem],
    *,
    earlier: Mapping[str, int],
    missed_returns: int,
) -> TimedInput:
    """The problem of when everything starts.

    Parameters
    ----------
    earlier
        Gang to the bucket in which a previous schedule starts it.
    """
    places = Places(prepared, one)
    shares = Shares(prepared, one, items) if prepared.limits.proportional else None
    parts = [places.options(item) for item in items]
    if shares is None:
        queues = queue_rooms(prepared, one, items)
    else:
        queues = shares.widest_rooms([bool(options) for options in parts])
    rows = Rows(prepared, one, have, places, queues)
    uses = tuple(
        tuple(rows.use(item, option) for option in options)
        for item, options in zip(items, parts, strict=True)
    )
    listed = list(dict.fromkeys(row for options in uses for use in options for row in use))
    rooms = rows.rooms(listed)
    binding = _binding(listed, rooms, uses, shares)
    number = {row: index for index, row in enumerate(binding)}
    room = np.array([rooms[listed.index(row)] for row in binding], dtype=np.int64)
    room = room.reshape(len(binding), one.horizon.count)
    asked = [()] * len(items) if shares is None else _asked(shares)
    classes = _classes(items, parts, uses, number, asked)
    problem = TimedProblem(
        horizon=one.horizon,
        pools=one.pools,
        rows=tuple(binding),
        room=room,
        classes=classes,
        starts=start_table(classes, one.horizon, room),
        order=_order(prepared, classes),
        earlier=_earlier(items, classes, earlier),
        missed_returns=missed_returns,
        shares=None if shares is None else share_rule(shares, classes, binding),
    )
    together = dict(zip(listed, rooms, strict=True))
    return TimedInput(prepared, one, have, tuple(items), tuple(parts), problem, together, uses)


def _binding(
    rows: Sequence[TimedRow],
    rooms: IntArray,
    uses: Sequence[Sequence[Mapping[TimedRow, int]]],
    shares: Shares | None,
) -> list[TimedRow]:
    """Rows that all work together could fill in some bucket, and shares, whose room may be less than the widest."""
    most: dict[TimedRow, int] = {}
    for options in uses:
        largest: dict[TimedRow, int] = {}
        for use in options:
            for row, amount in use.items():
                largest[row] = max(largest.get(row, 0), amount)
        for row, amount in largest.items():
            most[row] = most.get(row, 0) + amount
    return [
        row
        for row, room in zip(rows, rooms, strict=True)
        if int(room.min()) < most.get(row, 0) or (shares is not None and row.kind == "queue")
    ]


def _classes(
    items: Sequence[WorkItem],
    parts: Sequence[ItemOptions],
    uses: Sequence[Sequence[Mapping[TimedRow, int]]],
    number: Mapping[TimedRow, int],
    asked: Sequence[tuple[object, ...]],
) -> tuple[WorkClass, ...]:
    groups: dict[tuple[object, ...], list[int]] = {}
    options_of: dict[tuple[object, ...], tuple[Option, ...]] = {}
    for index, item in enumerate(items):
        if not uses[index]:
            continue
        options = tuple(
            Option(
                pools=tuple(sorted({part.pool for part in option})),
                use=tuple(sorted((number[row], n) for row, n in use.items() if row in number)),
            )
            for option, use in zip(parts[index], uses[index], strict=True)
        )
        alone = index if item.demand < 0 else -1
        key = (item.tier_class, item.rank, options, *_times(item), *asked[index], alone)
        groups.setdefault(key, []).append(index)
        options_of[key] = options
    found = []
    for key, members in groups.items():
        members.sort(key=lambda i: (items[i].gang.created, items[i].gang.full_name))
        first = items[members[0]]
        found.append(
            WorkClass(
                items=tuple(members),
                options=options_of[key],
                gpus=first.gpus,
                duration_s=first.work_s,
                earliest_s=first.earliest_s,
                deadline_s=first.deadline_s,
                sla_s=first.sla_s,
                stoppable=first.stoppable,
                interval_s=first.interval_s,
                restart_s=first.restart_s,
                tier_class=first.tier_class,
                rank=first.rank,
            )
        )
    return tuple(found)


def _times(item: WorkItem) -> tuple[object, ...]:
    saving = (item.interval_s, item.restart_s) if item.stoppable else ()
    return (
        item.gpus,
        item.work_s,
        item.earliest_s,
        item.deadline_s,
        item.sla_s,
        item.stoppable,
        *saving,
    )


def _asked(shares: Shares) -> list[tuple[object, ...]]:
    """Per item what tells its gang from others for the shares of the queues."""
    pairs = zip(shares.queue_of, shares.requests.whole, strict=True)
    return [(queue, whole.tobytes()) for queue, whole in pairs]


def _order(prepared: Prepared, classes: Sequence[WorkClass]) -> tuple[tuple[str, int], ...]:
    """(class, rank) in tier order; with the scope ``cluster`` ranks come before classes."""
    cluster = prepared.policy.policy.priority_scope == "cluster"
    late = {"covered": 0, "all": 0, "rest": 1}

    def place(one: tuple[str, int]) -> tuple[int, int]:
        side = late.get(one[0], 1)
        return (one[1], side) if cluster else (side, one[1])

    return tuple(sorted({(one.tier_class, one.rank) for one in classes}, key=place))


def _earlier(
    items: Sequence[WorkItem], classes: Sequence[WorkClass], earlier: Mapping[str, int]
) -> tuple[tuple[int, int, int], ...]:
    """(class, bucket, gangs) that a previous schedule starts there."""
    found: dict[tuple[int, int], int] = {}
    for number, one in enumerate(classes):
        for index in one.items:
            bucket = earlier.get(items[index].gang.full_name)
            if bucket is not None:
                found[number, bucket] = found.get((number, bucket), 0) + 1
    return tuple((number, bucket, count) for (number, bucket), count in sorted(found.items()))
