"""Other queues in which a waiting gang would fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from models.edits.new_gangs import SetGang
from planner.explain.fixes.bench import Bench
from planner.explain.fixes.candidate import Candidate
from planner.problem.placement import Demand, IntArray

UNLIMITED = 1 << 60


class OtherQueues:
    """Room of every open queue beside the plan, its ancestors' included; found once for all gangs.

    Parameters
    ----------
    room
        ``[dimensions]`` room of a queue for which the plan knows none; -1 = without limit.
    """

    def __init__(self, bench: Bench, room: Callable[[int], IntArray]) -> None:
        self._bench, self._room = bench, room

    def best(self, demand: Demand) -> Candidate | None:
        """Another open queue in which the gang fits beside the plan; that with the most room of its first dimension."""
        bench, names = self._bench, self._bench.problem.queue_names
        if bench.prepared.policy.nodegroup:
            return None
        queues, rooms = self._open
        need = np.array(demand.minimum, dtype=np.int64)
        admits = ((need <= 0) | (need <= rooms)).all(axis=1) & (queues != demand.queue)
        if not admits.any() or not bench.fits(demand, limited=False):
            return None
        d = next((d for d in bench.units.ordered() if demand.minimum[d] > 0), 0)
        most = rooms[admits, d].max()
        name = min(names[queue] for queue in queues[admits & (rooms[:, d] == most)].tolist())
        return Candidate(
            "other_queue",
            f"submit it to queue {name}",
            lambda gang: (SetGang(gangs=gang, queue=name),),
            1,
            (name,),
        )

    @cached_property
    def _open(self) -> tuple[IntArray, IntArray]:
        """Open queues, and ``[queues, dimensions]`` the least room on each one's way to the root."""
        bench, limits = self._bench, self._bench.prepared.limits
        names = bench.problem.queue_names
        number = {name: index for index, name in enumerate(names)}
        queues = [i for i, name in enumerate(names) if not limits.closed_because(name)]
        chains = [[number[one] for one in limits.chain(names[queue])] for queue in queues]
        rooms = {one: self._left(one) for one in {one for chain in chains for one in chain}}
        least = [np.minimum.reduce([rooms[one] for one in chain]) for chain in chains]
        width = len(bench.problem.dimensions)
        table = np.array(least, dtype=np.int64).reshape(len(queues), width)
        return np.array(queues, dtype=np.int64), table

    def _left(self, queue: int) -> IntArray:
        known = self._bench.queues.get(queue)
        room = self._room(queue) if known is None else known
        return np.where(room < 0, UNLIMITED, room)
