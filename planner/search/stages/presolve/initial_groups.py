"""The node groups that a search begins with: equal nodes, merged where the model would be too large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planner.reduce.node_groups import Grouping, NodeGroup

MODEL_VARIABLES = 60_000
"""Integer variables of a model over node groups; beyond, groups are merged and the model stays a relaxation."""
MOST_CELLS = 4 * MODEL_VARIABLES
"""Columns above which nodes that admit different pods are taken as one: fewer rows hold, but it can be solved."""
MANY_GROUPS = 200
"""Node groups above which those without room for GPU pods are merged: the model has many of them for little."""


def first_groups(grouping: Grouping, *, aggregate: bool) -> tuple[NodeGroup, ...]:
    """Groups of equal nodes, coarser ones where there are many; with ``aggregate`` off one per node."""
    if not aggregate:
        return grouping.singles()
    groups = grouping.uniform()
    if len(groups) > MANY_GROUPS:
        groups = grouping.merged_without_gpus(groups)
    cells = _cells(groups)
    if cells > MODEL_VARIABLES:
        groups = grouping.coarse(groups, max(MODEL_VARIABLES * len(groups) // cells, 1))
    return groups if _cells(groups) <= MOST_CELLS else grouping.widest(groups)


def fewest_groups(grouping: Grouping, groups: Sequence[NodeGroup]) -> tuple[NodeGroup, ...]:
    """Nodes that admit the same pods as one group: a small model, whose bounds are hardly weaker for starts.

    Where nodes have room of their own that pods do not fill, its solutions do not pack.
    """
    return grouping.coarse(groups, 1)


def columns_of(groups: Sequence[NodeGroup]) -> int:
    """Columns for pods in a model of these groups."""
    return _cells(groups)


def refined(
    grouping: Grouping, groups: Sequence[NodeGroup], failed: Sequence[int]
) -> tuple[NodeGroup, ...] | None:
    """Split the groups that did not pack; None where nothing can be split or the model would grow too large."""
    result: list[NodeGroup] = []
    for index, group in enumerate(groups):
        splits = index in failed and group.size > 1
        result.extend(grouping.split(group) if splits else (group,))
    if len(result) == len(groups) or _cells(result) > MODEL_VARIABLES:
        return None
    return tuple(result)


def packed_together(
    grouping: Grouping,
    groups: Sequence[NodeGroup],
    failed: Sequence[int],
    placed: Mapping[int, Mapping[int, int]],
) -> tuple[NodeGroup, ...] | None:
    """Groups whose pods (``placed``, group to shape to pods) did not pack, with what the model has to know about them.

    Equal nodes stay one group, whose ways to hold these shapes the model will count; others are split. None where
    nothing is new.
    """
    gpus = grouping.problem.shape_gpus
    result: list[NodeGroup] = []
    for index, group in enumerate(groups):
        shapes = tuple(sorted(s for s in placed.get(index, ()) if gpus[s] > 0))
        if index not in failed or group.size == 1:
            result.append(group)
        elif not group.uniform:
            result.extend(grouping.split(group))
        elif shapes in group.together:
            result.append(group)
        else:
            result.append(replace(group, together=(*group.together, shapes)))
    same = len(result) == len(groups) and all(a is b for a, b in zip(result, groups, strict=True))
    grown = _cells(result) > max(MODEL_VARIABLES, _cells(groups))
    return None if same or grown else tuple(result)


def _cells(groups: Sequence[NodeGroup]) -> int:
    """Shapes that fit, group by group: the columns for pods."""
    return sum(len(group.fits) - group.fits.count(0) for group in groups)
