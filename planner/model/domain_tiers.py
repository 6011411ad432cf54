"""Tiers "fewest topology domains", one per level, the finest first.

Sets: k classes of one gang each, units t (the gang, or a subgroup with a topology), places e of a level.
Variables: o_kte whether a unit has pods in a place. ``sum of v over cells in e <= M o_kte`` and the tier is
``sum weight_t o_kte``. Pods whose subgroups are not known yet count once for every ``size_t`` of them in a place:
``sum of v over cells in e <= size_t o_kte``, o_kte integer. Where that would be too many columns, one column per
level is at least ``sum_k weight_k least_k z_k`` (what each started gang needs if it had the cluster for itself): its
bounds are valid, its value is only known of a plan.
"""

from __future__ import annotations

from planner.encode.victims.after_evictions import without
from planner.model.rows import Formulation
from planner.model.variables import Terms
from planner.problem.least_cost import Kind, LeastCost
from planner.problem.linear import Expression, TierGoal
from planner.problem.placement import Demand
from planner.problem.topology import Level
from planner.reduce.domain_count import LeastPlaces
from planner.reduce.partition import gathers_exactly

UNIT = "pods x domains"


def domain_tiers(form: Formulation) -> list[TierGoal]:
    """One tier per level; none where no gang wants to be in few domains."""
    problem = form.problem
    wanting = [k for k, one in enumerate(form.classes) if one.example.gathered and not one.growing]
    if not wanting:
        return []
    exact = gathers_exactly(problem)
    victims = form.evictions.victims if form.evictions else None
    roomy = problem if victims is None else without(problem, victims, None)
    found = []
    for number, level in enumerate(problem.topology.levels):
        least = LeastPlaces(roomy, level)
        make = _counted if exact else _bounded
        expression = make(form, number, level, wanting, least)
        costs = _least_costs(form, least)
        found.append(
            TierGoal(f"domains.{level.name}", "min", UNIT, expression, 0, not exact, costs)
        )
    return found


def _least_costs(form: Formulation, least: LeastPlaces) -> tuple[LeastCost, ...]:
    """Per class and rank what each gang that starts would need if it had the cluster for itself."""
    kinds: dict[str, list[Kind]] = {}
    for one in form.classes:
        if not one.growing:
            cost = _weight(one.example) * least.of(one.example) if one.example.gathered else 0
            kind = Kind(one.size, one.example.gpus, cost)
            kinds.setdefault(f"{one.tier_class}.{one.rank}", []).append(kind)
    return tuple(LeastCost(name, tuple(members)) for name, members in kinds.items())


def _weight(demand: Demand) -> int:
    """Pods that a gang's places are weighted by; 0 where only its subgroups have a topology."""
    return max((unit.weight for unit in demand.gathered if unit.whole), default=0)


def _counted(
    form: Formulation, number: int, level: Level, wanting: list[int], least: LeastPlaces
) -> Expression:
    columns: list[int] = []
    weights: list[int] = []
    for k in wanting:
        demand = form.classes[k].example
        for t, unit in enumerate(demand.gathered):
            mine = _places(form, k, t, number, level)
            columns += mine
            weights += [unit.weight] * len(mine)
            if unit.whole and mine:
                terms = [(column, 1) for column in mine]
                start = form.variables.start_of(k, -least.of(demand))
                form.model.at_least([*terms, *start], 0, "domains")
    return Expression(tuple(columns), tuple(weights))


def _places(form: Formulation, k: int, t: int, number: int, level: Level) -> list[int]:
    """o_kte of the places where the unit may have pods, or has running ones."""
    demand = form.classes[k].example
    unit = demand.gathered[t]
    regions, model = form.regions, form.model
    by_place: dict[int, Terms] = {}
    for region, items in regions.pods.get(k, {}).items():
        place = level.place[next(iter(regions.nodes[region]))]
        for i, terms in items.items():
            if unit.holds(i, demand.items[i].subgroup):
                by_place.setdefault(place, []).extend(terms)
    held = {level.place[node] for node in unit.running}
    supply = sum(item.count for i, item in enumerate(demand.items) if unit.holds(i, item.subgroup))
    found = []
    for place in sorted(held | set(by_place)):
        terms = by_place.get(place, [])
        most = min(sum(factor * model.upper[c] for c, factor in terms), supply)
        column = model.variable(0, max(unit.times(most), 1))
        form.gathering.places[k, t, number, place] = column
        found.append(column)
        each = min(most, unit.size) if unit.items else most
        model.at_most([*terms, (column, -each)], 0, "domains")
        if place in held:
            model.at_least([(column, 1), *form.variables.start_of(k, -1)], 0, "domains")
    return found


def _bounded(
    form: Formulation, number: int, level: Level, wanting: list[int], least: LeastPlaces
) -> Expression:
    terms: Terms = []
    most = 0
    for k in wanting:
        one = form.classes[k]
        terms += form.variables.start_of(k, -_weight(one.example) * least.of(one.example))
        pods = sum(item.count for item in one.example.items)
        for unit in one.example.gathered:
            times = max(unit.times(pods), len(level.names)) if unit.items else len(level.names)
            most += one.size * unit.weight * times
    column = form.model.variable(0, most)
    form.gathering.totals[number] = column
    form.model.at_least([(column, 1), *terms], 0, "domains")
    return Expression((column,), (1,))
