"""A problem whose shapes are copies of those of another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from planner.problem.placement import PlacementProblem


def reshaped(problem: PlacementProblem, rows: Sequence[int]) -> PlacementProblem:
    """The problem with one shape per entry of ``rows``, a copy of the old shape of that number.

    Demands stay as they are; whoever asks gives their items the new numbers.
    """
    new: dict[int, list[int]] = {}
    for index, shape in enumerate(rows):
        new.setdefault(shape, []).append(index)

    def of(shapes: Iterable[int]) -> frozenset[int]:
        return frozenset(index for shape in shapes for index in new.get(shape, ()))

    at = np.array(rows, dtype=np.int64)
    cards = problem.cards
    return replace(
        problem,
        requests=problem.requests[at],
        admits=problem.admits[at],
        shape_gpus=problem.shape_gpus[at],
        cards=None if cards is None else cards.of_shapes(rows),
        domain_rooms=tuple(
            replace(one, asks={i: n for shape, n in one.asks.items() for i in new.get(shape, ())})
            for one in problem.domain_rooms
        ),
        spreads=tuple(
            replace(
                one,
                shapes=of(one.shapes),
                counted=None if one.counted is None else of(one.counted),
            )
            for one in problem.spreads
        ),
    )
