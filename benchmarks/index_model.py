"""The textbook model, for comparison: one integer column per gang, role and node; one objective; CP-SAT.

Pods of gang g and role r on node n are x[g,r,n]; z[g] says whether the gang starts:

- sum over n of x[g,r,n] = p[g,r];  sum over r of p[g,r] = need[g] z[g];  p of a role >= its minimum z[g]
- per node and dimension: requests <= free;  per queue (and ancestor) and dimension: requests <= limit - used
- maximise the GPUs of the gangs that start.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from ortools.sat.python import cp_model

from models.effective import EffectivePolicy
from models.gpu import gpus_in, whole_gpu_names
from models.resources import PODS
from models.snapshot import Snapshot
from planner.simulate.candidates import Candidate, candidates
from planner.simulate.room import free_amounts
from planner.simulate.shapes import Shapes
from planner.verify.queue_limits import QueueBook


@dataclass(frozen=True, slots=True)
class IndexResult:
    """What the index model reached; ``gpus`` and ``bound`` are GPUs of started gangs, None = no solution in time."""

    columns: int
    gpus: int | None
    bound: float
    seconds: float

    @property
    def gap(self) -> float | None:
        """``|bound - value| / max(1, value)``."""
        if self.gpus is None:
            return None
        return abs(self.bound - self.gpus) / max(1, self.gpus)


@dataclass
class _Build:
    snapshot: Snapshot
    shapes: Shapes
    free: np.ndarray
    book: QueueBook
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    node_load: dict[tuple[int, int], list[cp_model.LinearExprT]] = field(
        default_factory=lambda: defaultdict(list)
    )
    queue_load: dict[tuple[str, int], list[cp_model.LinearExprT]] = field(
        default_factory=lambda: defaultdict(list)
    )
    gpus: list[cp_model.LinearExprT] = field(default_factory=list)
    columns: int = 0


def solve_index_model(
    snapshot: Snapshot, policy: EffectivePolicy, *, seconds: float, workers: int = 2, seed: int = 0
) -> IndexResult:
    """Build and solve; gangs that run already and pods beyond the minimum are left out."""
    start = time.perf_counter()
    book = QueueBook(snapshot, policy)
    gangs = [
        one
        for one in candidates(snapshot, policy)
        if not one.ready and not one.gang.subgroups and not book.why_closed(one.gang.queue)
    ]
    shapes = Shapes(
        snapshot, policy, [(one, gang.gang.queue) for gang in gangs for one in gang.supplies]
    )
    build = _Build(snapshot, shapes, free_amounts(snapshot, shapes.dimensions), book)
    names = whole_gpu_names(policy.policy.gpu_models)
    for gang in gangs:
        _add_gang(build, gang, names)
    _add_limits(build)
    build.model.maximize(sum(build.gpus))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = seed
    status = solver.solve(build.model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return IndexResult(
        columns=build.columns,
        gpus=round(solver.objective_value) if found else None,
        bound=solver.best_objective_bound,
        seconds=time.perf_counter() - start,
    )


def _add_gang(build: _Build, gang: Candidate, gpu_names: tuple[str, ...]) -> None:
    model, queue = build.model, gang.gang.queue
    starts = model.new_bool_var("")
    by_role: dict[str, list[cp_model.LinearExprT]] = defaultdict(list)
    for supply in gang.supplies:
        shape = build.shapes.number(supply, queue)
        fits = build.shapes.admits(shape).copy()
        for dimension, amount in build.shapes.requests[shape]:
            fits &= build.free[dimension] >= amount
        pods = model.new_int_var(0, supply.count, "")
        columns = []
        for node in np.flatnonzero(fits).tolist():
            column = model.new_int_var(0, supply.count, "")
            columns.append(column)
            for dimension, amount in build.shapes.requests[shape]:
                build.node_load[node, dimension].append(amount * column)
        model.add(sum(columns) == pods)
        for level in build.book.levels(queue):
            for dimension, amount in build.shapes.requests[shape]:
                build.queue_load[level, dimension].append(amount * pods)
        build.columns += len(columns)
        build.gpus.append(gpus_in(supply.spec.request, gpu_names) * pods)
        by_role[supply.role].append(pods)
    model.add(sum(pods for group in by_role.values() for pods in group) == gang.need * starts)
    for role, minimum in gang.role_need.items():
        model.add(sum(by_role[role]) >= minimum * starts)


def _add_limits(build: _Build) -> None:
    for (node, dimension), load in build.node_load.items():
        build.model.add(sum(load) <= int(build.free[dimension, node]))
    for (queue, dimension), load in build.queue_load.items():
        name = build.shapes.dimensions[dimension]
        limit = None if name == PODS else build.book.limit(queue, name)
        if limit is not None:
            left = limit - _used(build, queue, name)
            build.model.add(sum(load) <= max(left, 0))


def _used(build: _Build, queue: str, resource: str) -> int:
    family = build.book.family(queue)
    return sum(
        pod.spec.request.amount(resource)
        for gang in build.snapshot.gangs
        if gang.queue in family and not gang.missing_group
        for pod in build.snapshot.pods_of(gang)
        if pod.running
    )
