"""The best pattern of a node under prices: dynamic programming over cards and one resource.

A card holds shares up to its free steps; ``V[x, r]`` is the most value of shares within x steps of a card and r of
the resource. A node's cards are joined one after the other, whole cards taken together where a pod asks for several.
The other resources enter through the prices only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.problem.meter import Meter
from planner.problem.placement import IntArray
from planner.search.special.node_patterns.problem import PatternProblem

FloatArray = npt.NDArray[np.float64]
GRID = 256
"""Steps of the resource on the largest node."""
CELLS = 100_000_000
"""Cells of tables, cards joined at every amount, that are counted as one unit of work."""
_LEAST = 1e-9
_NEVER = -1e18


@dataclass(frozen=True, slots=True)
class Priced:
    """A pattern and its value under the prices."""

    value: float
    pattern: dict[int, int]


class Pricer:
    """Prices patterns of all types.

    Rounding the resource down makes the values upper bounds, the patterns may then exceed a node; rounding it up makes
    patterns that keep within it.
    """

    def __init__(self, problem: PatternProblem, *, down: bool, meter: Meter | None = None) -> None:
        self._problem = problem
        self._meter = meter or Meter(deterministic=False)
        self.resource = tight_resource(problem)
        asks, room = problem.asks[:, self.resource], problem.room[:, self.resource]
        grid = max(-(-int(room.max(initial=1)) // GRID), 1)
        self._asks = asks // grid if down else -(-asks // grid)
        self._room = room // grid

    def price(
        self, values: FloatArray, types: Sequence[int], penalty: Mapping[int, FloatArray]
    ) -> dict[int, Priced]:
        """Best pattern of each type; ``values`` is ``[sites, kinds]``, ``penalty`` prices a type's resources."""
        alike: dict[tuple[object, ...], list[int]] = {}
        for t in types:
            price = penalty.get(t)
            key = (
                int(self._problem.site[t]),
                self._problem.able[t].tobytes(),
                None if price is None else price.tobytes(),
            )
            alike.setdefault(key, []).append(t)
        found: dict[int, Priced] = {}
        for (site, _, _), members in alike.items():
            worth = values[int(str(site))]
            price = penalty.get(members[0])
            if price is not None:
                worth = worth - self._problem.asks @ price
            self._price_alike(worth, members, found)
        return found

    def _price_alike(
        self, worth: FloatArray, types: Sequence[int], found: dict[int, Priced]
    ) -> None:
        problem = self._problem
        most = int(self._room[list(types)].max())
        wanted = problem.wanted[problem.site[types[0]]] > 0
        usable = wanted & self._problem.able[types[0]] & (worth > _LEAST)
        shares = self._best_shares(np.flatnonzero(usable & (problem.count <= 1)), worth)
        several = np.flatnonzero(usable & (problem.count > 1))
        card = _CardTable(shares, problem.steps, self._asks, worth, problem.whole, most)
        chains: dict[tuple[tuple[int, ...], int], _Chain] = {}
        for t in types:
            key = (problem.cards[t], int(problem.untouched[t]))
            if key not in chains:
                chains[key] = _Chain(card, problem, self._asks, worth, several, *key)
            found[t] = chains[key].best(int(self._room[t]))
        cards = sum(len(used) + untouched for used, untouched in chains)
        cells = cards * (most + 1) ** 2 + problem.whole * (len(shares) + 1) * (most + 1)
        self._meter.add(cells / CELLS)

    def _best_shares(self, kinds: IntArray, worth: FloatArray) -> IntArray:
        """Kinds on one card without those that another one beats in steps, resource and value."""
        steps, asks = self._problem.steps[kinds], self._asks[kinds]
        order = np.lexsort((-worth[kinds], asks, steps))
        kinds, steps, asks = kinds[order], steps[order], asks[order]
        own = worth[kinds]
        earlier = np.tri(len(kinds), k=-1, dtype=np.bool_)
        better = earlier & (asks[None, :] <= asks[:, None]) & (own[None, :] >= own[:, None])
        return kinds[~better.any(axis=1)]


def tight_resource(problem: PatternProblem) -> int:
    """The resource of which most is asked for against what there is."""
    asked = (problem.supply[:, None] * problem.asks[problem.kind]).sum(axis=0).astype(np.float64)
    there = (problem.number[:, None] * problem.room).sum(axis=0)
    return int(np.argmax(asked / np.maximum(there, 1)))


class _CardTable:
    """Most value on one card, by steps of the card and of the resource."""

    def __init__(
        self,
        kinds: IntArray,
        steps: IntArray,
        asks: IntArray,
        worth: FloatArray,
        whole: int,
        most: int,
    ) -> None:
        self.steps, self.asks, self.most = steps, asks, most
        self.value = np.zeros((whole + 1, most + 1))
        self._last = np.full((whole + 1, most + 1), -1, dtype=np.int32)
        for kind in kinds:
            step, ask = int(steps[kind]), int(asks[kind])
            for x in range(step, whole + 1, step):  # what is within a step has no use of itself
                rows = slice(x, min(x + step, whole + 1))
                before = self.value[x - step : rows.stop - step, : most + 1 - ask]
                value = before + worth[kind]
                better = value > self.value[rows, ask:]
                np.copyto(self.value[rows, ask:], value, where=better)
                np.copyto(self._last[rows, ask:], np.int32(kind), where=better)

    def ways(self, x: int) -> IntArray:
        """Amounts of the resource with which a card of x steps is worth more than with any less."""
        value = self.value[x]
        return np.flatnonzero(np.concatenate([[True], value[1:] > value[:-1]]))

    def collect(self, x: int, r: int, pattern: dict[int, int]) -> None:
        """Add the pods of the best card within x steps and r of the resource."""
        while (kind := int(self._last[x, r])) >= 0:
            pattern[kind] = pattern.get(kind, 0) + 1
            x -= int(self.steps[kind])
            r -= int(self.asks[kind])


class _Chain:
    """Cards of a node joined: partly used ones first, then untouched ones."""

    def __init__(
        self,
        card: _CardTable,
        problem: PatternProblem,
        asks: IntArray,
        worth: FloatArray,
        several: IntArray,
        used: tuple[int, ...],
        untouched: int,
    ) -> None:
        self._card, self._asks, self._count = card, asks, problem.count
        self._sizes = [*used, *([problem.whole] * untouched)]
        self._first = len(used)
        rows = np.arange(card.most + 1)
        ways = {size: card.ways(size) for size in set(self._sizes)}
        before = {size: rows[None, :] + card.most + 1 - own[:, None] for size, own in ways.items()}
        # What stands before a value is for resources that are not there.
        never = np.full(card.most + 1, _NEVER)
        self._value: list[FloatArray] = [np.zeros(card.most + 1)]
        self._own: list[IntArray] = []
        self._pod: list[IntArray] = []
        for at, size in enumerate(self._sizes):
            joined = np.concatenate([never, self._value[at]])[before[size]]
            joined += card.value[size][ways[size]][:, None]
            own = joined.argmax(axis=0)
            value = joined[own, rows]
            pod = np.full(card.most + 1, -1, dtype=np.int64)
            for kind in several:
                cards, ask = int(problem.count[kind]), int(asks[kind])
                if at + 1 - self._first >= cards:
                    other = np.full(card.most + 1, _NEVER)
                    other[ask:] = self._value[at + 1 - cards][: card.most + 1 - ask] + worth[kind]
                    better = other > value + _LEAST
                    value[better] = other[better]
                    pod[better] = kind
            self._value.append(value)
            self._own.append(ways[size][own])
            self._pod.append(pod)

    def best(self, room: int) -> Priced:
        """The best pattern within so much of the resource."""
        at, r = len(self._sizes), room
        value = float(self._value[at][r])
        pattern: dict[int, int] = {}
        while at > 0:
            kind = int(self._pod[at - 1][r])
            if kind >= 0:
                pattern[kind] = pattern.get(kind, 0) + 1
                at -= int(self._count[kind])
                r -= int(self._asks[kind])
                continue
            own = int(self._own[at - 1][r])
            self._card.collect(self._sizes[at - 1], own, pattern)
            at, r = at - 1, r - own
        return Priced(value, pattern)
