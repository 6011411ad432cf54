"""I6 where there are too many kinds of gangs and domains to decide who is where: valid rows that bound the starts.

For disjoint domains r and classes k that must each be inside one of them:

- ``z_k <= sum_r floor(pods of k that fit into r / need_k)``;
- ``sum_k floor(q_k / m) z_k <= sum_r floor(pieces_r / m)`` for every pod size p and every number m of pieces that a
  gang needs: q_k are the pieces of p GPUs in the gang's pods, pieces_r those in the free GPUs of the domain's nodes,
  node by node. What is inside one domain is cut from that domain alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.rules import RuleId
from planner.capacity.counted_room import fit_counts
from planner.encode.victims.after_evictions import without
from planner.model.whole_nodes import whole_nodes
from planner.problem.placement import Demand, IntArray, PlacementProblem

if TYPE_CHECKING:
    from planner.model.rows import Formulation

TAG = RuleId.HARD_TOPOLOGY


def bound_by_domains(form: Formulation) -> None:
    """Post both families of rows for every set of domains that gangs choose from."""
    victims = form.evictions.victims if form.evictions else None
    problem = form.problem if victims is None else without(form.problem, victims, None)
    families: dict[tuple[int, ...], list[int]] = {}
    for k, one in enumerate(form.classes):
        if one.example.choices is not None and not one.growing:
            families.setdefault(one.example.choices, []).append(k)
    fits: dict[int, IntArray] = {}
    for choices, members in families.items():
        for k in members:
            most = _gangs(problem, form.classes[k].example, choices, fits)
            form.model.at_most(form.variables.start_of(k), most, TAG)
        _nested(form, problem, choices, members)
        whole_nodes(form, problem, choices, members)


def _gangs(
    problem: PlacementProblem, demand: Demand, choices: tuple[int, ...], fits: dict[int, IntArray]
) -> int:
    """Upper bound on the gangs like this one that fit, each inside one domain."""
    pods = np.zeros(len(choices), dtype=np.int64)
    for shape in {item.shape for item in demand.items}:
        if shape not in fits:
            fits[shape] = fit_counts(problem.free, problem.requests[shape], problem.admits[shape])
        pods += problem.topology.sums(choices, fits[shape])
    return int((pods // max(demand.need, 1)).sum())


def _nested(
    form: Formulation, problem: PlacementProblem, choices: tuple[int, ...], members: list[int]
) -> None:
    if problem.gpu_scale == 1:
        return  # milli-GPU of several kinds of resources: no sum of free units bounds them
    free = free_gpus(problem)
    gangs = {k: _gpu_pods(problem, form.classes[k].example) for k in members}
    for size in sorted({each for _, each in gangs.values() if each}):
        pieces = problem.topology.sums(choices, free // size)
        needed = {k: pods * (each // size) for k, (pods, each) in gangs.items() if each >= size}
        for block in sorted(set(needed.values()) - {0}):
            terms = [
                term
                for k, pods in needed.items()
                if pods >= block
                for term in form.variables.start_of(k, pods // block)
            ]
            form.model.at_most(terms, int((pieces // block).sum()), TAG)


def _gpu_pods(problem: PlacementProblem, demand: Demand) -> tuple[int, int]:
    """Least number of pods with GPUs and the GPUs of each; counted in single GPUs where the sizes differ."""
    sizes = {int(problem.shape_gpus[item.shape]) for item in demand.items} - {0}
    each = min(sizes, default=0) if len(sizes) == 1 else min(len(sizes), 1)
    return (demand.gpus // each if each else 0), each


def free_gpus(problem: PlacementProblem) -> IntArray:
    """``[nodes]`` free GPUs of all whole-GPU resources."""
    asked = problem.requests > 0
    columns = [
        d
        for d in range(problem.pods_dimension)
        if asked[:, d].any() and bool(np.all(problem.requests[:, d] <= problem.shape_gpus))
    ]
    found: IntArray = problem.free[:, columns].sum(axis=1, dtype=np.int64)
    return found
