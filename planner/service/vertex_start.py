"""A plan from the relaxation of a large model: all tiers relaxed in order, rounded at once, packed onto nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.formulations.placement.build import BuiltModel
from planner.problem.placement import BoolArray
from planner.solve.backend import SolveLimits
from planner.solve.relaxed_chain import RelaxedChain, relaxed_in_order
from planner.solve.rounding import fractional, rounded


@dataclass(frozen=True)
class VertexStart:
    """A whole solution of a model, and the relaxation that it was rounded from."""

    values: tuple[int, ...]
    chain: RelaxedChain


def vertex_start(
    built: BuiltModel, limits: SolveLimits, stopped: Callable[[], bool]
) -> VertexStart | None:
    """A whole solution of a model; None where the relaxation took too long or does not round."""
    seconds = math.inf if limits.deterministic else limits.seconds
    chain = relaxed_in_order(
        built.model,
        built.tiers,
        seconds=seconds,
        workers=1,  # the simplex has no use for more
        stopped=stopped,
        # Which gangs need few domains tells the model, even where it does not say which domains they are in.
        bounding=[goal.name for goal in built.tiers if goal.name.startswith("domains.")],
    )
    if chain is None:
        return None
    guide = chain.values
    split = fractional(guide)
    opened = _opened(built, split)
    for lowered in (_few_lowered(built, split), _all_lowered(built)):
        found = rounded(built.model, built.tiers, guide, opened, lowered, limits, stopped)
        if found is not None:
            return VertexStart(built.tight(found), chain)
    return None


def _opened(built: BuiltModel, split: BoolArray) -> BoolArray:
    """Columns to decide anew: all pods of a node group with a fractional one, and what follows from pods."""
    form = built.form
    found = np.zeros(built.model.size, dtype=bool)
    by_group: dict[int, list[int]] = {}
    for zone in form.variables.spots.zones:
        for group, column in zone.columns.items():
            by_group.setdefault(group, []).append(column)
        found[list(zone.routed.values())] = True
    for group, several in form.patterns.items():
        by_group.setdefault(group, []).extend(c for one in several for c in one.columns)
    for columns in by_group.values():
        if split[columns].any():
            found[columns] = True
    for one in form.shortfalls:
        found[[one.lacking, one.cost]] = True
    found[list(form.gathering.totals.values())] = True
    found[list(form.variables.used.values())] = True
    return found


def _few_lowered(built: BuiltModel, split: BoolArray) -> BoolArray:
    """Columns that may also be less: fractional starts, elastic pods, and pods of the shapes that these starts have."""
    form = built.form
    found = np.zeros(built.model.size, dtype=bool)
    found[list(form.variables.elastic)] = True
    shapes: set[int] = set()
    for one, column in zip(form.classes, form.variables.starts, strict=True):
        if column is not None and split[column]:
            found[column] = True
            shapes.update(item.shape for item in one.example.items)
    for zone in form.variables.spots.zones:
        if not shapes.isdisjoint(zone.shapes):
            found[list(zone.columns.values())] = True
    return found


def _all_lowered(built: BuiltModel) -> BoolArray:
    """All starts and pods: rows only get looser when they go."""
    form = built.form
    found = np.zeros(built.model.size, dtype=bool)
    found[[column for column in form.variables.starts if column is not None]] = True
    found[[c for items in form.variables.pods for terms in items for c, _ in terms]] = True
    for zone in form.variables.spots.zones:
        found[list(zone.columns.values())] = True
    return found
