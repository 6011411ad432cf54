"""Nodes as some reason looks at them: with this room, open to these pods; and what fits there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from models.cards.kinds import VGPU_CORES, VGPU_MEMORY, VGPU_PERCENT
from planner.capacity.cards.card_room import CardRoom
from planner.capacity.fit import Placed, Room
from planner.capacity.fits_alone import ExactFit, quick_fit, try_place
from planner.encode.cards.card_table import within_cards
from planner.encode.prepared import NO_LIMIT
from planner.explain.parts import (
    Part,
    parts_of,
    question_key,
    rigid_counts,
    supply,
    without_topology,
)
from planner.explain.shape_room import ShapeRoom, shape_room
from planner.problem.placement import BoolArray, Demand, IntArray, PlacementProblem

PER_CARD = frozenset({VGPU_MEMORY, VGPU_CORES, VGPU_PERCENT})
RICH_NODES = 64
"""Nodes with most room for a shape that are tried before all nodes."""


@dataclass(frozen=True)
class Search:
    """How to settle what counting leaves open, and until when."""

    exact: ExactFit | None = None
    deadline: Callable[[], bool] = lambda: False


class Ground:
    """Room on nodes, the nodes that are open to each shape, and room in queues (none given = no limits).

    Shared cards are the problem's where none are given.

    Counts are kept per shape, answers per kind of gang, until room is given back.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        free: IntArray,
        admits: BoolArray,
        queues: Mapping[int, IntArray] | None = None,
        search: Search | None = None,
        cards: CardRoom | None = None,
    ) -> None:
        self.problem = replace(problem, admits=admits)
        self._room = Room(self.problem, free)
        if cards is not None:
            self._room.cards = cards.copy()
        for queue, room in self._room.queues.items():
            room[:] = NO_LIMIT if queues is None else queues[queue]
        self._limited = queues is not None
        self._search = search or Search()
        self._forget()

    def sharing(self, places: Iterable[int]) -> Ground:
        """The same nodes, of whose domains only these rooms (by their place) are shared, and without any spread."""
        kept = tuple(self.problem.domain_rooms[place] for place in places)
        problem = replace(self.problem, domain_rooms=kept, spreads=())
        queues = self._room.queues if self._limited else None
        room = self._room
        return Ground(problem, room.free, problem.admits, queues, self._search, room.cards)

    def _forget(self) -> None:
        self._shown: IntArray | None = None
        self._totals: dict[int, int] = {}
        self._rich: dict[int, list[int]] = {}
        self._rooms: dict[int, ShapeRoom] = {}
        self._sums: dict[tuple[tuple[int, ...], int], tuple[int, int]] = {}
        self._answers: dict[tuple[object, ...], bool | None] = {}

    @property
    def free(self) -> IntArray:
        """``[nodes, dimensions]`` room; of card resources what the cards have left."""
        cards = self._room.cards
        if cards is None:
            return self._room.free
        if self._shown is None:
            left = cards.left()
            self._shown = within_cards(left, self.problem.dimensions, self._room.free)
        return self._shown

    @property
    def queues(self) -> Mapping[int, IntArray]:
        """Room per queue, -1 = without limit."""
        return self._room.queues

    def give_back(
        self, placed: Iterable[Placed], charges: Iterable[tuple[tuple[int, ...], IntArray]]
    ) -> None:
        """Return the room of pods on their nodes, and (queues, sum of requests) to the queues."""
        self._room.undo(list(placed))
        for queues, request in charges:
            for queue in queues:
                room = self._room.queues[queue]
                room[room >= 0] += request[room >= 0]
        self._forget()

    def take(
        self, placed: Iterable[Placed], charges: Iterable[tuple[tuple[int, ...], IntArray]]
    ) -> None:
        """Take the room of pods on their nodes, and (queues, sum of requests) from the queues."""
        self._room.take(list(placed))
        for queues, request in charges:
            for queue in queues:
                room = self._room.queues[queue]
                room[room >= 0] -= np.minimum(request, room)[room >= 0]
        self._forget()

    def per_node(self, shape: int) -> IntArray:
        """Pods of a shape that fit on each node."""
        return self._room.counts(shape)

    def pods(self, shape: int) -> int:
        """Pods of a shape that fit on all nodes."""
        if shape not in self._totals:
            self._totals[shape] = int(self.per_node(shape).sum())
        return self._totals[shape]

    def most(self, demand: Demand, part: Part) -> int:
        """Upper bound on the pods of a part that fit, exact where it is one item."""
        return sum(
            min(self.pods(demand.items[item].shape), supply(demand, item)) for item in part.items
        )

    def short_parts(self, demand: Demand) -> tuple[Part, ...]:
        """Parts that do not fit even without the rest of the gang."""
        return tuple(one for one in parts_of(demand) if self.most(demand, one) < one.need)

    def needs(self, demand: Demand) -> tuple[int, ...]:
        """Per dimension the least that its minimum takes of nodes: of vGPUs the sum over the cards of a pod."""
        table = self.problem.cards
        if table is None:
            return demand.minimum
        cards = max(1, min(int(table.count[item.shape]) for item in demand.items))
        named = zip(self.problem.dimensions, demand.minimum, strict=True)
        return tuple(amount * cards if name in PER_CARD else amount for name, amount in named)

    def open_sum(self, demand: Demand, items: Iterable[int], dimension: int) -> tuple[int, int]:
        """Free amount of a dimension on the nodes open to items that ask for it, and how many nodes these are."""
        asked = {demand.items[item].shape for item in items}
        shapes = tuple(sorted(shape for shape in asked if self.problem.requests[shape, dimension]))
        key = (shapes, dimension)
        if key not in self._sums:
            nodes = self.problem.admits[list(shapes)].any(axis=0)
            self._sums[key] = (int(self.free[nodes, dimension].sum()), int(nodes.sum()))
        return self._sums[key]

    def fits(self, demand: Demand) -> bool | None:
        """Whether the gang's minimum fits here; None where neither counting nor a search settles it."""
        key = (question_key(demand), demand.queue_chain if self._limited else ())
        if key not in self._answers:
            self._answers[key] = self._fits(demand)
        return self._answers[key]

    def within_limits(self, demand: Demand) -> bool:
        """Whether the least that the gang requests is within the queues' room, dimension by dimension."""
        return self._room.queues_admit(demand, np.array(demand.minimum, dtype=np.int64))

    def _fits(self, demand: Demand) -> bool | None:
        if self._limited and not self.within_limits(demand):
            return False
        anywhere = without_topology(demand)
        if anywhere is not demand:
            return False if self.fits(anywhere) is False else self._fits_in_domains(demand)
        if self.short_parts(demand):
            return False
        if demand.simple:
            return True
        if self._sums_too_small(demand):
            return False
        if self._place(demand):
            return True
        search = self._search
        if search.exact is None or search.deadline():
            return None
        return search.exact(self.problem, demand, self._room) is not None

    def _fits_in_domains(self, demand: Demand) -> bool | None:
        verdict = quick_fit(self.problem, demand, self._room)
        search = self._search
        if verdict is not None or search.exact is None or search.deadline():
            return verdict
        return search.exact(self.problem, demand, self._room) is not None

    def by_domain(self, demand: Demand, choices: tuple[int, ...]) -> IntArray:
        """Pods of the gang that fit into each domain, counted item by item."""
        found = np.zeros(len(choices), dtype=np.int64)
        for index, item in enumerate(demand.items):
            fitting = self.problem.topology.sums(choices, self.per_node(item.shape))
            found += np.minimum(fitting, supply(demand, index))
        return found

    def _sums_too_small(self, demand: Demand) -> bool:
        items = range(len(demand.items))
        return any(
            need > self.open_sum(demand, items, dimension)[0]
            for dimension, need in enumerate(demand.minimum)
            if need > 0
        )

    def _place(self, demand: Demand) -> bool:
        """Greedy attempts: on the nodes with most room, then on all; whole gangs where there are subgroups."""
        counts = rigid_counts(demand)
        if counts is None and demand.subgroups:
            counts = self._whole_gang(demand)
        if counts is None:
            return try_place(self.problem, demand, self._room, keep=False) is not None
        request = sum(
            (self.problem.requests[shape] * count for shape, count in counts.items()),
            np.zeros(len(self.problem.dimensions), dtype=np.int64),
        )
        if not self._room.queues_admit(demand, request):
            return False
        if any(self.pods(shape) < count for shape, count in counts.items()):
            return False
        rich = sorted({node for shape in counts for node in self._rich_nodes(shape)})
        with self._room.only(rich):
            if self._placed(counts):
                return True
        return self._placed(counts)

    def _rich_nodes(self, shape: int) -> list[int]:
        """Some nodes with most room for a shape: where they do, no others need be looked at."""
        if shape not in self._rich:
            counts = self.per_node(shape)
            self._rich[shape] = np.flatnonzero(counts == counts.max(initial=0))[
                :RICH_NODES
            ].tolist()
        return self._rich[shape]

    def shape_room(self, shape: int) -> ShapeRoom:
        """What the nodes open to a shape have free."""
        if shape not in self._rooms:
            request, admitted = self.problem.requests[shape], self.problem.admits[shape]
            self._rooms[shape] = shape_room(self.free, request, admitted)
        return self._rooms[shape]

    def _placed(self, counts: Mapping[int, int]) -> bool:
        busy = self._room.busy.copy()
        placed = self._room.place(counts)
        if placed is None:
            return False
        self._room.undo(placed)
        self._room.busy = busy
        return True

    @staticmethod
    def _whole_gang(demand: Demand) -> dict[int, int] | None:
        """All pods of all items, if every subgroup gets at least its size; it makes the gang ready, then."""
        sizes = [group.running for group in demand.subgroups]
        counts: dict[int, int] = {}
        for index, item in enumerate(demand.items):
            for group in item.subgroup:
                if group >= 0:
                    sizes[group] += supply(demand, index)
            counts[item.shape] = counts.get(item.shape, 0) + supply(demand, index)
        touched = {group for item in demand.items for group in item.subgroup if group >= 0}
        if any(sizes[group] < demand.subgroups[group].size for group in touched):
            return None
        return counts
