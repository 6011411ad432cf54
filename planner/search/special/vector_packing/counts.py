"""How many gangs of a rank can start at most, and which to choose: the cluster's sums instead of single nodes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import IntArray
from planner.search.special.vector_packing.problem import PackingProblem
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

SPARE_STEPS = 10_000
"""Parts of the whole cluster in which the room left over is measured."""


def most_gangs(
    packing: PackingProblem, need: Mapping[int, int], rank: int, limits: SolveLimits
) -> int:
    """A bound on the gangs of a rank beside so many of others (rank to gangs)."""
    model = LinearModel()
    starts = _starts(packing, model)
    _sums(packing, model, starts)
    for other, count in need.items():
        model.at_least([(starts[k], 1) for k in packing.of_rank(other)], count, "rank")
    goal = _gangs_of(packing, starts, rank)
    found = CpSatBackend().solve(model, goal, pins=(), limits=limits)
    return goal.ideal if found.bound is None else min(goal.ideal, found.bound)


def choice(
    packing: PackingProblem, need: Mapping[int, int], limits: SolveLimits
) -> IntArray | None:
    """Gangs per kind with exactly so many of each rank, the scarcest resource least used; None if none was found."""
    model = LinearModel()
    starts = _starts(packing, model)
    for k, rank in enumerate(packing.rank):
        if int(rank) not in need:
            model.upper[starts[k]] = 0
    for rank, count in need.items():
        model.equal([(starts[k], 1) for k in packing.of_rank(rank)], count, "rank")
    spare = model.variable(0, SPARE_STEPS)
    total = packing.room.sum(axis=0)
    for d in range(packing.room.shape[1]):
        terms = [(starts[k], int(n)) for k, n in enumerate(packing.asks[:, d] * packing.pods)]
        # Rounded down: a choice without room to spare is a choice too.
        terms.append((spare, int(total[d]) // SPARE_STEPS))
        model.at_most(terms, int(total[d]), "sum")
    goal = TierGoal("spare", "max", "steps", Expression((spare,), (1,)), SPARE_STEPS)
    found = CpSatBackend().solve(model, goal, pins=(), limits=limits)
    if found.values is None:
        return None
    return np.array([found.values[column] for column in starts], dtype=np.int64)


def packed_exactly(
    packing: PackingProblem, need: Mapping[int, int], limits: SolveLimits
) -> tuple[IntArray | None, bool]:
    """Pods ``[kinds, nodes]`` of a plan with so many gangs of each rank, or whether it is proved that none exists."""
    model = LinearModel()
    starts = _starts(packing, model)
    for rank in range(len(packing.ranks)):
        terms = [(starts[k], 1) for k in packing.of_rank(rank)]
        model.at_least(terms, need.get(rank, 0), "rank")
    for k, rank in enumerate(packing.rank):
        if int(rank) not in need:
            model.upper[starts[k]] = 0
    fits = _fits(packing)
    cells: dict[tuple[int, int], int] = {}
    for k, row in enumerate(fits):
        for b, most in enumerate(row):
            if most:
                cells[k, b] = model.variable(0, int(most))
        terms = [(cells[k, b], 1) for b in range(len(row)) if (k, b) in cells]
        model.equal([*terms, (starts[k], -int(packing.pods[k]))], 0, "pods")
    for b, amounts in enumerate(packing.room):
        for d, amount in enumerate(amounts):
            terms = [
                (cells[k, b], int(packing.asks[k, d])) for k in range(len(fits)) if (k, b) in cells
            ]
            model.at_most(terms, int(amount), "room")
    goal = TierGoal("pack", "max", "pods", Expression(), 0)
    found = CpSatBackend().solve(model, goal, pins=(), limits=limits)
    if found.values is None:
        return None, found.proved_infeasible
    pods = np.zeros(fits.shape, dtype=np.int64)
    for (k, b), column in cells.items():
        pods[k, b] = found.values[column]
    return pods, False


def _fits(packing: PackingProblem) -> IntArray:
    """``[kinds, nodes]`` pods of a kind that fit on a node alone."""
    fits = np.repeat((packing.gangs * packing.pods)[:, None], len(packing.room), axis=1)
    for d in range(packing.asks.shape[1]):
        ask = packing.asks[:, d]
        some = ask > 0
        fits[some] = np.minimum(fits[some], packing.room[:, d][None, :] // ask[some][:, None])
    return fits


def _starts(packing: PackingProblem, model: LinearModel) -> list[int]:
    alone = _fits(packing).sum(axis=1) // packing.pods
    return [model.variable(0, int(count)) for count in np.minimum(packing.gangs, alone)]


def _gangs_of(packing: PackingProblem, starts: list[int], rank: int) -> TierGoal:
    columns = tuple(starts[k] for k in packing.of_rank(rank))
    expression = Expression(columns, (1,) * len(columns))
    return TierGoal("gangs", "max", "gangs", expression, packing.size(rank))


def _sums(packing: PackingProblem, model: LinearModel, starts: list[int]) -> None:
    """Rows of the sums, and of pods of more than half a node: at most one on each (see node_capacity)."""
    total = packing.room.sum(axis=0)
    for d in range(packing.room.shape[1]):
        asked = packing.asks[:, d] * packing.pods
        model.at_most([(starts[k], int(n)) for k, n in enumerate(asked)], int(total[d]), "sum")
        if not packing.alike:
            continue
        room, nodes = int(packing.room[0, d]), len(packing.nodes)
        halves = [(2 * int(n) > room) + (2 * int(n) >= room) for n in packing.asks[:, d]]
        terms = [(starts[k], n * int(packing.pods[k])) for k, n in enumerate(halves) if n]
        model.at_most(terms, 2 * nodes, "halves")
