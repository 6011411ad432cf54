"""Pods on equal nodes, packed by the ways to fill one of them: which node is which does not matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.capacity.fit import Placed
from planner.model.patterns import MOST_PATTERNS, maximal_patterns
from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import PlacementProblem
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

Ways = tuple[tuple[int, ...], ...]


def ways_to_fill(
    problem: PlacementProblem, nodes: Sequence[int], shapes: Sequence[int]
) -> Ways | None:
    """Pods per shape of every maximal filling of one of these nodes; None where nodes differ or ways are too many."""
    requests = problem.requests[list(shapes)]
    asked = (requests > 0).any(axis=0)
    free = problem.free[list(nodes)][:, asked]
    admitted = problem.admits[list(shapes)][:, list(nodes)]
    if problem.cards is not None or not admitted.all() or (free != free[0]).any():
        return None
    needs = [{d: int(n) for d, n in enumerate(one) if n} for one in requests.tolist()]
    room = [int(amount) for amount in problem.free[nodes[0]]]
    return maximal_patterns(room, needs, MOST_PATTERNS) if all(needs) else None


def packed_in_ways(
    nodes: Sequence[int], counts: Mapping[int, int], ways: Ways, limits: SolveLimits
) -> list[Placed] | None:
    """Pods per shape on equal nodes, each filled in one of these ways (pods of the ascending shapes); None if not."""
    shapes = sorted(counts)
    model = LinearModel()
    columns = [model.variable(0, len(nodes)) for _ in ways]
    model.at_most([(column, 1) for column in columns], len(nodes), "nodes")
    for place, shape in enumerate(shapes):
        terms = [(c, way[place]) for c, way in zip(columns, ways, strict=True) if way[place]]
        model.at_least(terms, counts[shape], "all pods")
    goal = TierGoal("pack", "max", "pods", Expression(), 0)
    found = CpSatBackend().solve(model, goal, pins=(), limits=limits)
    if found.values is None:
        return None
    left, free = dict(counts), list(reversed(nodes))
    placed: list[Placed] = []
    for way, number in zip(ways, found.values, strict=True):
        for _ in range(number):
            node = free.pop()
            for shape, most in zip(shapes, way, strict=True):
                count = min(most, left[shape])
                if count:
                    placed.append(Placed(shape, node, count))
                    left[shape] -= count
    return placed
