"""From an assignment back to pods by name, for documents and checks."""

from __future__ import annotations

from collections.abc import Sequence

from models.placement import Placement
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment


def placements(problem: PlacementProblem, assignment: Assignment) -> tuple[Placement, ...]:
    """Placed pods by name; names are given out in order, pods that do not exist yet come last."""
    found: list[Placement] = []
    for index, items in assignment.pods.items():
        demand = problem.demands[index]
        for number, spots in items.items():
            item = demand.items[number]
            position = 0
            for node, count in _merged(spots):
                names = item.names[position : position + count]
                position += count
                found.append(
                    Placement(
                        gang=problem.gang_names[demand.gang],
                        role=item.role,
                        node=problem.node_names[node],
                        count=count,
                        names=names,
                    )
                )
    return tuple(sorted(found))


def _merged(spots: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: dict[int, int] = {}
    for node, count in spots:
        merged[node] = merged.get(node, 0) + count
    return sorted(merged.items())
