"""A bound of the points that preferred rules cost: a flow of pods to kinds of nodes, whoever starts.

Gangs start in parts of a gang, pods go to nodes that admit them, whose room is summed over all nodes that cost every
kind of pod the same. The rows hold for every plan whose tiers above are at least as good, so its optimum bounds what
such plans lose. It is linear, and as large as the kinds of gangs and nodes are many, not the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from planner.capacity.fit import node_counts
from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import IntArray, PlacementProblem
from planner.problem.wishes import TIER, UNIT
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import demanded_shapes

MOST_CELLS = 30_000
"""Kinds of pods times kinds of nodes beyond which all nodes are one kind, each pod at its cheapest node's price."""

Terms = list[tuple[int, int]]


class CertainPoints:
    """The flow, with what the tiers above ask of it.

    Parameters
    ----------
    problem
        Its shapes tell wishes apart, its room is that beside the pods that no plan evicts.
    losses
        Wish to ``[nodes]`` points that a pod loses there in every plan.
    above
        Value of the tiers above by name; those that count started gangs, their GPUs or elastic pods are used.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        classes: Sequence[GangClass],
        losses: Mapping[int, IntArray],
        above: Mapping[str, int],
    ) -> None:
        self.model = LinearModel()
        self._problem, self._classes = problem, classes
        self._starts = [None if k.growing else self.model.variable(0, k.size) for k in classes]
        self._placed: dict[int, Terms] = {}
        self._elastic: list[Terms] = []
        for k, one in enumerate(classes):
            self._gang(one, self._starts[k])
        self._pins(above)
        self.goal = TierGoal(TIER, "min", UNIT, self._flow(losses), 0)

    def _gang(self, one: GangClass, start: int | None) -> None:
        """Pods per item: at most all of the started gangs, at least what makes them ready."""
        model, demand = self.model, one.example
        pods: Terms = []
        of_role: dict[str, Terms] = {}
        for item in demand.items:
            column = model.variable(0, item.count * one.size)
            pods.append((column, 1))
            of_role.setdefault(item.role, []).append((column, 1))
            self._placed.setdefault(item.shape, []).append((column, -1))
            if start is not None:
                model.at_most([(column, 1), (start, -item.count)], 0, TIER)
        least = demand.minimum[self._problem.pods_dimension]
        self._elastic.append([*pods, *([] if start is None else [(start, -least)])])
        if start is None:
            return
        model.at_least([*pods, (start, -least)], 0, TIER)
        for role, need in demand.role_need:
            model.at_least([*of_role.get(role, ()), (start, -need)], 0, TIER)

    def _pins(self, above: Mapping[str, int]) -> None:
        for name, value in above.items():
            place, _, counted = name.rpartition(".")
            if counted == "elastic":
                beyond = [
                    term
                    for terms, one in zip(self._elastic, self._classes, strict=True)
                    if place in ("", "all.1", f"{one.grows_in}.{one.rank}")
                    for term in terms
                ]
                self.model.at_least(beyond, value, name)
            elif counted in ("gpus", "gangs"):
                terms = [
                    (start, one.example.gpus if counted == "gpus" else 1)
                    for start, one in zip(self._starts, self._classes, strict=True)
                    if start is not None and place in ("all.1", f"{one.tier_class}.{one.rank}")
                ]
                self.model.at_least(terms, value, name)

    def _flow(self, losses: Mapping[int, IntArray]) -> Expression:
        """Pods of a shape on nodes of a kind: all that are placed, in the nodes' room, and what they lose."""
        problem, model = self._problem, self.model
        shapes = sorted(demanded_shapes(problem))
        fits = np.array([node_counts(problem, shape) for shape in shapes], dtype=np.int64)
        none = np.zeros(len(problem.node_names), dtype=np.int64)
        lost = np.array([losses.get(problem.wish_of[shape], none) for shape in shapes])
        groups = _groups(fits, lost)
        costs: Terms = []
        for nodes in groups:
            inside: list[tuple[int, int]] = []
            for row in np.flatnonzero(fits[:, nodes].any(axis=1)):
                here = fits[row, nodes]
                column = model.variable(0, int(here.sum()))
                self._placed.setdefault(shapes[row], []).append((column, 1))
                inside.append((column, shapes[row]))
                costs.append((column, int(lost[row, nodes][here > 0].min())))
            room = problem.free[nodes].sum(axis=0)
            for d in range(len(problem.dimensions)):
                asked = [(column, int(problem.requests[shape, d])) for column, shape in inside]
                model.at_most(asked, int(room[d]), TIER)
        for terms in self._placed.values():
            model.equal(terms, 0, TIER)
        kept = [(column, points) for column, points in costs if points]
        return Expression(tuple(c for c, _ in kept), tuple(points for _, points in kept))


def _groups(fits: IntArray, lost: IntArray) -> list[IntArray]:
    """Useful nodes of equal prices; all of them where these would be too many."""
    useful = np.flatnonzero(fits.any(axis=0))
    prices = np.ascontiguousarray(np.where(fits > 0, lost, -1).T)
    kinds: dict[bytes, list[int]] = {}
    for node in useful.tolist():
        kinds.setdefault(prices[node].tobytes(), []).append(node)
    if len(kinds) * len(fits) > MOST_CELLS:
        return [useful]
    return [np.array(nodes, dtype=np.int64) for nodes in kinds.values()]
