"""Several resources together: lexicographic weighted max-min of dominant shares as a sequence of linear programs.

A queue's work needs its resources in the mix in which it asks for them: with half of its GPUs it uses half of its
CPUs. Use is counted by dominant share (the largest fraction of the cluster among the resources; Ghodsi et al.,
"Dominant Resource Fairness", NSDI 2011), summed over the leaves of a subtree. Depth by depth the common level of all
open nodes is raised, where a node's level is its use over its weight's part of what its parent has; nodes whose level
row has a positive dual cannot rise and are settled. A node that cannot rise either but has dual 0 gives the same level
in the next round and is settled then, so that no further test is needed. With one resource this is the water level of
:mod:`planner.shares.closed_form`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.shares.bounds import (
    fitting_floors,
    group_starts,
    lower_bounds,
    upper_bounds,
)
from planner.shares.programs import FloatArray, LevelProgram
from planner.shares.tree import IntArray, ShareTree
from planner.shares.whole_units import round_by_remainder

_HELD_DOWN = 1e-7
"""Smallest part of the pressure of all level rows (they sum to 1) at which a row counts as binding."""
_GRAIN = 10**6


@dataclass(frozen=True)
class JointShares:
    """Shares per queue and resource in whole base units, and how many linear programs were solved."""

    shares: IntArray
    programs: int


def joint_shares(tree: ShareTree) -> JointShares:
    """Joint shares of all resources of the tree.

    A resource that does not exist, or of which a limit allows nothing, is left out of the mix: it would scale the
    others down to nothing. Guarantees are floors of what a queue holds, as far as it asks for them, whatever its mix
    makes of them. Amounts are rounded to whole base units by largest remainder among siblings; the programs are
    precise to about 10**-7 of the cluster's total.

    Raises
    ------
    BackendError
        HiGHS failed.
    """
    amounts, programs = _amounts(tree)
    whole = _whole(tree, amounts)
    most = np.where(tree.inner[:, None], whole, tree.demand)
    return JointShares(np.minimum(whole, most), programs)


def _amounts(tree: ShareTree) -> tuple[FloatArray, int]:
    """What every leaf holds in base units, and the number of programs solved."""
    total = np.maximum(tree.total, 1) / max(len(tree.names), 1)
    upper = upper_bounds(tree)
    lower = fitting_floors(tree, lower_bounds(tree, upper))
    demand = np.where(_within_reach(tree), tree.demand, 0) / total
    dominant = demand.max(axis=1, initial=0.0)
    mix = demand / np.where(dominant > 0, dominant, 1.0)[:, None]
    program = LevelProgram(tree, dominant, mix, lower / total, upper / total)
    use = np.zeros(len(tree.names))
    asked = _use_below(tree, dominant)
    programs = 0
    for rows in tree.levels:
        nodes, entitlement = _entitlements(tree, rows, use, asked)
        program.open(nodes, entitlement)
        while len(nodes):
            programs += 1
            found = program.solve(nodes, entitlement)
            bound = found.pressure > _HELD_DOWN * max(1.0, float(found.pressure.max(initial=0.0)))
            if not bound.any():
                bound = np.ones(len(nodes), dtype=bool)
            for node, part in zip(nodes[bound].tolist(), entitlement[bound].tolist(), strict=True):
                use[node] = part * found.level
                program.settle(node, use[node])
            nodes, entitlement = nodes[~bound], entitlement[~bound]
    use = np.minimum(use, asked)  # levels are precise to the solver's tolerance only
    return np.maximum(lower, use[:, None] * mix * total), programs


def _within_reach(tree: ShareTree) -> npt.NDArray[np.bool_]:
    """Resources of leaves that exist and that no limit on the way up forbids altogether."""
    reach = np.minimum(tree.limit, tree.total)
    for rows in tree.levels[1:]:
        reach[rows] = np.minimum(reach[rows], reach[tree.parent[rows]])
    found: npt.NDArray[np.bool_] = (reach > 0) & ~tree.inner[:, None]
    return found


def _use_below(tree: ShareTree, dominant: FloatArray) -> FloatArray:
    """Dominant shares asked for, summed upwards."""
    return _summed(tree, dominant[:, None])[:, 0]


def _entitlements(
    tree: ShareTree, rows: IntArray, use: FloatArray, asked: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Nodes of one depth that can have something, with their weight's part of what their parent has."""
    weight = np.where(asked[rows] > 0, tree.weight[rows], 0).astype(np.float64)
    parents = tree.parent[rows]
    starts = group_starts(parents)
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(rows)]))
    sums = np.add.reduceat(weight, starts)[group]
    above = np.where(parents >= 0, use[parents], float(len(tree.names)))
    part = np.where(sums > 0, weight / np.where(sums > 0, sums, 1.0), 0.0) * above
    chosen = part > 1e-12
    return rows[chosen], part[chosen]


def _whole(tree: ShareTree, amounts: FloatArray) -> IntArray:
    """Whole units; children sum up to their parent, whose amount is rounded first."""
    amounts = _within_limits(tree, amounts)
    whole = np.zeros(amounts.shape, dtype=np.int64)
    for rows in tree.levels:
        parents = tree.parent[rows]
        starts = group_starts(parents)
        group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(rows)]))
        for r in range(len(tree.resources)):
            parts, remainder = _split(amounts[rows, r])
            if parents[0] < 0:
                above = np.minimum(_split(amounts[rows, r].sum(keepdims=True))[0], tree.total[r])
            else:
                above = whole[parents[starts], r]
            left = above - np.add.reduceat(parts, starts)
            # children that were taken for whole may be a unit more than their parent, which was not
            above_zero = (parts > 0).astype(np.int64)
            parts -= round_by_remainder(0 * parts, above_zero, group, np.maximum(-left, 0))
            whole[rows, r] = round_by_remainder(parts, remainder, group, left)
    return whole


def _within_limits(tree: ShareTree, amounts: FloatArray) -> FloatArray:
    """Sums of the leaves' amounts, everything scaled by the little by which a solver may miss totals and limits."""
    sums = _summed(tree, amounts)
    top = sums[tree.parent < 0].sum(axis=0)
    first = np.minimum(1.0, tree.total / np.where(top > 0, top, 1.0))
    factor = np.ones(amounts.shape)
    for rows in tree.levels:
        above = np.where(tree.parent[rows, None] >= 0, factor[tree.parent[rows]], first)
        held = sums[rows] * above
        factor[rows] = above * np.minimum(1.0, tree.limit[rows] / np.where(held > 0, held, 1.0))
        factor[rows] = np.where(held > 0, factor[rows], above)
    return _summed(tree, amounts * factor)


def _summed(tree: ShareTree, amounts: FloatArray) -> FloatArray:
    """Amounts of the leaves, and of inner queues the sums over their leaves."""
    sums = np.where(tree.inner[:, None], 0.0, amounts)
    for rows in reversed(tree.levels):
        inside = rows[tree.parent[rows] >= 0]
        np.add.at(sums, tree.parent[inside], sums[inside])
    return sums


def _split(amounts: FloatArray) -> tuple[IntArray, IntArray]:
    """Whole part and remainder in millionths; what is nearer to a whole unit than the solver can tell is whole."""
    nearest = np.rint(amounts)
    slack = np.clip(np.abs(amounts) * 1e-7, 1e-5, 1e-2)
    snapped: npt.NDArray[np.float64] = np.where(
        np.abs(amounts - nearest) <= slack, nearest, amounts
    )
    whole = np.floor(snapped)
    return whole.astype(np.int64), np.rint((snapped - whole) * _GRAIN).astype(np.int64)
