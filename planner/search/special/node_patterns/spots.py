"""Pods on nodes from whole numbers of patterns."""

from __future__ import annotations

import numpy as np

from planner.problem.placement import IntArray
from planner.search.special.node_patterns.master import Master
from planner.search.special.node_patterns.problem import PatternProblem

Spot = tuple[int, int, int]
"""Shape, node, pods."""


def spots_of(problem: PatternProblem, master: Master, uses: IntArray) -> tuple[Spot, ...]:
    """Pods of the flows on the slots of whole patterns, node by node."""
    slots: dict[tuple[int, int], list[list[int]]] = {}
    used = [0] * len(problem.nodes)
    for (t, pattern), count in zip(master.patterns, uses, strict=True):
        for _ in range(min(int(count), int(problem.number[t]) - used[t])):
            node = problem.nodes[t][used[t]]
            used[t] += 1
            for kind, n in pattern.items():
                slots.setdefault((int(problem.site[t]), kind), []).append([node, n])
    spots: list[Spot] = []
    for (site, source), pods in zip(master.flows, np.rint(master.flow()), strict=True):
        left = int(pods)
        places = slots.get((site, int(problem.kind[source])), [])
        while left and places:
            place = places[-1]
            take = min(left, place[1])
            spots.append((problem.shapes[source], place[0], take))
            place[1] -= take
            left -= take
            if not place[1]:
                places.pop()
    return tuple(spots)
