"""As many gangs as fit, rank after rank: counted, packed by exchange, and proved where a count cannot be reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from planner.problem.placement import IntArray
from planner.search.special.vector_packing.counts import choice, most_gangs, packed_exactly
from planner.search.special.vector_packing.diving import LAST_NODES, WaysSearch
from planner.search.special.vector_packing.few_pods import FewPods
from planner.search.special.vector_packing.filling import filled, fills
from planner.search.special.vector_packing.full_nodes import cannot_fill, least_asked
from planner.search.special.vector_packing.left_out import Choices, choices
from planner.search.special.vector_packing.local_search import Exchange, best_fit
from planner.search.special.vector_packing.node_patterns import lacks_patterns
from planner.search.special.vector_packing.problem import PackingProblem
from planner.search.special.vector_packing.reassign import FEWEST_NODES, Reassignment
from planner.search.special.vector_packing.regroup import Regrouping
from planner.search.special.vector_packing.repair import made_to_fit
from planner.solve.backend import SolveLimits

STEPS = 4_000
"""Exchanges of one attempt where work is counted instead of seconds."""
FEW_STEPS = 400
"""The same before it is asked whether there is any plan at all."""
FIRST_STEPS = 64
"""The same where it is asked first whether nodes can be filled so full: for a plan whatever the answer is."""
NODES_OF_FEW = 8
"""Nodes for which these are enough; there are more for more nodes, where proofs take longer as well."""
ATTEMPTS = 3
"""Attempts where work is counted."""
FIRST_SHARE = 0.5
"""Part of the time that is left for the first long attempt at a count."""
SHARE = 0.3
"""The same for other attempts."""
WHOLE_SHARE = 0.95
"""The same where nodes are filled one by one, or many exchange at once: one long attempt finds more than several."""
CHOICE_S = 0.2
"""Seconds, at least, for the question which gangs to try."""
REFUTE_SHARE = 0.8
"""Part of the time that is left for the question whether any node can be filled so full."""
PATTERN_SHARE = 0.3
"""Part of the time that is left for the proof that there is no plan."""
ROOMY_SHARE = 0.1
"""The same where each choice leaves so much that hardly any of them is refuted."""
FIRST_DIVES = 1
"""Dives into the program over ways before plans with fewer gangs are looked for."""
DIVES = 4
"""The same after that, where work is counted."""
SLIM = 11
"""Part of one node left over by the whole plan, times nodes, below which ways are asked: there are more where either is
more."""
WAYS_SHARE = 0.7
"""The same where it is known which gangs may be left out."""
MOST_NODES_OF_PAIRS = 16
"""Nodes up to which exchanges of two find some packings that exchanges of all nodes at once do not."""
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
        pods = int((packing.gangs * packing.pods).sum())
        self._crowded = packing.alike and fills(pods, len(packing.nodes))
        self._few = FEW_STEPS * max(1, len(packing.nodes) // NODES_OF_FEW)
        self._attempts = 0
        self._chosen: dict[tuple[int, ...], IntArray] = {}
        self._ways: dict[tuple[int, ...], WaysSearch] = {}
        self._choices: dict[tuple[int, ...], Choices | None] = {}
        # Where pods were left by a search that goes on from there when the same gangs are tried again.
        self._places: dict[tuple[int, ...], IntArray] = {}
        self._tried: tuple[int, ...] = ()
        self._random = np.random.default_rng(limit.seed)
        self._kind = np.repeat(np.arange(len(packing.gangs)), packing.gangs * packing.pods)
        self._incumbent: tuple[int, IntArray | None] = (0, None)
        single = packing.pods[self._kind] == 1
        self._group = np.where(single, packing.rank[self._kind], -1)

    def run(self) -> Packed:
        """All ranks at their counts at once where that packs, else rank after rank."""
        best = Packed(np.zeros((len(self.packing.gangs), len(self.packing.nodes)), dtype=np.int64))
        counted = self._counted({})
        tight = self._tight(counted)
        slim = self._slim(counted)
        self._take(counted, SHARE, FIRST_STEPS if tight or slim else self._few)
        self._tried = () if tight or slim else tuple(counted.values())
        if slim and self._incumbent[0] < counted[max(counted)]:
            self._by_ways(counted, FIRST_DIVES)
        first, before = self._incumbent, tuple(counted.values())[:-1]
        if self._incumbent[0] == counted[len(counted) - 1] and self._incumbent[1] is not None:
            return Packed(self._incumbent[1], list(counted.values()), list(counted.values()))
        for rank in range(len(self.packing.ranks)):
            need = dict(enumerate(best.gangs))
            bound = counted[rank] if best.gangs == best.bounds else self._most(need, rank)
            self._incumbent = first if before == tuple(best.gangs) else (0, None)
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
        """Gangs of a rank beside those before it, their bound, and the pods."""
        bound = self._quick(need, rank, bound)
        last = rank == len(self.packing.ranks) - 1
        attempts = ATTEMPTS if self.limit.deterministic else 1 << 20
        for number in range(attempts if last else 1):
            target = self._incumbent[0] + 1
            if target > bound or self.limit.over():
                break
            steps = STEPS if self.limit.deterministic else None
            share = SHARE if number else FIRST_SHARE
            if self._crowded or len(self.packing.nodes) > MOST_NODES_OF_PAIRS:
                share = WHOLE_SHARE
            want = need | {rank: target}
            if self._slim(want):
                self._by_ways(want, DIVES)
            else:
                self._take(want, share, steps)
        return self._incumbent[0], bound, self._incumbent[1]

    def _quick(self, need: dict[int, int], rank: int, bound: int) -> int:
        """A first plan for a rank, near its bound where that is easy; returns the bound, lower where it is refuted."""
        target, step, share = bound, 1, SHARE
        while target > self._incumbent[0] and not self.limit.over():
            want = need | {rank: target}
            slim = target == bound and self._slim(want)
            if target == bound and (self._refuted(want) or (slim and self._proves(want))):
                bound = target = target - 1
                share = FIRST_SHARE  # with one gang less there is room, and mostly a plan
                continue
            if not slim and tuple(want.values()) != self._tried:
                self._take(want, share, self._few)
            if target == bound > self._incumbent[0] and not slim and self._proves(want):
                bound = target = target - 1
                continue
            target, step = target - step, 2 * step
        return bound

    def _proves(self, want: dict[int, int]) -> bool:
        """Whether there is proof that a plan with so many gangs per rank does not exist; takes one that turns up."""
        if self.limit.over() or self._crowded:
            return False
        if self._by_ways(want, FIRST_DIVES):
            return True
        if self._incumbent[0] >= list(want.values())[-1]:
            return False
        if not self._small or self.limit.over():
            return False
        limits = self.limit.solver(EXACT_SHARE * self.limit.left())
        pods, refuted = packed_exactly(self.packing, want, limits)
        if pods is not None:
            self._incumbent = (list(want.values())[-1], pods)
        return refuted

    def _slim(self, want: dict[int, int]) -> bool:
        """Whether so little would be left over that exchange hardly finds a plan, and ways to fill a node may."""
        if self._crowded or not self.packing.alike or len(self.packing.nodes) <= LAST_NODES:
            return False
        asked = self._ways.get(tuple(want.values()))
        if asked is not None and asked.settled and not asked.refuted:
            return False
        known = self._known_choices(want)
        return known is not None and self._few_ways(known)

    def _few_ways(self, known: Choices) -> bool:
        """Whether so little is left over that all ways to leave no more can be listed."""
        left = known.room_left(self.packing.room[0])
        return self.packing.alike and left * len(self.packing.nodes) < SLIM

    def _by_ways(self, want: dict[int, int], dives: int) -> bool:
        """Whether the ways to fill a node are too few for every choice of gangs; takes a plan that they give."""
        key, packing, late = tuple(want.values()), self.packing, self._late(WAYS_SHARE)
        known = self._known_choices(want)
        if known is None or not self._few_ways(known):
            share = PATTERN_SHARE if known is None else ROOMY_SHARE
            seconds = share * self.limit.left()
            return lacks_patterns(packing, want, seconds, self._late(share))
        if key not in self._ways:
            self._ways[key] = WaysSearch(packing, known, late)
        exact = self._ways[key].exactly(
            lambda: self.limit.solver(EXACT_SHARE * self.limit.left()), late
        )
        self._keep(want, exact)
        for _ in range(dives):
            pods = self._ways[key].dived(self._random, late)
            if pods is not None:
                self._keep(want, self._fitting(pods, want))
            if self._incumbent[0] >= want[max(want)] or late():
                break
        return self._ways[key].refuted

    def _fitting(self, pods: IntArray, want: Mapping[int, int]) -> IntArray | None:
        """A plan out of pods ``[kinds, nodes]`` of which nodes may hold too much, without some of the last rank."""
        packing = self.packing
        place = np.full(len(self._kind), len(packing.nodes), dtype=np.int64)
        for kind, row in enumerate(pods):
            some = np.flatnonzero(self._kind == kind)[: int(row.sum())]
            place[some] = np.repeat(np.arange(len(row)), row)
        own = np.flatnonzero(self._group == max(want))
        fits = made_to_fit(packing.asks[self._kind], packing.room, place, own)
        return self._table(place) if fits else None

    def _keep(self, want: Mapping[int, int], pods: IntArray | None) -> None:
        """Take a plan if it has more gangs of the last rank than the one before."""
        if pods is None:
            return
        starts = pods.sum(axis=1) // self.packing.pods
        value = int(starts[self.packing.rank == max(want)].sum())
        if value > self._incumbent[0]:
            self._incumbent = (value, pods)

    def _known_choices(self, want: dict[int, int]) -> Choices | None:
        """Which gangs may be chosen, those first that leave the most room; None where there are too many."""
        key = tuple(want.values())
        if key not in self._choices:
            found = choices(self.packing, want, self._late(WAYS_SHARE))
            if found is not None:
                found = found.by_room(self.packing.room[0])
            self._choices[key] = found
        return self._choices[key]

    def _spare(self, want: dict[int, int]) -> IntArray:
        """The most that a plan with so many gangs may leave unused, resource by resource."""
        known = self._known_choices(want)
        if known is None:
            total: IntArray = self.packing.room.sum(axis=0)
            return total - least_asked(self.packing, want)
        return known.most()

    def _counted(self, need: dict[int, int]) -> dict[int, int]:
        """Every rank's count, each beside the counts before it."""
        found = dict(need)
        for rank in range(len(need), len(self.packing.ranks)):
            found[rank] = self._most(found, rank)
        return found

    def _most(self, need: dict[int, int], rank: int) -> int:
        return most_gangs(self.packing, need, rank, self.limit.solver(self.limit.left() / 10))

    def _tight(self, want: dict[int, int]) -> bool:
        """Whether so little would be left over that it is asked first whether nodes can be filled so full."""
        total = self.packing.room.sum(axis=0)
        spare = (total - least_asked(self.packing, want)) / np.maximum(total, 1)
        return bool((spare < TIGHT).any())

    def _refuted(self, want: dict[int, int]) -> bool:
        """Whether so little would be left over that nodes cannot be filled so full."""
        if not self._tight(want):
            return False
        late = self._late(REFUTE_SHARE)
        if not self._crowded:
            return cannot_fill(self.packing, want, self._spare(want), late)
        seconds = self.limit.solver(PATTERN_SHARE * self.limit.left())
        return FewPods(self.packing, want, self._spare(want), late).refuted(seconds)

    def _choice(self, want: dict[int, int]) -> IntArray | None:
        """Which gangs to try, the same every time."""
        key = tuple(want.values())
        if key not in self._chosen:
            seconds = max(self.limit.left() / 10, CHOICE_S)
            found = choice(self.packing, want, self.limit.solver(seconds))
            if found is None:
                return None
            self._chosen[key] = found
        return self._chosen[key]

    def _take(self, want: dict[int, int], share: float, steps: int | None) -> None:
        """Pack so many gangs per rank by exchange, in so many steps (None: any) and a share of the time."""
        gangs = self._choice(want)
        if gangs is None:
            return
        rank = max(want)
        pods, whole = self._exchanged(gangs * self.packing.pods, want, share, steps)
        if pods is not None and whole:
            self._incumbent = (want[rank], pods)
        else:
            self._keep(want, pods)

    def _late(self, share: float) -> Callable[[], bool]:
        until = time.perf_counter() + share * self.limit.left()
        if self.limit.deterministic:
            return self.limit.stopped
        return lambda: self.limit.stopped() or time.perf_counter() > until

    def _exchanged(
        self, pods: IntArray, want: Mapping[int, int], share: float, steps: int | None
    ) -> tuple[IntArray | None, bool]:
        """A packing of chosen pods and True, or what is left of it without pods of the last rank, if that fits."""
        packing, key = self.packing, tuple(want.values())
        number = np.concatenate([np.arange(n) for n in packing.gangs * packing.pods])
        chosen = number < pods[self._kind]
        asks = packing.asks[self._kind]
        known = self._places.get(key)
        place = best_fit(asks, packing.room, chosen) if known is None else known
        search = self._exchange(asks, place, short=steps in (FIRST_STEPS, self._few))
        late = self._late(share)
        if self._crowded and steps not in (FIRST_STEPS, self._few):
            return self._filled(asks, np.flatnonzero(chosen), late), True
        if search.run(lambda step: (steps is not None and step >= steps) or late()):
            return self._table(search.place), True
        if isinstance(search, Regrouping):
            self._places[key] = search.place.copy()
        own = np.flatnonzero(self._group == max(want))
        fits = made_to_fit(asks, packing.room, search.place, own)
        return (self._table(search.place) if fits else None), False

    def _exchange(
        self, asks: IntArray, place: IntArray, *, short: bool
    ) -> Exchange | Reassignment | Regrouping:
        """By two on few nodes, node groups anew where few pods are on each, else by all at once on many."""
        room, nodes = self.packing.room, len(self.packing.nodes)
        if self.packing.alike and not self._crowded and nodes >= FEWEST_NODES:
            return Regrouping(asks, room, place, self._kind, self._random)
        self._attempts += not short
        pairs = nodes < FEWEST_NODES
        if nodes <= MOST_NODES_OF_PAIRS and not short:
            pairs = pairs or self._attempts % 2 == 1
        if pairs:
            return Exchange(asks, room, place, self._group, self._random)
        return Reassignment(asks, room, place, self._random)

    def _filled(self, asks: IntArray, pods: IntArray, late: Callable[[], bool]) -> IntArray | None:
        """A packing by filling node by node, in ever new tries."""
        room, nodes = self.packing.room[0], len(self.packing.nodes)
        tries = 1 if self.limit.deterministic else 1 << 20
        for _ in range(tries):
            node_of = filled(asks, room, pods, nodes, self._random, late)
            if node_of is not None:
                return self._table(np.where(node_of < 0, nodes, node_of))
            if late():
                break
        return None

    def _table(self, place: IntArray) -> IntArray:
        shape = (len(self.packing.gangs), len(self.packing.nodes))
        table = np.zeros(shape, dtype=np.int64)
        inside = place < shape[1]
        np.add.at(table, (self._kind[inside], place[inside]), 1)
        return table
