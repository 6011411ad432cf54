"""Clear nodes for a gang that finds too few: pods that stand there go to other nodes, as few of them as possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from planner.capacity.fit import Placed, Room, least_counts
from planner.capacity.fits_alone import Fitting
from planner.problem.placement import Demand, PlacementProblem
from planner.search.construct.fill import spots_by_item
from planner.search.construct.room_by_rank import Spots

ANY = 1 << 30
"""Stands for room that is not counted."""
MORE_TRIED = 32
"""Nodes that are tried beyond four for each pod that has to be placed."""


class Move(NamedTuple):
    """Pods of one gang's item that go from one node to others."""

    demand: int
    item: int
    node: int
    placed: list[Placed]


class Cleared(NamedTuple):
    """A gang's places, and the pods of others that make way."""

    spots: Spots
    moves: list[Move]


def cleared(
    problem: PlacementProblem,
    index: int,
    room: Room,
    on: Mapping[int, Iterable[int]],
    plan: Mapping[int, Spots],
) -> Cleared | None:
    """Places for a gang, with nodes cleared for it; None where that was not found. The room stays as it is.

    Parameters
    ----------
    room
        Beside all who do not make way for the gang's rank.
    on
        Node to the gangs with pods there that ``room`` counts.
    plan
        Their places.
    """
    demand = problem.demands[index]
    tied = problem.domain_rooms or problem.spreads or problem.cards is not None
    counts = None if tied or not _movable(demand) else least_counts(demand, lambda _: ANY)
    if not counts:
        return None
    search = _Search(problem, demand, room, on, plan)
    placed = search.run(counts)
    search.undo()
    if placed is None:
        return None
    return Cleared(spots_by_item(problem, index, Fitting(counts, placed)), search.moves)


def moved(spots: Spots, move: Move) -> Spots:
    """A gang's places after a move."""
    found = {item: dict(places) for item, places in spots.items()}
    here = found[move.item]
    here[move.node] -= sum(one.count for one in move.placed)
    for one in move.placed:
        here[one.node] = here.get(one.node, 0) + one.count
    return {
        item: sorted((node, count) for node, count in places.items() if count)
        for item, places in found.items()
    }


def _movable(demand: Demand) -> bool:
    return not (demand.shares_domains or demand.grouped or demand.choices is not None)


class _Search:
    def __init__(
        self,
        problem: PlacementProblem,
        demand: Demand,
        room: Room,
        on: Mapping[int, Iterable[int]],
        plan: Mapping[int, Spots],
    ) -> None:
        self.problem, self.demand, self.room = problem, demand, room
        self.on, self.plan = on, plan
        self.moves: list[Move] = []
        self.placed: list[Placed] = []

    def run(self, counts: Mapping[int, int]) -> list[Placed] | None:
        """Shape by shape free nodes first, then those where the fewest pods move for each pod that fits then."""
        wanted: dict[int, int] = {}
        for item, count in counts.items():
            shape = self.demand.items[item].shape
            wanted[shape] = wanted.get(shape, 0) + count
        asked = sum(self.problem.requests[shape] * count for shape, count in wanted.items())
        if not self.room.queues_admit(self.demand, np.asarray(asked)):
            return None
        for shape in self.room.by_size(wanted):
            found = self.room.place_up_to(shape, wanted[shape])
            self.placed += found
            left = wanted[shape] - sum(one.count for one in found)
            for node in self._candidates(shape)[: 4 * left + MORE_TRIED] if left else ():
                left -= self._clear(shape, node, left)
                if not left:
                    break
            if left:
                return None
        return self.placed

    def undo(self) -> None:
        """The room as it was."""
        self.room.undo(self.placed)
        self._back(0)

    def _back(self, since: int) -> None:
        for move in reversed(self.moves[since:]):
            self.room.undo(move.placed)
            shape = self.problem.demands[move.demand].items[move.item].shape
            count = sum(one.count for one in move.placed)
            self.room.take([Placed(shape, move.node, count)])

    def _candidates(self, shape: int) -> list[int]:
        """Nodes where pods fit once others are gone, those first where least has to move for each."""
        found = []
        asked = self.problem.requests[shape]
        taken = {one.node for one in self.placed}
        for node in self.on:
            if node in taken or not self.problem.admits[shape, node]:
                continue
            pods = self._pods(node)
            if not pods:
                continue
            free = self.room.free[node].copy()
            for _, _, other, count in pods:
                free += self.problem.requests[other] * count
            fits = int((free[asked > 0] // asked[asked > 0]).min())
            if fits > 0:
                found.append((sum(count for *_, count in pods) / fits, node))
        return [node for _, node in sorted(found)]

    def _pods(self, node: int) -> list[tuple[int, int, int, int]]:
        """(gang, item, shape, pods) on a node."""
        demands = self.problem.demands
        return [
            (index, item, demands[index].items[item].shape, count)
            for index in sorted(self.on[node])
            for item, spots in self.plan[index].items()
            for where, count in spots
            if where == node
        ]

    def _clear(self, shape: int, node: int, wanted: int) -> int:
        """Pods of the gang on a node that others leave; nothing changes where they find no other place."""
        pods = self._pods(node)
        if not all(_movable(self.problem.demands[index]) for index, *_ in pods):
            return 0
        before = len(self.moves)
        closed = [*{one.node for one in self.placed}, node]
        for index, item, other, count in pods:
            self.room.undo([Placed(other, node, count)])
            with self.room.closed(closed):
                placed = self.room.place_up_to(other, count)
            if sum(one.count for one in placed) < count:
                self.room.undo(placed)
                self.room.take([Placed(other, node, count)])
                self._back(before)
                del self.moves[before:]
                return 0
            self.moves.append(Move(index, item, node, placed))
        fits = min(self.room.fits_on(shape, node), wanted)
        if fits:
            self.placed.append(Placed(shape, node, fits))
            self.room.take(self.placed[-1:])
        return fits
