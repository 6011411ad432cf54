"""What the nodes open to one shape have free, dimension by dimension."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from planner.problem.placement import BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class ShapeRoom:
    """Sums over the nodes open to a shape, for every dimension it asks for; base units.

    Attributes
    ----------
    request
        Per pod.
    free, largest
        Sum, and most on one node.
    fit_alone, fit_pair
        Pods that would fit if only this dimension, or only these two, counted.
    enough, some
        Nodes with room for a pod in this dimension; nodes with any free amount of it.
    """

    request: dict[int, int]
    free: dict[int, int]
    largest: dict[int, int]
    fit_alone: dict[int, int]
    fit_pair: dict[tuple[int, int], int]
    enough: dict[int, int]
    some: dict[int, int]


def shape_room(free: IntArray, request: IntArray, admitted: BoolArray) -> ShapeRoom:
    """Measure it; ``free`` is ``[nodes, dimensions]``."""
    room = free[admitted]
    asked = [int(d) for d in np.flatnonzero(request)]
    counts = {d: room[:, d] // request[d] for d in asked}
    return ShapeRoom(
        request={d: int(request[d]) for d in asked},
        free={d: int(room[:, d].sum()) for d in asked},
        largest={d: int(room[:, d].max(initial=0)) for d in asked},
        fit_alone={d: int(counts[d].sum()) for d in asked},
        fit_pair={
            pair: int(np.minimum(counts[pair[0]], counts[pair[1]]).sum())
            for pair in combinations(asked, 2)
        },
        enough={d: int((room[:, d] >= request[d]).sum()) for d in asked},
        some={d: int((room[:, d] > 0).sum()) for d in asked},
    )
