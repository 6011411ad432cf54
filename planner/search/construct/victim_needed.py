"""A victim is needed: what starts could not all run if it stayed (docs/evictions.md has the definition).

Where newcomers are placed does not matter. A plan is here what starts and what goes; plans that evict less are tried
from this plan's parts, each of them judged by the same rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from planner.encode.victims.after_evictions import without
from planner.encode.victims.victim_causes import VictimCauses
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.reduce.minimal_pod_sets import Delivery, TooManyError, minimal_deliveries
from planner.search.construct.victim_losses import Counts, Loss, losses, smaller
from planner.search.construct.victim_nearby import NearbyReturns
from planner.search.exact.start_together import start_together

MOST_QUESTIONS = 300
"""Sets of gangs beside sets of victims that are looked at for one plan; more are left undecided."""

MOST_CELLS = 120
"""Nodes times started gangs beyond which sets are not tried out."""

MOST_GANGS = 12
"""Started gangs of which all sets are tried at most."""

Order = tuple[int, int]
_LAST: Order = (2, 0)


@dataclass(frozen=True)
class _Plan:
    """Started demands, and per loss of the judged plan how much of each entry goes."""

    starts: frozenset[int]
    gone: tuple[Counts, ...]


class NeededVictims:
    """Judges plans of one problem, and remembers what it found.

    Parameters
    ----------
    classes
        Waiting gangs with class and rank.
    cluster_scope
        Ranks go before classes.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        victims: Victims,
        classes: Sequence[GangClass],
        *,
        cluster_scope: bool = False,
    ) -> None:
        self._problem = problem
        self._victims = victims
        self._order: dict[int, Order] = {}
        for one in classes:
            side = int(one.tier_class == "rest")
            place = (one.rank, side) if cluster_scope else (side, one.rank)
            self._order |= dict.fromkeys(one.demands, place)
        self._fits: dict[tuple[frozenset[int], frozenset[str]], bool] = {}
        self._right: dict[tuple[frozenset[int], frozenset[str]], bool] = {}
        self._questions = 0
        self._last: tuple[object, Loss | None] = None, None
        self._beside: Assignment | None = None

    def needless(self, assignment: Assignment) -> Loss | None:
        """The first loss that is not needed; None where all are, or where none was found.

        Beyond :data:`MOST_CELLS` or :data:`MOST_QUESTIONS` only what :class:`NearbyReturns` finds is told.
        """
        key = assignment.evicted, _content(assignment)
        if key != self._last[0]:
            self._beside = None
            try:
                found = self.decided(assignment)
            except TooManyError:
                nearby = NearbyReturns(self._problem, self._victims, self._place)
                found, self._beside = nearby.needless(assignment) or (None, None)
            self._last = key, found
        return self._last[1]

    def beside(self, assignment: Assignment) -> Assignment | None:
        """A plan in which the needless loss is smaller, of what goes no later; None where none was made."""
        self.needless(assignment)
        return self._beside

    def is_small(self, assignment: Assignment) -> bool:
        """Whether sets of its gangs are few enough to be tried."""
        gangs = sum(any(items.values()) for items in assignment.pods.values())
        return gangs <= MOST_GANGS and len(self._problem.node_names) * gangs <= MOST_CELLS

    def decided(self, assignment: Assignment) -> Loss | None:
        """The first loss that is not needed; None where all are.

        Raises
        ------
        TooManyError
            That is too much to find out.
        """
        self._questions = 0
        if not self.is_small(assignment):
            raise TooManyError
        found = losses(self._victims, assignment.evicted)
        starts = frozenset(
            demand
            for demand, items in assignment.pods.items()
            if any(items.values()) and not self._problem.demands[demand].ready
        )
        whole = _Plan(starts, tuple(one.counts for one in found))
        causes = VictimCauses(self._problem, self._victims, assignment)
        for place in range(len(found)):
            if not self._needed(found, whole, place, causes):
                return found[place]
        return None

    def _needed(self, found: Sequence[Loss], plan: _Plan, place: int, causes: VictimCauses) -> bool:
        """For some taker g and some X no later than it: the loss can be smaller beside X, but not beside X and g."""
        kinds = Loss(found[place].entries, plan.gone[place], found[place].gang).kinds()
        takers = sorted(
            {one for kind in kinds for one in causes.takers(kind, kinds)} & plan.starts,
            key=lambda one: (self._place(one), one),
        )
        if any(not self._runs(found, plan, place, frozenset({one})) for one in takers):
            return True
        return any(self._needed_by(found, plan, place, taker) for taker in reversed(takers))

    def _needed_by(self, found: Sequence[Loss], plan: _Plan, place: int, taker: int) -> bool:
        others = sorted(
            one for one in plan.starts - {taker} if self._place(one) <= self._place(taker)
        )
        extendable: list[frozenset[int]] = []
        for size in range(len(others), -1, -1):
            for chosen in map(frozenset, itertools.combinations(others, size)):
                if any(chosen <= known for known in extendable):
                    continue
                if not self._runs(found, plan, place, chosen):
                    continue
                if not self._runs(found, plan, place, chosen | {taker}):
                    return True
                extendable.append(chosen)
        return False

    def _runs(self, found: Sequence[Loss], plan: _Plan, place: int, wanted: frozenset[int]) -> bool:
        """Whether a correct plan starts these at least, with this loss smaller and no other larger."""
        least = self._parts(found[place], plan.gone[place])
        most = [*plan.gone]
        if not any(
            self._packs(wanted, _names(found, [*most[:place], part, *most[place + 1 :]]))
            for part in _largest(least)
        ):
            return False
        spare = sorted(plan.starts - wanted)
        choices = [
            least if at == place else [*self._parts(found[at], counts), counts]
            for at, counts in enumerate(plan.gone)
        ]
        goings = sorted(itertools.product(*choices), key=lambda one: sum(map(sum, one)))
        for size in range(len(spare) + 1):
            for more in itertools.combinations(spare, size):
                starts = wanted.union(more)
                if any(self._is_right(found, _Plan(starts, going)) for going in goings):
                    return True
        return False

    def _is_right(self, found: Sequence[Loss], plan: _Plan) -> bool:
        """Whether a plan fits, may evict what it evicts, and needs all of it."""
        names = _names(found, plan.gone)
        key = plan.starts, names
        if key not in self._right:
            self._right[key] = self._packs(plan.starts, names) and (
                not names
                or any(
                    not causes.fault()
                    and all(
                        self._needed(found, plan, place, causes)
                        for place, counts in enumerate(plan.gone)
                        if any(counts)
                    )
                    for causes in self._causes(plan.starts, names)
                )
            )
        return self._right[key]

    def _causes(self, starts: Collection[int], names: Collection[str]) -> Iterator[VictimCauses]:
        """Who may evict whom, per choice of minimal sets of pods."""
        demands = sorted(starts)
        evicted = tuple(sorted(names))
        for chosen in itertools.product(
            *(minimal_deliveries(self._problem.demands[one]) for one in demands)
        ):
            pods = {
                demand: _somewhere(delivery)
                for demand, delivery in zip(demands, chosen, strict=True)
            }
            yield VictimCauses(self._problem, self._victims, Assignment(pods, evicted))

    def _packs(self, starts: frozenset[int], names: frozenset[str]) -> bool:
        if not starts:
            return True
        key = starts, names
        if key not in self._fits:
            self._questions += 1
            if self._questions > MOST_QUESTIONS:
                raise TooManyError
            after = without(self._problem, self._victims, names)
            answer = start_together(after, sorted(starts, key=self._place))
            if answer is None:
                raise TooManyError
            self._fits[key] = answer
        return self._fits[key]

    def _parts(self, loss: Loss, counts: Counts) -> list[Counts]:
        return smaller(self._victims, Loss(loss.entries, counts, loss.gang))

    def _place(self, demand: int) -> Order:
        return self._order.get(demand, _LAST)


def _content(assignment: Assignment) -> tuple[object, ...]:
    return tuple(
        (demand, item, *spots)
        for demand, items in sorted(assignment.pods.items())
        for item, spots in items.items()
    )


def _names(found: Sequence[Loss], gone: Sequence[Counts]) -> frozenset[str]:
    return frozenset(
        name for loss, counts in zip(found, gone, strict=True) for name in loss.names(counts)
    )


def _largest(parts: Sequence[Counts]) -> list[Counts]:
    """Those that no other one contains."""
    return [
        one
        for one in parts
        if not any(
            one != other and all(a <= b for a, b in zip(one, other, strict=True)) for other in parts
        )
    ]


def _somewhere(delivery: Delivery) -> dict[int, list[tuple[int, int]]]:
    """A delivery as if all of it were on one node: only the numbers count."""
    return {item: [(0, count)] for item, count in delivery.items()}
