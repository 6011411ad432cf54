"""Variables of the placement model, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from planner.model.spots import Spots, create_spots
from planner.problem.linear import LinearModel
from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import NodeGroup

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
    beyond
        Per class the columns that are pods beyond minima and nothing else.
    spots
        Pods on the nodes of the groups.
    used
        Group to how many of its nodes that hold no GPU pod now receive one.
    subgroup
        ``(class, subgroup)`` to whether the subgroup receives pods (classes of one gang only).
    """

    starts: tuple[int | None, ...]
    pods: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
    beyond: tuple[frozenset[int], ...]
    spots: Spots
    used: dict[int, int]
    subgroup: dict[tuple[int, int], int]

    @property
    def elastic(self) -> frozenset[int]:
        """Columns that are pods beyond minima and nothing else."""
        return frozenset[int]().union(*self.beyond)

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
    *,
    apart: Collection[int] = (),
) -> PlacementVariables:
    """Add all variables with their widest bounds; shapes in ``apart`` share no columns with others."""
    starts: list[int | None] = []
    pods: list[tuple[tuple[tuple[int, int], ...], ...]] = []
    beyond: list[frozenset[int]] = []
    subgroup: dict[tuple[int, int], int] = {}
    supply: dict[int, int] = {}
    for index, one in enumerate(classes):
        column = None if one.growing else model.variable(0, one.size)
        starts.append(column)
        before = model.size
        pods.append(_pod_terms(model, one, column))
        apart_from_minimum = one.growing or fixed_minimum(one.example) is not None
        beyond.append(frozenset(range(before, model.size) if apart_from_minimum else ()))
        for item in one.example.items:
            supply[item.shape] = supply.get(item.shape, 0) + item.count * one.size
        open_groups = {g for item in one.example.items for g in item.subgroup if g >= 0}
        for number in sorted(open_groups):
            subgroup[index, number] = model.variable(0, 1)
    spots = create_spots(model, problem, groups, supply, apart)
    used = {
        g: model.variable(0, group.size)
        for g, group in enumerate(groups)
        if group.gpus and not group.has_gpu_pods
    }
    return PlacementVariables(tuple(starts), tuple(pods), tuple(beyond), spots, used, subgroup)


def _pod_terms(
    model: LinearModel, one: GangClass, start: int | None
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Pods per item: a variable, or where the minimum of every item is known ``minimum * start + elastic pods``.

    The second form needs no rows for readiness, and leaves only starts where elastic pods are out of scope.
    """
    demand = one.example
    minimum = None if start is None else fixed_minimum(demand)
    terms: list[tuple[tuple[int, int], ...]] = []
    for index, item in enumerate(demand.items):
        if start is None or minimum is None:
            column = model.variable(0, item.count // item.step * one.size)
            terms.append(((column, item.step),))
            continue
        parts = [(start, minimum[index])] if minimum[index] else []
        elastic = item.count - minimum[index]
        if elastic:
            parts.append((model.variable(0, elastic * one.size), 1))
        terms.append(tuple(parts))
    return tuple(terms)


def fixed_minimum(demand: Demand) -> tuple[int, ...] | None:
    """Pods of each item in every minimal set; None where there is a choice between items, or pods come in multiples."""
    if demand.grouped or any(item.step > 1 for item in demand.items):
        return None
    roles = dict(demand.role_need)
    if not roles and len(demand.items) == 1:
        minimum: tuple[int, ...] = (demand.need,)
    else:
        minimum = tuple(roles.get(item.role, 0) for item in demand.items)
        if sum(minimum) != demand.need or sum(roles.values()) != demand.need:
            return None
        if len({item.role for item in demand.items}) < len(demand.items):
            return None
    if any(least > item.count for least, item in zip(minimum, demand.items, strict=True)):
        return None
    return minimum
