"""I6 where there are too many kinds of gangs and domains to decide who is where: valid rows that bound the starts.

For disjoint domains r and classes k that must each be inside one of them:

- ``z_k <= sum_r floor(pods of k that fit into r / need_k)``;
- ``sum_k floor(G_k / c) z_k <= sum_r floor(free GPUs of r / c)`` for every size c of a gang, G_k its GPUs: what is
  inside one domain is cut from that domain alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.rules import RuleId
from planner.prepare.fit import fit_counts
from planner.prepare.without import without
from planner.problem.placement import Demand, IntArray, PlacementProblem

if TYPE_CHECKING:
    from planner.formulations.placement.rows import Formulation

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
    gpus = problem.topology.sums(choices, _free_gpus(problem))
    sizes = {form.classes[k].example.gpus for k in members} - {0}
    for size in sorted(sizes):
        terms = [
            term
            for k in members
            if (pieces := form.classes[k].example.gpus // size)
            for term in form.variables.start_of(k, pieces)
        ]
        form.model.at_most(terms, int((gpus // size).sum()), TAG)


def _free_gpus(problem: PlacementProblem) -> IntArray:
    """``[nodes]`` free GPUs of all whole-GPU resources."""
    asked = problem.requests > 0
    columns = [
        d
        for d in range(problem.pods_dimension)
        if asked[:, d].any() and bool(np.all(problem.requests[:, d] <= problem.shape_gpus))
    ]
    found: IntArray = problem.free[:, columns].sum(axis=1, dtype=np.int64)
    return found
