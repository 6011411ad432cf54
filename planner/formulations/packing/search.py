"""As many gangs as fit, rank after rank: counted, packed by exchange, and proved where a count cannot be reached."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from planner.formulations.packing.counts import choice, most_gangs, packed_exactly
from planner.formulations.packing.full_nodes import cannot_fill
from planner.formulations.packing.local_search import Exchange, best_fit
from planner.formulations.packing.node_patterns import lacks_patterns
from planner.formulations.packing.problem import PackingProblem
from planner.problem.placement import IntArray
from planner.solve.backend import SolveLimits

STEPS = 4_000
"""Exchanges of one attempt where work is counted instead of seconds."""
FEW_STEPS = 400
"""The same before it is asked whether there is any plan at all."""
PATTERN_SHARE = 0.3
"""Part of the time that is left for the proof that there is none."""
SHARE = 0.4
"""Part of the time that is left for one attempt at a count."""
LATER_SHARE = 0.1
"""The same for counts that cannot close a rank any more."""
EXACT_CELLS = 260
"""Kinds times nodes up to which constraint programming decides what exchange does not find."""
EXACT_SHARE = 0.6
TIGHT = 0.002
"""Part of the cluster left over below which it is tried first whether nodes can be filled so full at all."""


@dataclass(frozen=True)
class Limit:
    """When to stop: at a time, or (deterministic) after so much work for each question."""

    until: float
    seed: int
    stopped: Callable[[], bool]
    deterministic: bool

    def left(self) -> float:
        """Seconds, or units of work for one question."""
        return 1.0 if self.deterministic else self.until - time.perf_counter()

    def over(self) -> bool:
        """No time is left."""
        return self.stopped() or self.left() <= 0

    def solver(self, seconds: float) -> SolveLimits:
        """Limits of one solver call."""
        return SolveLimits(
            max(seconds, 0.01), seed=self.seed, workers=1, deterministic=self.deterministic
        )


@dataclass
class Packed:
    """Pods ``[kinds, nodes]``; per rank its gangs and their bound, which holds for the ranks before it."""

    pods: IntArray
    gangs: list[int] = field(default_factory=list)
    bounds: list[int] = field(default_factory=list)


class PackingSearch:
    """One search; :meth:`run` returns the plan and its bounds."""

    def __init__(self, packing: PackingProblem, limit: Limit) -> None:
        self.packing, self.limit = packing, limit
        self._small = len(packing.gangs) * len(packing.nodes) <= EXACT_CELLS
        self._random = np.random.default_rng(limit.seed)
        self._kind = np.repeat(np.arange(len(packing.gangs)), packing.gangs * packing.pods)
        self._tried: set[tuple[int, ...]] = set()
        self._refuted: set[tuple[int, ...]] = set()
        single = packing.pods[self._kind] == 1
        self._group = np.where(single, packing.rank[self._kind], -1)

    def run(self) -> Packed:
        """All ranks at their counts at once where that packs, else rank after rank."""
        best = Packed(np.zeros((len(self.packing.gangs), len(self.packing.nodes)), dtype=np.int64))
        counted = self._counted({})
        whole = self._attempt(counted, SHARE)[0]
        if whole is not None:
            return Packed(whole, list(counted.values()), list(counted.values()))
        for rank in range(len(self.packing.ranks)):
            need = dict(enumerate(best.gangs))
            bound = counted[rank] if best.gangs == best.bounds else self._most(need, rank)
            value, bound, pods = self._rank(need, rank, bound)
            best.pods = best.pods if pods is None else pods
            best.gangs.append(value)
            best.bounds.append(bound)
            if bound != counted[rank] and value == bound:
                counted = self._counted(dict(enumerate(best.gangs)))
        return best

    def _rank(
        self, need: dict[int, int], rank: int, bound: int
    ) -> tuple[int, int, IntArray | None]:
        """Gangs of a rank beside those before it, their bound, and the pods; without any of them where time is up."""
        for count in range(bound, 0, -1):
            want = need | {rank: count}
            share = SHARE if count == bound else LATER_SHARE
            if self.limit.over():
                return 0, bound, None
            pods, refuted = self._attempt(want, share)
            if pods is None and not refuted and count == bound:
                pods, refuted = self._exactly(want)
            if pods is not None:
                return count, bound, pods
            if refuted and count == bound:
                bound -= 1
        return 0, bound, None

    def _counted(self, need: dict[int, int]) -> dict[int, int]:
        """Every rank's count, each beside the counts before it."""
        found = dict(need)
        for rank in range(len(need), len(self.packing.ranks)):
            found[rank] = self._most(found, rank)
        return found

    def _most(self, need: dict[int, int], rank: int) -> int:
        return most_gangs(self.packing, need, rank, self.limit.solver(self.limit.left() / 10))

    def _attempt(self, want: dict[int, int], share: float) -> tuple[IntArray | None, bool]:
        """Pods of a plan with so many gangs per rank, or whether there is proof that there is none."""
        if tuple(want.values()) in self._refuted:
            return None, True
        if tuple(want.values()) in self._tried:
            return None, False
        self._tried.add(tuple(want.values()))
        gangs = choice(self.packing, want, self.limit.solver(self.limit.left() / 10))
        if gangs is None:
            return None, False
        pods = gangs * self.packing.pods
        total = self.packing.room.sum(axis=0)
        spare = (total - pods @ self.packing.asks) / np.maximum(total, 1)
        tight = bool((spare < TIGHT).any())
        if tight and cannot_fill(self.packing, want, self._late(share)):
            self._refuted.add(tuple(want.values()))
            return None, True
        found = self._exchanged(pods, share, FEW_STEPS)
        if found is None and lacks_patterns(
            self.packing, want, PATTERN_SHARE * self.limit.left(), self._late(PATTERN_SHARE)
        ):
            self._refuted.add(tuple(want.values()))
            return None, True
        if found is None and not self._small:
            found = self._exchanged(pods, share, STEPS if self.limit.deterministic else None)
        return found, False

    def _late(self, share: float) -> Callable[[], bool]:
        until = time.perf_counter() + share * self.limit.left()
        if self.limit.deterministic:
            return self.limit.stopped
        return lambda: self.limit.stopped() or time.perf_counter() > until

    def _exchanged(self, pods: IntArray, share: float, steps: int | None) -> IntArray | None:
        """The chosen pods packed by exchange, in so many steps (None: any) and a share of the time."""
        packing = self.packing
        number = np.concatenate([np.arange(n) for n in packing.gangs * packing.pods])
        chosen = number < pods[self._kind]
        asks = packing.asks[self._kind]
        place = best_fit(asks, packing.room, chosen)
        search = Exchange(asks, packing.room, place, self._group, self._random)
        late = self._late(share)
        if not search.run(lambda step: (steps is not None and step >= steps) or late()):
            return None
        return self._table(search.place)

    def _table(self, place: IntArray) -> IntArray:
        shape = (len(self.packing.gangs), len(self.packing.nodes))
        table = np.zeros(shape, dtype=np.int64)
        inside = place < shape[1]
        np.add.at(table, (self._kind[inside], place[inside]), 1)
        return table

    def _exactly(self, want: dict[int, int]) -> tuple[IntArray | None, bool]:
        if not self._small or self.limit.over():
            return None, False
        limits = self.limit.solver(EXACT_SHARE * self.limit.left())
        return packed_exactly(self.packing, want, limits)
