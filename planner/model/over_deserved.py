"""I7, victims of reclaim: the queue keeps its guarantee and is above what it deserves when a pod is taken.

Read backwards from the state with all victims gone: a pod may be put back if its queue is then above deserved in a
dimension d that counts and that it requests. Once one such pod is back, every pod that requests d may follow. So a
dimension is *open* (o_d) when, with the pods back that request dimensions opened before (set D), one more victim of
amount a exceeds it (s_Dda): ``used_d - sum_{v not in D} r_v v_d + a >= deserved_d + 1``.

With ``ancestor_reclaim_level`` the same holds at every ancestor that no entitled gang shares. That one order suits all
levels at once is no row; a plan in which none does is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from models.rules import RuleId
from planner.model.evictions import Evictions
from planner.model.variables import Terms
from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Share, VictimKind
from planner.reduce.gang_classes import GangClass

MOST_SUBSETS = 4
"""Dimensions up to which every order of opening them is modelled; beyond, all others count as open already."""


def over_deserved(
    model: LinearModel,
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    evictions: Evictions,
    reclaimed: Mapping[int, int],
    entitled: Mapping[int, Terms],
) -> None:
    """Rows for every queue from which entitled gangs of other queues may reclaim pods."""

    def sharing(queue: str, level: str, place: int) -> Terms:
        return _sharing(problem, classes, evictions, entitled, queue, level, place)

    taken_above_deserved(model, evictions, reclaimed, sharing)


def taken_above_deserved(
    model: LinearModel,
    evictions: Evictions,
    reclaimed: Mapping[int, int],
    sharing: Callable[[str, str, int], Terms],
) -> None:
    """Rows for every queue of the ``reclaimed`` pods (kind to column).

    ``sharing`` gives the terms whose value above 0 means that an ancestor (queue, ancestor, its place above the queue)
    need not exceed anything.
    """
    victims = evictions.victims
    queues: dict[str, list[int]] = {}
    for kind in reclaimed:
        queues.setdefault(victims.kinds[kind].queue, []).append(kind)
    for queue, kinds in queues.items():
        share = victims.shares[queue]
        rows = _QueueRows(model, evictions, share, kinds, reclaimed)
        rows.guarantee()
        rows.open_dimensions([])
        for place, level in enumerate(victims.exceeded_levels[queue]):
            above = _QueueRows(model, evictions, victims.shares[level], kinds, reclaimed)
            above.open_dimensions(sharing(queue, level, place))


def _sharing(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    evictions: Evictions,
    entitled: Mapping[int, Terms],
    queue: str,
    level: str,
    place: int,
) -> Terms:
    """Entitled gangs of other queues with the same ancestor at this depth: it need not exceed anything for them."""
    found: Terms = []
    for k, terms in entitled.items():
        other = problem.queue_names[classes[k].example.queue]
        levels = evictions.victims.exceeded_levels[other]
        if other != queue and levels[place : place + 1] == (level,):
            found += terms
    return found


def at_once(kind: VictimKind, share: Share) -> bool:
    """The pod requests nothing of which its queue deserves an amount above 0."""
    return not any(share.deserved.get(name, 0) > 0 for name in kind.request)


class _QueueRows:
    """Rows of one queue."""

    def __init__(
        self,
        model: LinearModel,
        evictions: Evictions,
        share: Share,
        kinds: Sequence[int],
        reclaimed: Mapping[int, int],
    ) -> None:
        self.model = model
        self.share = share
        self.evictions = evictions
        self.kinds = kinds
        self.reclaimed = reclaimed
        self.bound = [k for k in kinds if not at_once(self._kind(k), share)]

    def _kind(self, kind: int) -> VictimKind:
        return self.evictions.victims.kinds[kind]

    def _total(self, kind: int) -> int:
        return self.evictions.totals[kind]

    def guarantee(self) -> None:
        """``sum r_v v_d <= used_d - guarantee_d``; nothing where the guarantee is not covered already."""
        for name, floor in self.share.guarantee.items():
            spare = self.share.used.get(name, 0) - floor
            terms = [
                (self.reclaimed[k], amount if spare >= 0 else 1)
                for k in self.kinds
                if (amount := self._kind(k).request.amount(name)) or spare < 0
            ]
            self.model.at_most(terms, max(spare, 0), RuleId.GUARANTEE_KEPT)

    def _dimensions(self, kind: int) -> list[str]:
        return [name for name in self._kind(kind).request if name in self.share.counted]

    def open_dimensions(self, shared: Terms) -> None:
        """``r_v <= total_v (sum_d o_d + shared)`` over the dimensions that count and that the pod requests.

        ``shared`` counts entitled gangs that need not look at this level.
        """
        names = sorted({name for k in self.bound for name in self._dimensions(k)})
        opened = {name: self.model.variable(0, 1) for name in names}
        steps = {name: self.model.variable(0, max(len(names) - 1, 0)) for name in names}
        for k in self.bound:
            total = self._total(k)
            terms = [(opened[name], -total) for name in self._dimensions(k)]
            terms += [(column, -total * factor) for column, factor in shared]
            self.model.at_most([(self.reclaimed[k], 1), *terms], 0, RuleId.VICTIM_ENTITLEMENT)
        for name in names:
            self._open(name, names, opened, steps)

    def _open(
        self, name: str, names: Sequence[str], opened: Mapping[str, int], steps: Mapping[str, int]
    ) -> None:
        others = [one for one in names if one != name]
        ways: Terms = []
        if len(names) > MOST_SUBSETS:
            ways = [(switch, -1) for switch in self._ways(name, frozenset(others))]
            self.model.at_most([(opened[name], 1), *ways], 0, RuleId.VICTIM_ENTITLEMENT)
            return
        far = len(names)
        for size in range(len(others) + 1):
            for before in combinations(others, size):
                for switch in self._ways(name, frozenset(before)):
                    ways.append((switch, -1))
                    for one in before:
                        after = [(steps[name], 1), (steps[one], -1), (switch, -far)]
                        self.model.at_most(
                            [(switch, 1), (opened[one], -1)], 0, RuleId.VICTIM_ENTITLEMENT
                        )
                        self.model.at_least(after, 1 - far, RuleId.VICTIM_ENTITLEMENT)
        self.model.at_most([(opened[name], 1), *ways], 0, RuleId.VICTIM_ENTITLEMENT)

    def _ways(self, name: str, before: frozenset[str]) -> list[int]:
        """s_Dda for every amount a of a victim that opens the dimension."""
        gone = [
            k
            for k in self.bound
            if before.isdisjoint(self._dimensions(k)) and self._kind(k).request.amount(name)
        ]
        lost = [(self.reclaimed[k], self._kind(k).request.amount(name)) for k in gone]
        most = sum(self._kind(k).request.amount(name) * self._total(k) for k in gone)
        target = self.share.deserved.get(name, 0) + 1 - self.share.used.get(name, 0)
        found = []
        for amount in sorted({self._kind(k).request.amount(name) for k in gone}):
            if target - amount > 0:
                continue  # not even with nothing else taken
            switch = self.model.variable(0, 1)
            lift = max(most + target - amount, 0)
            self.model.at_most(
                [*lost, (switch, lift)], amount - target + lift, RuleId.VICTIM_ENTITLEMENT
            )
            takers = [
                (self.reclaimed[k], -1)
                for k in gone
                if self._kind(k).request.amount(name) == amount
            ]
            self.model.at_most([(switch, 1), *takers], 0, RuleId.VICTIM_ENTITLEMENT)
            found.append(switch)
        return found
