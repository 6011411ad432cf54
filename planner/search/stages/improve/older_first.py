"""Among gangs of one queue and priority that ask for the same: where all tiers are equal, the older one starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from planner.capacity.fits_alone import try_place
from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.fill import room_after, spots_by_item
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values

Spots = dict[int, list[tuple[int, int]]]
MOST_TRIED = 500
"""Exchanges whose tiers are looked at; gangs of one class start by age without any."""


def older_first(
    search: PlacementSearch,
    plan: Assignment,
    admits: Callable[[Assignment], bool],
    late: Callable[[], bool],
) -> Assignment:
    """The plan with older gangs in place of younger ones, as far as no tier and no rule notices.

    An older gang takes the nodes of the younger one, or others that are free without it. Gangs with subgroups, with a
    topology of their own, or on shared cards stay as they are.
    """
    built = search.model()

    def vector(one: Assignment) -> list[int]:
        values = plan_values(built, one)
        return [goal.expression.value(values) for goal in built.tiers]

    before: list[int] | None = None
    tried = 0
    for older, younger in _pairs(search.problem, search.receivers(plan), plan):
        if late() or tried >= MOST_TRIED:
            break
        if older in plan.pods or younger not in plan.pods:
            continue
        other = _exchanged(search.after(plan), plan, older, younger)
        if other is None:
            continue
        tried += 1
        before = vector(plan) if before is None else before
        if vector(other) == before and search.legal(other) and admits(other):
            plan = other
    return plan


def _pairs(
    problem: PlacementProblem, classes: Sequence[GangClass], plan: Assignment
) -> Iterator[tuple[int, int]]:
    """Gangs that wait, oldest first, each with the younger ones of its kind that start, youngest first."""
    kinds: dict[tuple[object, ...], list[int]] = {}
    for one in classes:
        for index in () if one.growing else one.demands:
            demand = problem.demands[index]
            plain = not demand.grouped and demand.choices is None and not demand.gathered
            if plain and problem.cards is None:
                kinds.setdefault((demand.queue, one.rank, _asked(problem, demand)), []).append(
                    index
                )
    for members in kinds.values():
        members.sort(key=lambda index: problem.gang_order[problem.demands[index].gang])
        started = [index for index in members if index in plan.pods]
        if not started or members[: len(started)] == started:
            continue
        for place, index in enumerate(members):
            if index in plan.pods:
                continue
            for other in reversed(members[place + 1 :]):
                yield index, other


def _asked(problem: PlacementProblem, demand: Demand) -> tuple[object, ...]:
    """What a gang requests: pods of each request, and how many of which role it needs."""
    pods = sorted(
        (item.role, problem.requests[item.shape].tobytes(), item.count, item.step)
        for item in demand.items
    )
    return (tuple(pods), demand.need, demand.role_need)


def _exchanged(
    problem: PlacementProblem, plan: Assignment, older: int, younger: int
) -> Assignment | None:
    """The plan with one gang in place of the other; None where it finds no room for as many pods."""
    pods = {index: items for index, items in plan.pods.items() if index != younger}
    same = _on_its_nodes(problem, older, younger, plan.pods[younger])
    if same is not None:
        return Assignment({**pods, older: same}, plan.evicted)
    rest = Assignment(pods, plan.evicted)
    found = try_place(problem, problem.demands[older], room_after(problem, rest), keep=False)
    if found is None:
        return None
    return Assignment({**pods, older: spots_by_item(problem, older, found)}, plan.evicted)


def _on_its_nodes(
    problem: PlacementProblem, older: int, younger: int, spots: Spots
) -> Spots | None:
    """Places of the younger gang's pods for those of the older one; None where a node does not admit one."""
    old, young = problem.demands[older], problem.demands[younger]

    def order(demand: Demand) -> list[int]:
        return sorted(
            range(len(demand.items)),
            key=lambda i: (
                demand.items[i].role,
                problem.requests[demand.items[i].shape].tobytes(),
                demand.items[i].count,
                demand.items[i].step,
            ),
        )

    found: Spots = {}
    for mine, theirs in zip(order(old), order(young), strict=True):
        places = spots.get(theirs, [])
        shape = old.items[mine].shape
        if any(not problem.admits[shape, node] for node, _ in places):
            return None
        if places:
            found[mine] = list(places)
    return found
