"""Whether an assignment keeps nodes, queues, gangs, domains and cards: asked before a plan is the incumbent."""

from __future__ import annotations

from collections import Counter

import numpy as np

from planner.capacity.cards.card_room import CardRoom
from planner.problem.domain_rooms import keeps_domain_rooms
from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.spread_filter import keeps_spreads


def is_feasible(problem: PlacementProblem, assignment: Assignment) -> bool:
    """Whether every rule of the problem holds; ``problem`` is the one after the plan's evictions.

    The search's own check: the verifier reads the rules from the snapshot in its own code.
    """
    return (
        _on_nodes(problem, assignment)
        and _within_queues(problem, assignment)
        and _gangs_whole(problem, assignment)
        and keeps_spreads(problem, assignment)
    )


def _on_nodes(problem: PlacementProblem, assignment: Assignment) -> bool:
    placed = assignment.placed(problem)
    if not placed:
        return True
    shapes = np.array([one.shape for one in placed], dtype=np.int64)
    nodes = np.array([one.node for one in placed], dtype=np.int64)
    counts = np.array([one.count for one in placed], dtype=np.int64)
    if not problem.admits[shapes, nodes].all():
        return False
    used = np.zeros_like(problem.free)
    np.add.at(used, nodes, problem.requests[shapes] * counts[:, None])
    if ((used > problem.free) & (used > 0)).any():
        return False
    spots = list(zip(shapes.tolist(), nodes.tolist(), counts.tolist(), strict=True))
    if not keeps_domain_rooms(problem.domain_rooms, spots):
        return False
    return problem.cards is None or CardRoom(problem.cards).put_all(spots)


def _within_queues(problem: PlacementProblem, assignment: Assignment) -> bool:
    asked: dict[tuple[int, ...], Counter[int]] = {}
    for index, items in assignment.pods.items():
        demand = problem.demands[index]
        pods = asked.setdefault(demand.queue_chain, Counter())
        for item, spots in items.items():
            pods[demand.items[item].shape] += sum(n for _, n in spots)
    used: dict[int, np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
    for chain, pods in asked.items():
        request = np.array(list(pods.values()), dtype=np.int64) @ problem.requests[list(pods)]
        for queue in chain:
            used[queue] = used[queue] + request if queue in used else request
    return not any(
        ((problem.queue_room[queue] >= 0) & (sums > 0) & (sums > problem.queue_room[queue])).any()
        for queue, sums in used.items()
    )


def _gangs_whole(problem: PlacementProblem, assignment: Assignment) -> bool:
    """Whether every gang has what makes it ready, and all its pods in one of its domains."""
    places: dict[tuple[int, ...], np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
    for index, items in assignment.pods.items():
        demand = problem.demands[index]
        counts = {item: sum(n for _, n in spots) for item, spots in items.items()}
        if any(count > demand.items[item].count for item, count in counts.items()):
            return False
        if not demand.ready and not _has_minimum(demand, counts):
            return False
        if demand.choices is None:
            continue
        if demand.choices not in places:
            place = np.full(len(problem.node_names), -1, dtype=np.int64)
            for position, number in enumerate(demand.choices):
                place[problem.topology.arrays(number)] = position
            places[demand.choices] = place
        inside = places[demand.choices]
        homes = {int(inside[node]) for spots in items.values() for node, n in spots if n}
        if len(homes) > 1 or -1 in homes:
            return False
    return True


def _has_minimum(demand: Demand, counts: dict[int, int]) -> bool:
    if sum(counts.values()) < demand.need:
        return False
    of_role: Counter[str] = Counter()
    for item, count in counts.items():
        of_role[demand.items[item].role] += count
    return all(of_role[role] >= need for role, need in demand.role_need)
