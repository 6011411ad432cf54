"""Elastic pods apart from those that a gang needs: taken off before gangs are placed, put back where they were."""

from __future__ import annotations

from collections.abc import Iterable

from planner.capacity.fit import Placed, Room
from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.disaggregate import Assignment

Spots = dict[int, list[tuple[int, int]]]


def without_elastic(problem: PlacementProblem, assignment: Assignment) -> Assignment:
    """Only the pods that waiting gangs need to start. Gangs with subgroups or partitions keep all of theirs."""
    found: dict[int, Spots] = {}
    for index, items in assignment.pods.items():
        demand = problem.demands[index]
        if demand.ready:
            continue
        found[index] = needed(demand, items)
    return Assignment(found, assignment.evicted).copy()


def needed(demand: Demand, items: Spots) -> Spots:
    """The pods of a waiting gang that it needs to start; all of them where there are subgroups or partitions."""
    if demand.grouped or any(item.step > 1 for item in demand.items):
        return items
    have = {item: sum(count for _, count in spots) for item, spots in items.items()}
    least = dict(demand.role_need)
    roles: dict[str, int] = {}
    for item, count in have.items():
        role = demand.items[item].role
        roles[role] = roles.get(role, 0) + count
    total = sum(have.values())
    kept: Spots = {}
    for item in sorted(items, reverse=True):
        role = demand.items[item].role
        spare = max(min(total - demand.need, roles[role] - least.get(role, 0), have[item]), 0)
        roles[role] -= spare
        total -= spare
        if have[item] > spare:
            kept[item] = _first(items[item], have[item] - spare)
    return dict(sorted(kept.items()))


def _first(spots: list[tuple[int, int]], wanted: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for node, count in spots:
        take = min(count, wanted)
        if take:
            found.append((node, take))
            wanted -= take
    return found


def put_back(
    problem: PlacementProblem,
    plan: Assignment,
    earlier: Assignment,
    room: Room,
    demands: Iterable[int] | None = None,
) -> None:
    """Add the elastic pods of an earlier plan on its nodes, as far as they fit beside the plan.

    ``demands`` are those that get any, by default all.
    """
    if problem.domain_rooms or problem.spreads or problem.cards is not None:
        return
    for index in earlier.pods if demands is None else demands:
        items = earlier.pods.get(index, {})
        demand = problem.demands[index]
        if not demand.ready and index not in plan.pods:
            continue
        for item, spots in items.items():
            shape = demand.items[item].shape
            left = sum(count for _, count in spots)
            left -= sum(count for _, count in plan.pods.get(index, {}).get(item, ()))
            if left <= 0:
                continue
            here = dict(plan.pods.get(index, {}).get(item, ()))
            for node, count in spots:
                fits = room.fits_on(shape, node)
                more = min(count - here.get(node, 0), left, fits, room.queue_count(demand, shape))
                if more > 0:
                    room.take([Placed(shape, node, more)])
                    room.charge(demand, problem.requests[shape] * more)
                    plan.pods.setdefault(index, {}).setdefault(item, []).append((node, more))
                    left -= more
