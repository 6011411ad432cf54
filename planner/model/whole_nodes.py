"""I6 as rows on nodes with much room: what is left between other pods of one domain does not hold a large gang.

For gangs k that ask for n_k pods of one size (or request), each gang inside one of disjoint domains, and nodes that
hold at least c such pods ("roomy"): the other nodes of domain r hold f_r of them. Z gangs are in at most Z domains, so

``sum over roomy g of x_g >= sum_k n_k z_k - (f_(1) + … + f_(Z))`` with f sorted downwards. The bracket is concave in Z;
each row takes one of its tangents: ``f_(m) Z + sum_{i <= m} (f_(i) - f_(m))``. The rows hold for every set of classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from models.rules import RuleId
from planner.capacity.counted_room import fit_counts
from planner.model.variables import Terms, fixed_minimum
from planner.problem.placement import Demand, IntArray, PlacementProblem

if TYPE_CHECKING:
    from planner.model.rows import Formulation

TANGENTS = (1, 4, 16, 64)
"""Numbers m of domains at which a row touches the bracket."""


def whole_nodes(
    form: Formulation, problem: PlacementProblem, choices: tuple[int, ...], members: list[int]
) -> None:
    """Post the rows of all classes that choose one of the same domains."""
    by_shape: dict[int, dict[int, int]] = {}
    by_size: dict[int, dict[int, int]] = {}
    shapes: dict[int, set[int]] = {}
    for k in members:
        for shape, pods in least_pods(form.classes[k].example).items():
            size = int(problem.shape_gpus[shape])
            if pods > 1 and size:
                by_shape.setdefault(shape, {})[k] = pods
                by_size.setdefault(size, {}).setdefault(k, 0)
                by_size[size][k] += pods
                shapes.setdefault(size, set()).add(shape)
    in_order = np.array([node for group in form.groups for node in group.nodes], dtype=np.int64)
    families = [({shape}, wanted) for shape, wanted in by_shape.items()]
    families += [(shapes[size], by_size[size]) for size in shapes if len(shapes[size]) > 1]
    for alike, wanted in families:
        _rows(form, problem, choices, sorted(alike), wanted, in_order)


def _rows(
    form: Formulation,
    problem: PlacementProblem,
    choices: tuple[int, ...],
    shapes: Sequence[int],
    wanted: Mapping[int, int],
    in_order: IntArray,
) -> None:
    """The rows of some shapes: class to its pods of them, and all nodes group by group."""
    fits = np.zeros(len(problem.node_names), dtype=np.int64)
    for shape in shapes:
        mine = fit_counts(problem.free, problem.requests[shape], problem.admits[shape])
        np.maximum(fits, mine, out=fits)
    every = problem.topology.sums(choices, fits)
    begins = np.cumsum([0, *(group.size for group in form.groups[:-1])])
    most = np.maximum.reduceat(fits[in_order], begins)
    for roomy in _levels(fits):
        outside = problem.topology.sums(choices, np.where(fits < roomy, fits, 0))
        placed = _on_roomy(form, shapes, (most >= roomy).tolist())
        for least in sorted(set(wanted.values())):
            large = {k: pods for k, pods in wanted.items() if pods >= least}
            sums = np.sort(np.where(every >= least, outside, 0))[::-1]
            _tangents(form, placed, sums, large)


def _on_roomy(form: Formulation, shapes: Iterable[int], roomy: Sequence[bool]) -> Terms:
    """Pods of the shapes, and of those that share their columns, on groups with some roomy node."""
    zones = {id(z): z for shape in shapes for z in form.variables.spots.by_shape.get(shape, ())}
    return [
        (column, 1)
        for zone in zones.values()
        for group, column in zone.columns.items()
        if roomy[group]
    ]


def _levels(fits: IntArray) -> list[int]:
    """Powers of two up to the most pods that a node holds, from 2 on."""
    most = int(fits.max(initial=0))
    return [1 << power for power in range(1, most.bit_length()) if 1 << power <= most]


def least_pods(demand: Demand) -> dict[int, int]:
    """Shape to pods in every minimal set; nothing where there is a choice."""
    counts = fixed_minimum(demand)
    found: dict[int, int] = {}
    for item, count in zip(demand.items, counts or (), strict=bool(counts)):
        found[item.shape] = found.get(item.shape, 0) + count
    return found


def _tangents(form: Formulation, placed: Terms, sums: IntArray, large: Mapping[int, int]) -> None:
    seen: set[int] = set()
    for m in TANGENTS:
        slope = int(sums[min(m, sums.size) - 1])
        if slope in seen or slope >= max(large.values()):
            continue
        seen.add(slope)
        constant = int(np.maximum(sums - slope, 0).sum())
        terms = [t for k, pods in large.items() for t in form.variables.start_of(k, slope - pods)]
        form.model.at_least([*placed, *terms], -constant, RuleId.HARD_TOPOLOGY)
