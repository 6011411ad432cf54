"""I7, entitlement: which starting gangs stay within what their queue deserves, smaller minima first.

n_k gangs of class k are entitled: those that fit on top of what stays of the queue and of the entitled gangs before
them. The walk is greedy, so a gang that fits may not be passed over; both directions are rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.formulations.placement.evictions import Evictions
from planner.formulations.placement.variables import PlacementVariables, Terms
from planner.prepare.gang_classes import GangClass
from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem


@dataclass(frozen=True, slots=True)
class _Option:
    """``low .. high`` of ``constant + terms`` against an amount that is deserved."""

    constant: int
    terms: Terms
    need: int
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
    found: dict[int, Terms] = {}
    sizes: dict[int, int] = {}
    for k in walk:
        queue = problem.queue_names[classes[k].example.queue]
        options = [
            _option(problem, classes, evictions, found, needs, level, name, k)
            for level in victims.entitlement_levels[queue]
            if level in victims.shares
            for name in needs[k]
        ]
        count = _count(model, options, variables.start_of(k), classes[k].size, victims.proportional)
        if count:
            found[k] = count
            sizes[k] = classes[k].size
    return found


def _option(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    evictions: Evictions,
    before: dict[int, Terms],
    needs: dict[int, dict[str, int]],
    level: str,
    name: str,
    k: int,
) -> _Option:
    """Use of a level in a dimension before the gangs of class k come."""
    victims = evictions.victims
    share = victims.shares[level]
    used = share.used.get(name, 0)
    terms: Terms = []
    least = most = used
    for kind, total in evictions.totals.items():
        one = victims.kinds[kind]
        amount = one.request.amount(name)
        if amount and one.queue == level:
            terms += evictions.of_kind(kind, -amount)
            least -= amount * total
    for j, count in before.items():
        queue = problem.queue_names[classes[j].example.queue]
        if level in victims.entitlement_levels[queue] and needs[j].get(name):
            terms += [(column, factor * needs[j][name]) for column, factor in count]
            most += needs[j][name] * classes[j].size
    return _Option(used, terms, needs[k][name], share.deserved.get(name, 0), least, most)


def _count(
    model: LinearModel, options: Sequence[_Option], starts: Terms, size: int, proportional: bool
) -> Terms:
    """Terms of n_k; nothing where no gang can be entitled, the starts themselves where all always are."""
    if not options:
        return []
    possible = [one.low + one.need <= one.deserved for one in options]
    certain = [one.high + size * one.need <= one.deserved for one in options]
    if not (all(possible) if proportional else any(possible)):
        return []
    if all(certain) if proportional else any(certain):
        return starts
    n = model.variable(0, size)
    model.at_most([(n, 1), *((c, -f) for c, f in starts)], 0, "entitlement")
    _fits(model, options, n, size, proportional)
    _not_passed_over(model, options, n, starts, size, proportional)
    return [(n, 1)]


def _fits(
    model: LinearModel, options: Sequence[_Option], n: int, size: int, proportional: bool
) -> None:
    """n >= 1 needs an option (proportion: all) with ``use + need n <= deserved``."""
    joint = model.variable(0, 1)
    switches = []
    for one in options:
        c = joint if proportional else model.variable(0, 1)
        slack = max(one.high + one.need * size - one.deserved, 0)
        terms = [*one.terms, (n, one.need), (c, slack)]
        model.at_most(terms, one.deserved - one.constant + slack, "entitlement")
        switches.append(c)
    columns = [joint] if proportional else switches
    model.at_most([(n, 1), *((c, -size) for c in columns)], 0, "entitlement")


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
    model.at_most([*starts, (n, -1), (left, -size)], 0, "entitlement")
    exceeding = []
    for one in options:
        f = model.variable(0, 1) if proportional else left
        lift = max(one.deserved + 1 - one.low - one.need, 0)
        terms = [*one.terms, (n, one.need), (f, -lift)]
        model.at_least(terms, one.deserved + 1 - one.constant - one.need - lift, "entitlement")
        exceeding.append(f)
    if proportional:
        model.at_least([*((f, 1) for f in exceeding), (left, -1)], 0, "entitlement")
