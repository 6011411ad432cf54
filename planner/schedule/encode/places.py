"""Which pools a gang's pods may go to: in one pool where it fits, spread over several only where it has to be."""

from __future__ import annotations

from itertools import product

import numpy as np

from planner.capacity.counted_room import fit_counts
from planner.encode.prepared import Prepared
from planner.problem.placement import BoolArray, IntArray
from planner.problem.timed import Part
from planner.schedule.encode.occupancy import Occupancy
from planner.schedule.encode.whole_gpus import whole_gpus
from planner.schedule.encode.work import CARRIED, WorkItem

MOST_OPTIONS = 12
"""Ways to spread the pieces of one gang over pools that are looked at."""


class Places:
    """Admitted nodes and room of empty pools per shape."""

    def __init__(self, prepared: Prepared, one: Occupancy) -> None:
        problem = prepared.problem
        self.pools = len(one.pools)
        self.gpus = whole_gpus(prepared)
        self.admits: BoolArray = problem.admits & one.open[np.newaxis, :]
        columns = [one.names.index(name) for name in problem.dimensions]
        empty = np.maximum((one.allocatable - one.staying)[:, columns], 0)
        self._most: dict[int, list[int]] = {}
        self._problem = problem
        self._fits: dict[int, IntArray] = {}
        for shape in range(len(problem.requests)):
            fits = fit_counts(empty, problem.requests[shape], self.admits[shape])
            self._fits[shape] = fits
            sums = np.bincount(one.pool_of_node, weights=fits, minlength=self.pools)
            self._most[shape] = [int(amount) for amount in sums]
        self._known: dict[tuple[tuple[int, int], ...], tuple[tuple[Part, ...], ...]] = {}

    def options(self, item: WorkItem) -> tuple[tuple[Part, ...], ...]:
        """Ways to run a gang, none where it fits nowhere even with all work gone."""
        if item.demand == CARRIED:
            return (tuple(Part(-1, int(vector[-1]), pool) for pool, vector in item.held),)
        if not self._fits_a_domain(item):
            return ()
        if item.pieces not in self._known:
            self._known[item.pieces] = self._options(item.pieces)
        return self._known[item.pieces]

    def _fits_a_domain(self, item: WorkItem) -> bool:
        """Some domain that the gang may choose holds as many of each piece when it is empty."""
        choices = self._problem.demands[item.demand].choices
        if choices is None:
            return True
        enough = np.ones(len(choices), dtype=np.bool_)
        for shape, count in item.pieces:
            enough &= self._problem.topology.sums(choices, self._fits[shape]) >= count
        return bool(enough.any())

    def _options(self, pieces: tuple[tuple[int, int], ...]) -> tuple[tuple[Part, ...], ...]:
        choices: list[list[tuple[int, ...]]] = []
        for shape, count in pieces:
            whole = [p for p in range(self.pools) if self._most[shape][p] >= count]
            if not whole and sum(self._most[shape]) < count:
                return ()
            choices.append([(p,) for p in whole] or [self._spread(shape, count)])
        together = self._together(pieces)
        if together:
            return together
        found = []
        for chosen in product(*choices):
            found.append(self._parts(pieces, chosen))
            if len(found) == MOST_OPTIONS:
                break
        return tuple(found)

    def _together(self, pieces: tuple[tuple[int, int], ...]) -> tuple[tuple[Part, ...], ...]:
        """All GPU pods in one pool; pods without GPUs beside them, else in the first pool that takes them."""
        with_gpus = [one for one in pieces if self.gpus[one[0]]] or list(pieces)
        found = []
        for pool in range(self.pools):
            if any(self._most[shape][pool] < count for shape, count in with_gpus):
                continue
            chosen: list[tuple[int, ...]] = []
            for shape, count in pieces:
                order = [pool, *range(self.pools)]
                place = next((p for p in order if self._most[shape][p] >= count), None)
                if place is None:
                    break
                chosen.append((place,))
            if len(chosen) == len(pieces):
                found.append(self._parts(pieces, tuple(chosen)))
        return tuple(found)

    def _spread(self, shape: int, count: int) -> tuple[int, ...]:
        """Fewest pools that hold the pods, the largest first."""
        order = sorted(range(self.pools), key=lambda p: (-self._most[shape][p], p))
        chosen, left = [], count
        for pool in order:
            if left > 0 and self._most[shape][pool]:
                chosen.append(pool)
                left -= self._most[shape][pool]
        return tuple(chosen)

    def _parts(
        self, pieces: tuple[tuple[int, int], ...], chosen: tuple[tuple[int, ...], ...]
    ) -> tuple[Part, ...]:
        parts = []
        for (shape, count), pools in zip(pieces, chosen, strict=True):
            left = count
            for place, pool in enumerate(pools):
                last = place == len(pools) - 1
                take = left if last else min(left, self._most[shape][pool])
                if take:
                    parts.append(Part(shape, take, pool))
                left -= take
        return tuple(parts)
