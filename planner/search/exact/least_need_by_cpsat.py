"""The least that a gang with subgroups still needs, by search over its own rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.model.rows import (
    Formulation,
    gang_ready,
    pod_supply,
    role_minimum,
    subgroup_complete,
)
from planner.model.variables import create_variables
from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import Demand, IntArray, PlacementProblem
from planner.reduce.gang_classes import GangClass
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

WORK = 5.0
"""Deterministic work units per dimension."""


def exact_least(demand: Demand, requests: IntArray) -> tuple[int, ...] | None:
    """Per dimension the least that any set of pods which makes the gang ready requests; None if there is no set."""
    waiting = replace(demand, ready=False, minimum=(0,) * requests.shape[1])
    gang_class = GangClass((0,), waiting, "all", 1)
    model = LinearModel()
    problem = _without_nodes(waiting, requests)
    variables = create_variables(model, problem, [gang_class], [])
    form = Formulation(model, problem, (gang_class,), (), variables)
    for post in (gang_ready, role_minimum, subgroup_complete, pod_supply):
        post(form)
    model.equal(variables.start_of(0), 1, "starts")
    found: list[int] = []
    for d in range(requests.shape[1]):
        terms = [
            (column, factor * int(requests[item.shape, d]))
            for i, item in enumerate(waiting.items)
            for column, factor in variables.pods_of(0, i)
        ]
        goal = TierGoal(
            "least",
            "min",
            "units",
            Expression(tuple(c for c, _ in terms), tuple(a for _, a in terms)),
            0,
        )
        limits = SolveLimits(seconds=WORK, deterministic=True)
        solved = CpSatBackend().solve(model, goal, pins=(), limits=limits)
        if solved.values is None:
            return None
        found.append(goal.expression.value(solved.values))
    return tuple(found)


def _without_nodes(demand: Demand, requests: IntArray) -> PlacementProblem:
    """A problem that holds this gang and nothing else."""
    shapes, dimensions = requests.shape
    return PlacementProblem(
        dimensions=("",) * dimensions,
        node_names=(),
        free=np.zeros((0, dimensions), dtype=np.int64),
        requests=requests,
        admits=np.zeros((shapes, 0), dtype=np.bool_),
        shape_gpus=np.zeros(shapes, dtype=np.int64),
        node_gpus=np.zeros(0, dtype=np.int64),
        node_has_gpu_pods=np.zeros(0, dtype=np.bool_),
        gang_names=("",),
        gang_order=(("", ""),),
        demands=(demand,),
        queue_names=("",),
        queue_room={},
        deserved_milli_gpus={},
        running_gpus={},
    )
