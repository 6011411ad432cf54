"""Ways into domains in whole numbers: gang after gang is placed where the relaxation has it, which is then solved anew.

Gangs with pods of at least half of the largest size are placed so; what smaller pods leave on a node is not in the
relaxation, they go afterwards where they cost larger ones the least.

What the relaxation has of a way in whole goes onto nodes as it is. Of large gangs that are split over several ways the
one that it has most of goes next, before smaller gangs take their nodes, and the ways of all others are found anew
beside what has been placed (diving, as in column generation for integers:
Joncour, Michel, Sadykov, Sverdlov and Vanderbeck, "Column generation based primal heuristics", 2010).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from planner.model.build import BuiltModel
from planner.model.domain_ways import DomainWays, Way
from planner.problem.linear import TierGoal
from planner.search.construct.place_in_domains import Settler
from planner.solve.generated import GeneratedBounds

WHOLE = 1e-6
"""Distance from a whole number up to which a value counts as whole."""
MOSTLY = 0.7
"""Part of a gang from which ways are followed together."""
RANKS_RATIO = 8
"""A GPU of a rank counts for so many of the next one: while diving all ranks are one goal."""
GPUS_RATIO = 8
"""GPUs beside gangs of the same rank."""


def whole_ways(
    settler: Settler,
    built: BuiltModel,
    source: DomainWays,
    goals: Sequence[TierGoal],
    relaxation: GeneratedBounds,
    *,
    seconds: float,
    stopped: Callable[[], bool],
    then: Callable[[tuple[float, ...]], tuple[float, ...] | None] = lambda found: None,
) -> tuple[float, ...] | None:
    """Place gangs that have to be in one domain, as near to the last optimum of a relaxation as they fit.

    The goals, whose pins it has, are missed where they have to be, those of low ranks first. Afterwards the relaxation
    is as before, but for further columns. Returns the relaxed solution beside the gangs that have been placed, None
    where none was found in time. What is to be done ``then``, while goals are still soft, may find a further one.
    """
    dive = _Dive(settler, built, source, relaxation)
    relaxation.aim(goals[-1])
    relaxation.soften(_costs(goals))
    try:
        found = dive.run(goals[-1], seconds, stopped)
        return (None if found is None else then(found)) or found
    finally:
        source.beside(None)
        relaxation.harden()
        relaxation.let_go()


@dataclass
class _Dive:
    """Gangs followed per way and started per class, and ways that nobody goes any more."""

    settler: Settler
    built: BuiltModel
    source: DomainWays
    relaxation: GeneratedBounds
    _followed: dict[Way, int] = field(default_factory=dict)
    _started: dict[int, int] = field(default_factory=dict)
    _closed: set[Way] = field(default_factory=set)

    def run(
        self, goal: TierGoal, seconds: float, stopped: Callable[[], bool]
    ) -> tuple[float, ...] | None:
        until = time.perf_counter() + seconds
        found: tuple[float, ...] | None = None
        while not stopped():
            left = until - time.perf_counter()
            if left <= 0 or self.relaxation.bound(goal, seconds=left) is None:
                return found
            found = tuple(self.relaxation.values())
            rest = self._rest()
            if not rest:
                return found
            for way in self._next(rest):
                self._follow(way, found)
            self._close()
        return found

    def _rest(self) -> dict[Way, float]:
        """Ways of large pods that the relaxation takes beyond those that have been followed, with how much of each."""
        found = {}
        for way, count in self.relaxation.chosen().items():
            if isinstance(way, Way) and self._large(way):
                left = count - self._followed.get(way, 0)
                if left > WHOLE:
                    found[way] = left
        return found

    def _large(self, way: Way) -> bool:
        """Pods of at least half of the largest size: the relaxation tells what they leave on nodes."""
        gpus = self.built.form.problem.shape_gpus
        return 2 * int(gpus[way.kind.shape]) >= int(gpus.max(initial=0))

    def _next(self, rest: dict[Way, float]) -> list[Way]:
        """Ways to follow now: those in whole, but none of a gang smaller than the largest that is split."""
        order = sorted(rest, key=lambda way: (-rest[way], way.domain, way.spots, way.kind.shape))
        split = [way for way in order if rest[way] - int(rest[way] + WHOLE) > WHOLE]
        largest = max(map(self._gpus, split), default=0)
        whole = [
            way
            for way in order
            if self._gpus(way) >= largest
            for _ in range(int(rest[way] + WHOLE))
        ]
        split = [way for way in split if self._gpus(way) == largest]
        return whole or [way for way in split if rest[way] >= MOSTLY] or split[:1]

    def _gpus(self, way: Way) -> int:
        return way.kind.pods * int(self.built.form.problem.shape_gpus[way.kind.shape])

    def _follow(self, way: Way, values: Sequence[float]) -> None:
        """Place one more gang on a way, or on other nodes of its domain; where there are none, the way is closed."""
        k = self._class_of(way, values)
        if k is None:
            self._shut(way)
            return
        index = self.built.form.classes[k].demands[self._started.get(k, 0)]
        if not self.settler.on_nodes(index, way.domain, way.spots):
            other = self._other(way)
            if other is None or not self.settler.on_nodes(index, other.domain, other.spots):
                self._shut(way)
                return
            self.relaxation.extend([self.source.column(other)])
            way = other
        self._followed[way] = self._followed.get(way, 0) + 1
        self._started[k] = self._started.get(k, 0) + 1
        self.relaxation.keep(way, self._followed[way])
        column = self.built.form.variables.starts[k]
        if column is not None:
            self.relaxation.keep_start(column, self._started[k])

    def _class_of(self, way: Way, values: Sequence[float]) -> int | None:
        """The class of the kind of which the relaxation starts most beyond what has been placed."""
        starts, classes = self.built.form.variables.starts, self.built.form.classes
        best, most = None, WHOLE
        for k in self.source.kinds[way.kind]:
            column = starts[k]
            if column is None or self._started.get(k, 0) >= classes[k].size:
                continue
            left = values[column] - self._started.get(k, 0)
            if left > most + WHOLE:
                best, most = k, left
        return best

    def _other(self, way: Way) -> Way | None:
        """The same pods on nodes of the same groups of the domain, as far as room is left there."""
        return self.source.again(way, self.settler.room.counts(way.kind.shape))

    def _shut(self, way: Way) -> None:
        """No more gangs go this way."""
        done = self._followed.get(way, 0)
        self.relaxation.keep(way, done, done)
        self._closed.add(way)

    def _close(self) -> None:
        """Ways whose nodes have been taken by others are closed, and new ones are found beside them."""
        counts = self.settler.room.counts
        self.source.beside(counts)
        for way in self.relaxation.names():
            if isinstance(way, Way) and way not in self._closed:
                fits = counts(way.kind.shape)
                if any(fits[node] < count for node, count in way.spots):
                    self._shut(way)


def _costs(goals: Sequence[TierGoal]) -> list[tuple[TierGoal, float]]:
    """What a unit of each goal is worth: shortfalls and GPUs before gangs of a rank, each rank far above the next."""
    ranks = list(dict.fromkeys(goal.name.rsplit(".", 1)[0] for goal in goals))
    found = []
    for goal in goals:
        rank, what = goal.name.rsplit(".", 1)
        weight = float(RANKS_RATIO ** (len(ranks) - ranks.index(rank)))
        found.append((goal, weight if what == "gangs" else weight * GPUS_RATIO))
    return found
