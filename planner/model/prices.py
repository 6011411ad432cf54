"""Prices of room: what the linear relaxation would pay, in GPUs of starts, for a new node or for a queue's quota.

The goal is most GPUs of started gangs over all tiers. The dual of a shape's balance row (pods placed = pods of
gangs) is what one more place for a pod of that shape is worth; a new node is worth its best filling at these prices, as
in column generation (Gilmore and Gomory, "A linear programming approach to the cutting-stock problem", 1961). The
dual of a queue's row is what one more unit of its limit is worth. Both are first estimates from the relaxation: they
hold for small changes, and gangs are whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd

import numpy as np

from models.rules import RuleId
from planner.model.build import BuiltModel
from planner.model.rows import Formulation, queue_limit
from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import IntArray
from planner.solve.backend import SolveLimits
from planner.solve.duals import relaxed_duals
from planner.solve.highs import HighsBackend

SCALE = 1_000
"""Prices are whole thousandths of a GPU while a node is filled."""


@dataclass(frozen=True)
class Prices:
    """Prices at the optimum of the relaxation.

    Attributes
    ----------
    gpus
        GPUs of starts in the relaxation.
    shapes
        Shape to GPUs per further place for one pod.
    queues
        (queue index, dimension) to GPUs per unit of the queue's limit.
    """

    gpus: float
    shapes: Mapping[int, float]
    queues: Mapping[tuple[int, int], float]

    def node_worth(self, built: BuiltModel, free: IntArray, admitted: Sequence[int]) -> float:
        """GPUs that an empty node is worth: its best filling with pods of the shapes that it admits."""
        problem = built.form.problem
        model = LinearModel()
        terms: dict[int, int] = {}
        for shape in admitted:
            price = round(self.shapes.get(shape, 0.0) * SCALE)
            asked = problem.requests[shape] > 0
            most = int((free[asked] // problem.requests[shape][asked]).min())
            if price > 0 and most > 0:
                terms[model.variable(0, most)] = shape
        if not terms:
            return 0.0
        for dimension in range(len(problem.dimensions)):
            use = [(c, int(problem.requests[s][dimension])) for c, s in terms.items()]
            model.at_most([one for one in use if one[1]], int(free[dimension]), "node")
        weights = tuple(round(self.shapes[shape] * SCALE) for shape in terms.values())
        goal = TierGoal("worth", "max", "GPU", Expression(tuple(terms), weights), 0)
        found = HighsBackend().solve(model, goal, pins=(), limits=SolveLimits(seconds=5.0))
        return 0.0 if found.values is None else goal.expression.value(found.values) / SCALE


def prices_of(built: BuiltModel, *, seconds: float, workers: int = 1) -> Prices | None:
    """Prices of a built model; None where its relaxation was not solved in time."""
    found = relaxed_duals(built.model, most_gpus(built), seconds=seconds, workers=workers)
    if found is None:
        return None
    return Prices(
        found.objective, _shape_prices(built, found.duals), _queue_prices(built, found.duals)
    )


def most_gpus(built: BuiltModel) -> TierGoal:
    """All started GPUs, whatever class and rank."""
    form = built.form
    terms = [
        (column, one.example.gpus)
        for one, column in zip(form.classes, form.variables.starts, strict=True)
        if column is not None and one.example.gpus
    ]
    expression = Expression(tuple(c for c, _ in terms), tuple(gpus for _, gpus in terms))
    ideal = sum(gpus * built.model.upper[column] for column, gpus in terms)
    return TierGoal("all.gpus", "max", form.problem.gpu_unit, expression, ideal)


def _shape_prices(built: BuiltModel, duals: Sequence[float]) -> dict[int, float]:
    """A further place adds a term to the placed side, so it is worth minus the dual of ``placed - asked = 0``.

    A shape without a place yet has only the asked side, which tells it.
    """
    variables = built.form.variables
    placed: dict[int, int] = {}
    sums: set[int] = set()
    for zone in variables.spots.zones:
        for shape in zone.shapes:
            placed.update(dict.fromkeys(zone.pods_of(shape), shape))
        if zone.routed:
            sums.update(zone.columns.values())
    asked: dict[int, set[int]] = {}
    for one, items in zip(built.form.classes, variables.pods, strict=True):
        for item, pods in zip(one.example.items, items, strict=True):
            asked.setdefault(item.shape, set()).update(column for column, _ in pods)
    nowhere = {
        frozenset(columns): shape
        for shape, columns in asked.items()
        if shape not in variables.spots.by_shape
    }
    found: dict[int, float] = {}
    for row, dual in zip(built.model.rows, duals, strict=False):
        if row.tag != RuleId.POD_PLACEABLE or not row.columns or row.columns[0] in sums:
            continue
        shape = placed.get(row.columns[0], nowhere.get(frozenset(row.columns), -1))
        of_placed = row.coefficients[0] if row.columns[0] in placed else 1
        if shape >= 0:
            found[shape] = max(-dual * of_placed, 0.0)
    return found


def _queue_prices(built: BuiltModel, duals: Sequence[float]) -> dict[tuple[int, int], float]:
    """Rows of queue limits are found by writing each one again and looking for its like."""
    by_row = {
        (row.columns, row.coefficients, row.high): dual
        for row, dual in zip(built.model.rows, duals, strict=False)
        if row.tag == RuleId.QUEUE_LIMIT
    }
    form = built.form
    found: dict[tuple[int, int], float] = {}
    nothing = {q: np.full_like(room, -1) for q, room in form.problem.queue_room.items()}
    for queue, room in form.problem.queue_room.items():
        for dimension in np.flatnonzero(room >= 0):
            only = nothing[queue].copy()
            only[dimension] = room[dimension]
            scratch = LinearModel(built.model.lower, built.model.upper)
            alone = replace(form.problem, queue_room={**nothing, queue: only})
            queue_limit(Formulation(scratch, alone, form.classes, form.groups, form.variables))
            for row in scratch.rows:
                dual = by_row.get((row.columns, row.coefficients, row.high), 0.0)
                step = _divisor(built, queue, int(dimension))
                found[queue, int(dimension)] = max(dual / step, 0.0)
    return found


def _divisor(built: BuiltModel, queue: int, dimension: int) -> int:
    """By what the row was divided: a unit of the limit moves its side by one over this."""
    amounts = [
        int(built.form.problem.requests[item.shape, dimension]) * coefficient
        for one, items in zip(built.form.classes, built.form.variables.pods, strict=True)
        if queue in one.example.queue_chain
        for item, terms in zip(one.example.items, items, strict=True)
        for _, coefficient in terms
    ]
    return gcd(*amounts) or 1
