"""I7, entitlement: which starting gangs stay within what their queue deserves, smaller minima first.

n_k gangs of class k are entitled: those that fit on top of what stays of the queue and of the entitled gangs before
them. The walk is greedy, so a gang that fits may not be passed over; both directions are rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.rules import RuleId
from planner.model.evictions import Evictions
from planner.model.variables import PlacementVariables, Terms
from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem
from planner.reduce.gang_classes import GangClass


@dataclass(frozen=True, slots=True)
class _Option:
    """Use of a level in a dimension before and with the gangs of a class, against what is deserved.

    ``low`` and ``high`` bound the use before; ``own`` are terms of what the class adds, ``need`` the least per gang.
    """

    constant: int
    terms: Terms
    own: Terms
    need: int
    most: int
    deserved: int
    low: int
    high: int


def need_of(problem: PlacementProblem, one: GangClass) -> dict[str, int]:
    """Least requests of a gang by dimension, without zeros."""
    pairs = zip(problem.dimensions[:-1], one.example.minimum[:-1], strict=True)
    return {name: amount for name, amount in pairs if amount}


def size_of(need: dict[str, int]) -> tuple[int, int, int]:
    """Order of the walk: extended resources summed, then memory, then cpu."""
    extended = sum(amount for name, amount in need.items() if "/" in name)
    return extended, need.get("memory", 0), need.get("cpu", 0)


def entitled_gangs(
    model: LinearModel,
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    variables: PlacementVariables,
    evictions: Evictions,
) -> dict[int, Terms]:
    """Terms of n_k per class that may be entitled."""
    victims = evictions.victims
    walk = [
        k
        for k, one in enumerate(classes)
        if not one.growing and all(victims.starters[d].causes for d in one.demands)
    ]
    needs = {k: need_of(problem, classes[k]) for k in walk}
    walk.sort(key=lambda k: (size_of(needs[k]), problem.gang_order[classes[k].example.gang]))
    walker = _Walk(model, problem, classes, variables, evictions, needs)
    for k in walk:
        walker.add(k)
    return walker.counts


class _Walk:
    """Class after class, each on top of those before."""

    def __init__(
        self,
        model: LinearModel,
        problem: PlacementProblem,
        classes: Sequence[GangClass],
        variables: PlacementVariables,
        evictions: Evictions,
        needs: dict[int, dict[str, int]],
    ) -> None:
        self.model = model
        self.problem = problem
        self.classes = classes
        self.variables = variables
        self.evictions = evictions
        self.needs = needs
        self.counts: dict[int, Terms] = {}
        self._added: dict[int, dict[str, Terms]] = {}
        self._entitled: dict[tuple[str, str], list[tuple[Terms, int]]] = {}
        self._leaving: dict[tuple[str, str], tuple[Terms, int]] = {}

    def _levels(self, k: int) -> list[str]:
        victims = self.evictions.victims
        queue = self.problem.queue_names[self.classes[k].example.queue]
        return [one for one in victims.entitlement_levels[queue] if one in victims.shares]

    def add(self, k: int) -> None:
        """Decide how many gangs of the class are entitled."""
        size = self.classes[k].size
        proportional = self.evictions.victims.proportional
        before = [
            self._before(level, name, k) for level in self._levels(k) for name in self.needs[k]
        ]
        if not before:
            return
        possible = [one.low + one.need <= one.deserved for one in before]
        certain = [one.high + size * one.most <= one.deserved for one in before]
        if not (all(possible) if proportional else any(possible)):
            return
        starts = self.variables.start_of(k)
        always = all(certain) if proportional else any(certain)
        n = starts[0][0] if always else self.model.variable(0, size)
        self.counts[k] = [(n, 1)]
        self._added[k] = {name: self._sum(k, name, n) for name in self.needs[k]}
        self._enter(k)
        if always:
            return
        names = [name for _ in self._levels(k) for name in self.needs[k]]
        options = [
            replace(one, own=self._added[k][name]) for one, name in zip(before, names, strict=True)
        ]
        self.model.at_most([(n, 1), *((c, -f) for c, f in starts)], 0, RuleId.VICTIM_CAUSE)
        _fits(self.model, options, n, size, proportional)
        _not_passed_over(self.model, options, n, starts, size, proportional)

    def _before(self, level: str, name: str, k: int) -> _Option:
        """Use of a level in a dimension before the gangs of class k come."""
        share = self.evictions.victims.shares[level]
        used = share.used.get(name, 0)
        leaving, freed = self._staying(level, name)
        entitled = self._entitled.get((level, name), [])
        most = used + sum(amount for _, amount in entitled)
        terms = [*leaving, *(term for added, _ in entitled for term in added)]
        deserved = share.deserved.get(name, 0)
        need, own = self.needs[k][name], self._most(k, name)
        return _Option(used, terms, [], need, own, deserved, used - freed, most)

    def _staying(self, level: str, name: str) -> tuple[Terms, int]:
        """Terms of what evictions take from the use of a level, and the most that they can take."""
        if (level, name) not in self._leaving:
            kinds = self.evictions.victims.kinds
            terms: Terms = []
            most = 0
            for kind, total in self.evictions.totals.items():
                amount = kinds[kind].request.amount(name)
                if amount and kinds[kind].queue == level:
                    terms += self.evictions.of_kind(kind, -amount)
                    most += amount * total
            self._leaving[level, name] = terms, most
        return self._leaving[level, name]

    def _enter(self, k: int) -> None:
        """Count the entitled gangs of a class for those that come after it."""
        size = self.classes[k].size
        for level in self._levels(k):
            for name, terms in self._added[k].items():
                found = self._entitled.setdefault((level, name), [])
                found.append((terms, self._most(k, name) * size))

    def _amounts(self, k: int, name: str) -> list[int]:
        d = self.problem.dimensions.index(name)
        items = self.classes[k].example.items
        return [int(self.problem.requests[item.shape, d]) for item in items]

    def _lacking(self, k: int) -> int:
        """Pods that count, for every gang of the class."""
        demand = self.classes[k].example
        return min(self.evictions.victims.starters[self.classes[k].demands[0]].lacking, demand.need)

    def _counted(self, k: int) -> int:
        """Pods that may count: subgroups can make the smallest set larger than what the gang lacks."""
        return max(self._lacking(k), self.classes[k].example.minimum[-1])

    def _most(self, k: int, name: str) -> int:
        """Most that the counted pods of one gang can request."""
        return max(self._amounts(k, name)) * self._counted(k)

    def _sum(self, k: int, name: str, n: int) -> Terms:
        """What the entitled gangs of a class add: the cheapest of their new pods, as many as they lack.

        Where the pods differ, v_i of them are chosen: ``v_i <= u_i``, ``sum v_i >= lacking n``; pods beyond the
        minimum do not lower what counts: ``sum request_i v_i >= need n``.
        """
        amounts = self._amounts(k, name)
        lacking, size = self._lacking(k), self.classes[k].size
        if len(set(amounts)) == 1:
            return [(n, max(amounts[0] * lacking, self.needs[k][name]))]
        chosen: Terms = []
        for i, amount in enumerate(amounts):
            pods = self.variables.pods_of(k, i, -1)
            most = min(self._counted(k), self.classes[k].example.items[i].count)
            v = self.model.variable(0, most * size)
            self.model.at_most([(v, 1), *pods], 0, RuleId.VICTIM_CAUSE)
            chosen.append((v, amount))
        self.model.at_least([*((v, 1) for v, _ in chosen), (n, -lacking)], 0, RuleId.VICTIM_CAUSE)
        added = [(v, amount) for v, amount in chosen if amount]
        self.model.at_least([*added, (n, -self.needs[k][name])], 0, RuleId.VICTIM_CAUSE)
        return added


def _fits(
    model: LinearModel, options: Sequence[_Option], n: int, size: int, proportional: bool
) -> None:
    """One or more need an option (proportion: all) with ``use + need n <= deserved``."""
    columns = [model.variable(0, 1) for _ in options[: 1 if proportional else None]]
    for number, one in enumerate(options):
        c = columns[0 if proportional else number]
        slack = max(one.high + one.most * size - one.deserved, 0)
        terms = [*one.terms, *one.own, (c, slack)]
        model.at_most(terms, one.deserved - one.constant + slack, RuleId.VICTIM_CAUSE)
    model.at_most([(n, 1), *((c, -size) for c in columns)], 0, RuleId.VICTIM_CAUSE)


def _not_passed_over(
    model: LinearModel,
    options: Sequence[_Option],
    n: int,
    starts: Terms,
    size: int,
    proportional: bool,
) -> None:
    """A started gang is left out only where one more exceeds every option (proportion: some)."""
    left = model.variable(0, 1)
    model.at_most([*starts, (n, -1), (left, -size)], 0, RuleId.VICTIM_CAUSE)
    exceeding = []
    for one in options:
        f = model.variable(0, 1) if proportional else left
        lift = max(one.deserved + 1 - one.low - one.need, 0)
        terms = [*one.terms, *one.own, (f, -lift)]
        model.at_least(
            terms, one.deserved + 1 - one.constant - one.need - lift, RuleId.VICTIM_CAUSE
        )
        exceeding.append(f)
    if proportional:
        model.at_least([*((f, 1) for f in exceeding), (left, -1)], 0, RuleId.VICTIM_CAUSE)
