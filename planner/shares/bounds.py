"""The least and the most that each queue of a tree can have; floors that do not fit together are cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.shares.tree import IntArray, ShareTree


def upper_bounds(tree: ShareTree) -> IntArray:
    """Most per queue and resource: min(limit, demand), of an inner queue min(limit, sum over its children)."""
    upper = np.where(tree.inner[:, None], 0, tree.demand)
    for rows in reversed(tree.levels):
        upper[rows] = np.minimum(upper[rows], np.minimum(tree.limit[rows], tree.total))
        _add_to_parents(tree, rows, upper)
    return upper


def lower_bounds(tree: ShareTree, upper: IntArray) -> IntArray:
    """Least per queue and resource: the guarantee as far as it is asked for, of an inner queue at least its children's.

    Guarantees that do not fit together into what is above them are still listed; :func:`fitting_floors` cuts them.
    """
    lower = np.where(tree.inner[:, None], 0, np.minimum(tree.guarantee, upper))
    for rows in reversed(tree.levels):
        own = np.maximum(lower[rows], tree.guarantee[rows])
        lower[rows] = np.minimum(own, upper[rows])
        _add_to_parents(tree, rows, lower)
    return lower


def _add_to_parents(tree: ShareTree, rows: IntArray, amounts: IntArray) -> None:
    parents = tree.parent[rows]
    if parents.size and parents[0] >= 0:
        starts = group_starts(parents)
        amounts[parents[starts]] = np.add.reduceat(amounts[rows], starts, axis=0)


def group_starts(groups: IntArray) -> IntArray:
    """Positions at which a new group begins, in an array whose equal groups lie side by side."""
    return np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])


def cut_in_proportion(available: int, floors: Sequence[int]) -> list[int]:
    """Floors that exceed what is there, each cut by the same proportion, in whole units by largest remainder."""
    asked = sum(floors)
    if asked <= available:
        return list(floors)
    parts = [available * floor // asked for floor in floors]
    by_remainder = sorted(range(len(floors)), key=lambda i: (-(available * floors[i] % asked), i))
    for index in by_remainder[: available - sum(parts)]:
        parts[index] += 1
    return parts


def fitting_floors(tree: ShareTree, lower: IntArray) -> IntArray:
    """Floors that can be kept together: top down, a level that asks for more than its parent's floor is cut.

    At the top the cluster's total takes the place of the parent's floor.
    """
    fitting = lower.copy()
    for rows in tree.levels:
        parents = tree.parent[rows]
        starts = group_starts(parents)
        sums = np.add.reduceat(fitting[rows], starts, axis=0)
        above = tree.total[None, :] if parents[0] < 0 else fitting[parents[starts]]
        ends = np.r_[starts[1:], len(rows)]
        for group, column in np.argwhere(sums > above).tolist():
            members = rows[starts[group] : ends[group]]
            room = int(above[group, column])
            cut = cut_in_proportion(room, fitting[members, column].tolist())
            fitting[members, column] = cut
    return fitting
