"""Variables of the placement model, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.prepare.gang_classes import GangClass
from planner.prepare.node_groups import NodeGroup
from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem

Terms = list[tuple[int, int]]


@dataclass(frozen=True)
class PlacementVariables:
    """Columns by meaning; a variable exists only where it can be other than 0.

    Attributes
    ----------
    starts
        Per gang class: how many of its gangs start (None for running gangs that may only grow).
    pods
        ``[class][item]`` terms whose sum is the new pods of the item over the class's gangs.
    placed
        ``(shape, group)`` to the pods of the shape on the group's nodes.
    used
        Group to how many of its nodes that hold no GPU pod now receive one.
    subgroup
        ``(class, subgroup)`` to whether the subgroup receives pods (classes of one gang only).
    """

    starts: tuple[int | None, ...]
    pods: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
    placed: dict[tuple[int, int], int]
    used: dict[int, int]
    subgroup: dict[tuple[int, int], int]

    def pods_of(self, gang_class: int, item: int, factor: int = 1) -> Terms:
        """Terms of ``factor * pods``."""
        return [(column, factor * c) for column, c in self.pods[gang_class][item]]

    def start_of(self, gang_class: int, factor: int = 1) -> Terms:
        """Terms of ``factor * started gangs``; empty for running gangs."""
        column = self.starts[gang_class]
        return [] if column is None else [(column, factor)]


def create_variables(
    model: LinearModel,
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    groups: Sequence[NodeGroup],
) -> PlacementVariables:
    """Add all variables with their widest bounds."""
    starts: list[int | None] = []
    pods: list[tuple[tuple[tuple[int, int], ...], ...]] = []
    subgroup: dict[tuple[int, int], int] = {}
    supply: dict[int, int] = {}
    for index, one in enumerate(classes):
        column = None if one.growing else model.variable(0, one.size)
        starts.append(column)
        pods.append(_pod_terms(model, one, column))
        for item in one.example.items:
            supply[item.shape] = supply.get(item.shape, 0) + item.count * one.size
        open_groups = {g for item in one.example.items for g in item.subgroup if g >= 0}
        for number in sorted(open_groups):
            subgroup[index, number] = model.variable(0, 1)
    placed: dict[tuple[int, int], int] = {}
    for g, group in enumerate(groups):
        for shape, pods_wanted in supply.items():
            most = min(group.fits[shape], pods_wanted)
            if most > 0:
                placed[shape, g] = model.variable(0, most)
    used = {
        g: model.variable(0, group.size)
        for g, group in enumerate(groups)
        if group.gpus and not group.has_gpu_pods
    }
    return PlacementVariables(tuple(starts), tuple(pods), placed, used, subgroup)


def _pod_terms(
    model: LinearModel, one: GangClass, start: int | None
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Pods per item; where the number is fixed by the start (one item, exactly what is needed) no variable is made."""
    demand = one.example
    if start is not None and demand.simple and demand.items[0].count == demand.need:
        return (((start, demand.need),),)
    terms = []
    for item in demand.items:
        column = model.variable(0, item.count // item.step * one.size)
        terms.append(((column, item.step),))
    return tuple(terms)
