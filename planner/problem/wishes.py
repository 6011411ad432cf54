"""What pods would rather have, and the points that a plan loses where they do not get it.

A *wish* is the number of pods that preferred rules cannot tell apart. Every newly placed pod loses

- the weight of each preferred node affinity term that its node does not match;
- :data:`TAINT_POINTS` for each ``PreferNoSchedule`` taint of its node that it does not tolerate;
- the weight of each preferred pod affinity term without another matching pod in its domain after the plan;
- the weight of each preferred pod anti-affinity term with another matching pod in its domain after the plan;
- :data:`SPREAD_POINTS` where it is one too many for a ``ScheduleAnyway`` constraint: in a domain that holds c matching
  pods after the plan, n of them new ones with the constraint, ``max(0, min(n, c - fewest - maxSkew))`` are.

Kubernetes adds up normalised scores pod by pod; here a term is met or not, so that points stay whole numbers and a
report can say what was not met. Preferences of pods that run already are not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
TAINT_POINTS = 100
"""As much as the heaviest preferred term."""
SPREAD_POINTS = 100
"""The same for a pod too many: such a constraint carries no weight."""
TIER = "preferences"
UNIT = "points"


@dataclass(frozen=True)
class NodeWish:
    """Nodes on which a pod loses points."""

    words: str
    points: int
    unmet: BoolArray


@dataclass(frozen=True)
class PodWish:
    """A preferred term about other pods, near or apart.

    Attributes
    ----------
    owner
        Wish of the pods that have the term.
    selected
        Wishes of the new pods that it selects.
    place
        ``[nodes]`` the node's domain, -1 = in none.
    held
        Per domain the matching pods that hold its nodes and stay.
    """

    words: str
    points: int
    near: bool
    owner: int
    selected: frozenset[int]
    place: IntArray
    held: IntArray

    @property
    def itself(self) -> int:
        """1 where the term selects its owners, who are no company for themselves."""
        return int(self.owner in self.selected)

    def unmet(self, matching: IntArray) -> BoolArray:
        """``[nodes]`` where owners lose points, with so many matching pods per domain."""
        others = np.append(matching - self.itself, -1)[self.place]
        if self.near:
            return (self.place < 0) | (others <= 0)
        found: BoolArray = (self.place >= 0) & (others > 0)
        return found


@dataclass(frozen=True)
class SpreadWish:
    """A constraint that schedules anyway; pods of ``owners`` on a node with place -1 all lose."""

    words: str
    skew: int
    owners: frozenset[int]
    counted: frozenset[int]
    place: IntArray
    held: IntArray

    def too_many(self, came: IntArray, matching: IntArray) -> IntArray:
        """Per domain the new pods that are too many, of ``came`` with the constraint and so many matching in all."""
        if not len(matching):
            return came
        over = matching - int(matching.min()) - self.skew
        return np.maximum(np.minimum(came, over), 0)


Counts = Mapping[tuple[int, int], int]
"""(wish, node) to new pods."""


@dataclass(frozen=True)
class Wishes:
    """All wishes of the pods that a plan may place; wish 0 prefers nothing and nobody asks after it."""

    nodes: Mapping[int, tuple[NodeWish, ...]] = field(default_factory=dict)
    pods: tuple[PodWish, ...] = ()
    spreads: tuple[SpreadWish, ...] = ()

    @cached_property
    def asking(self) -> frozenset[int]:
        """Wishes whose pods can lose points."""
        found = {*self.nodes, *(one.owner for one in self.pods)}
        return frozenset(found.union(*(one.owners for one in self.spreads)))

    @cached_property
    def losses(self) -> Mapping[int, IntArray]:
        """Wish to ``[nodes]`` points that one of its pods loses for the node alone."""
        return {
            wish: np.sum([one.points * one.unmet.astype(np.int64) for one in mine], axis=0)
            for wish, mine in self.nodes.items()
        }

    def points(self, placed: Iterable[tuple[int, int, int]]) -> int:
        """Points that (wish, node, pods) lose in all."""
        counts = summed(placed)
        found = sum(
            int(self.losses[wish][node]) * count
            for (wish, node), count in counts.items()
            if wish in self.nodes
        )
        for one in self.pods:
            unmet = one.unmet(domain_sums(one.place, one.held, counts, one.selected.__contains__))
            found += one.points * sum(
                count for (wish, node), count in counts.items() if wish == one.owner and unmet[node]
            )
        return found + sum(SPREAD_POINTS * self.beyond(one, counts) for one in self.spreads)

    @staticmethod
    def beyond(one: SpreadWish, counts: Counts) -> int:
        """Pods too many in all domains, with those outside."""
        none = np.zeros_like(one.held)
        came = domain_sums(one.place, none, counts, one.owners.__contains__)
        matching = domain_sums(one.place, one.held, counts, one.counted.__contains__)
        outside = sum(
            count
            for (wish, node), count in counts.items()
            if wish in one.owners and one.place[node] < 0
        )
        return int(one.too_many(came, matching).sum()) + outside


def summed(placed: Iterable[tuple[int, int, int]]) -> dict[tuple[int, int], int]:
    """Pods per wish and node; those of wish 0 matter to nobody."""
    found: dict[tuple[int, int], int] = {}
    for wish, node, count in placed:
        if wish and count:
            found[wish, node] = found.get((wish, node), 0) + count
    return found


def domain_sums(
    place: IntArray, held: IntArray, counts: Counts, counted: Callable[[int], bool]
) -> IntArray:
    """Per domain what is held and the new pods of some wishes."""
    found = held.copy()
    for (wish, node), count in counts.items():
        if counted(wish) and place[node] >= 0:
            found[place[node]] += count
    return found
