"""Plans out of the linear program over ways: nodes are filled as it says, some at a time, and the last by regrouping.

After some nodes have been filled the program is solved again for the others (diving), so that what is left keeps a
solution in fractions and all the room that there is to spare. Where few nodes are left, their pods are grouped anew.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.problem.placement import IntArray
from planner.search.special.vector_packing.left_out import Choices
from planner.search.special.vector_packing.local_search import best_fit
from planner.search.special.vector_packing.problem import PackingProblem
from planner.search.special.vector_packing.regroup import Regrouping
from planner.search.special.vector_packing.ways import full_ways
from planner.search.special.vector_packing.ways_program import WaysProgram, chosen_ways
from planner.solve.backend import SolveLimits

LAST_NODES = 9
"""Nodes that are not filled one after the other."""
MORE_NODES = 4
"""Nodes by which they may be more where the program has no solution any more."""
MOST_WAYS = 1_500
"""Ways with which constraint programming decides how few nodes are filled."""
LAST_STEPS = 800
"""Steps of regrouping them."""
PART = 0.2
"""Part of the other nodes that is filled at once, at most."""
LEAST_USE = 0.2
"""Uses below which no more of a solution is taken at once."""
CHANCE = 0.3
"""Part by which uses are off, so that every dive is another one."""
WHOLE = 1e-6


class WaysSearch:
    """Whether one of some choices of gangs has a plan on nodes which are alike: refuted, or searched dive by dive.

    ``refuted`` tells that none of the choices has one.
    """

    def __init__(self, packing: PackingProblem, known: Choices, late: Callable[[], bool]) -> None:
        self._packing, self._known = packing, known
        self._pods, self._nodes = known.gangs * packing.pods, len(packing.nodes)
        self._left = np.ones(len(self._pods), dtype=np.bool_)
        self._program: WaysProgram | None = None
        if not len(self._left):
            return
        room, most = packing.room[0], self._pods.max(axis=0)
        ways = full_ways(packing.asks, most, room, known.most(), late)
        if ways is not None:
            self._program = WaysProgram(ways, len(packing.gangs))
            self._next(self._program, late)

    @property
    def refuted(self) -> bool:
        """Whether none of the choices has a plan."""
        return not self._left.any()

    def _next(self, program: WaysProgram, late: Callable[[], bool]) -> int | None:
        """The next choice that the linear program does not refute."""
        pods, spare = self._pods, self._known.spare
        return program.first_open(pods, spare, self._nodes, self._left, late)

    def exactly(
        self, limits: Callable[[], SolveLimits], late: Callable[[], bool]
    ) -> IntArray | None:
        """Pods ``[kinds, nodes]`` of one of the choices on few nodes, choice by choice; None if none were found."""
        program = self._program
        while program is not None and self._nodes <= LAST_NODES and not late():
            number = self._next(program, late)
            if number is None:
                break
            pods, spare = self._pods[number], self._known.spare[number]
            some = np.flatnonzero(program.ways.allowed(pods, spare))
            if len(some) > MOST_WAYS:
                break
            found, refuted = chosen_ways(program.ways.pods(some), pods, self._nodes, limits())
            if not refuted:
                return found
            self._left[number] = False
        return None

    @property
    def settled(self) -> bool:
        """Whether dives find out nothing more."""
        return self._program is None or self._nodes <= LAST_NODES or self.refuted

    def dived(self, random: np.random.Generator, late: Callable[[], bool]) -> IntArray | None:
        """Pods ``[kinds, nodes]`` of one of the choices, or a bit too much for some nodes; None if it ended early."""
        program = self._program
        if program is None or self.settled:
            return None
        number = int(self._left.argmax())
        spare = self._known.spare[number]
        return _dived(self._packing, program, self._pods[number], spare, random, late)


def _dived(
    packing: PackingProblem,
    program: WaysProgram,
    pods: IntArray,
    spare: IntArray,
    random: np.random.Generator,
    late: Callable[[], bool],
) -> IntArray | None:
    """These pods on nodes; None if this dive ended early."""
    ways, nodes, left = program.ways, len(packing.nodes), pods
    allowed = ways.allowed(left, spare)
    columns: list[IntArray] = []
    while nodes - len(columns) > LAST_NODES:
        free = nodes - len(columns)
        uses = program.relaxed(left, free, allowed, late)[1]
        if uses is None:
            break
        most = max(1, int((free - LAST_NODES) * PART))
        order = np.argsort(-uses * (1 + CHANCE * random.random(len(uses))), kind="stable")
        filled = len(columns)
        for place in order:
            if len(columns) > filled and uses[place] <= LEAST_USE:
                break
            way = program.columns[place : place + 1]
            its, over = ways.pods(way)[0], ways.over[way[0]]
            for _ in range(max(1, int(uses[place] + WHOLE))):
                fits = (its <= left).all() and (over <= spare).all()
                if fits and len(columns) < filled + most:
                    left, spare = left - its, spare - over
                    columns.append(its)
            if len(columns) == filled + most:
                break
        inside = np.flatnonzero(allowed)
        allowed[inside] = ways.some(inside).allowed(left, spare)
    if nodes - len(columns) > LAST_NODES + MORE_NODES:
        return None
    rest = _regrouped(packing, left, nodes - len(columns), random, late)
    return np.concatenate([np.stack(columns, axis=1), rest], axis=1)


def _regrouped(
    packing: PackingProblem,
    pods: IntArray,
    nodes: int,
    random: np.random.Generator,
    late: Callable[[], bool],
) -> IntArray:
    """``[kinds, nodes]`` pods on some nodes, with the least excess that was found."""
    kind = np.repeat(np.arange(len(pods)), pods)
    asks, room = packing.asks[kind], packing.room[:nodes]
    place = best_fit(asks, room, np.ones(len(kind), dtype=np.bool_))
    search = Regrouping(asks, room, place, kind, random)
    search.run(lambda step: step >= LAST_STEPS or late())
    table = np.zeros((len(pods), nodes), dtype=np.int64)
    np.add.at(table, (kind, search.place), 1)
    return table
