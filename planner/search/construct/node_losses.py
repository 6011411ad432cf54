"""What each node can lose to make room, and at what cost: the ground on which victims are chosen greedily.

A *loss* is a gang given up whole, or one pod that may leave alone. Costs are whole numbers in which the first kind of
harm of the policy outweighs all others, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planner.problem.placement import PlacementProblem
from planner.problem.victims import EACH_ALONE, Victims

Vector = tuple[int, ...]
SurplusKey = tuple[int, str | None]
"""A gang, or one role of it."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that one node can lose.

    Attributes
    ----------
    gang
        Gang given up, -1 for pods that leave alone.
    kinds
        Kinds of victims that go with it.
    vector
        What one unit frees on the node.
    most
        Units; 1 for a gang.
    cost
        Harm of one unit, all nodes of a gang included.
    pods
        Index into ``Victims.pods`` of pods that leave alone, -1 for a gang.
    """

    gang: int
    kinds: tuple[int, ...]
    vector: Vector
    most: int
    cost: int
    pods: int = -1


class NodeLosses:
    """All losses by node; only kinds that ``allowed`` names.

    Attributes
    ----------
    at
        Node to its losses.
    nodes_of, pods_of
        Gang to the nodes of its pods, and to its pods per kind.
    limits
        Index into ``Victims.pods`` of surplus pods to how many of the gang and of the role may leave.
    unit
        Cost of a typical loss.
    """

    def __init__(
        self, problem: PlacementProblem, victims: Victims, allowed: Callable[[int], bool]
    ) -> None:
        self.victims = victims
        self.at: dict[int, list[Loss]] = {}
        self.nodes_of: dict[int, list[int]] = {}
        self.pods_of: dict[int, dict[int, int]] = {}
        self.limits: dict[int, list[tuple[SurplusKey, int]]] = {}
        self._weights = _weights(victims)
        entries: dict[int, list[int]] = {}
        for index, one in enumerate(victims.pods):
            gang = victims.kinds[one.kind].gang
            if gang == EACH_ALONE:
                if allowed(one.kind):
                    self._add_alone(index, 1)
            else:
                entries.setdefault(gang, []).append(index)
        for gang, members in entries.items():
            if all(allowed(victims.pods[index].kind) for index in members):
                self._add_gang(gang, members)
        self.unit = _typical(self.at)

    def _add_alone(self, index: int, given_up: int) -> None:
        one = self.victims.pods[index]
        kind = self.victims.kinds[one.kind]
        cost = self._cost(given_up, 1, kind.lost, kind.working_gpus)
        loss = Loss(-1, (one.kind,), kind.vector, len(one.names), cost, index)
        self.at.setdefault(one.node, []).append(loss)

    def _add_gang(self, number: int, members: Sequence[int]) -> None:
        """The gang as a whole; where it has a surplus and one kind of pod, its pods one by one as well."""
        gang, victims = self.victims.gangs[number], self.victims
        pods = sum(len(victims.pods[index].names) for index in members)
        if not gang.whole or pods < gang.running:
            return
        lost = sum(
            victims.kinds[victims.pods[i].kind].lost * len(victims.pods[i].names) for i in members
        )
        counts: Counter[int] = Counter()
        for index in members:
            counts[victims.pods[index].kind] += len(victims.pods[index].names)
        self.pods_of[number] = dict(counts)
        working = sum(
            victims.kinds[victims.pods[i].kind].working_gpus * len(victims.pods[i].names)
            for i in members
        )
        cost = self._cost(1, pods, lost, working)
        by_node: dict[int, list[int]] = {}
        for index in members:
            by_node.setdefault(victims.pods[index].node, []).append(index)
        self.nodes_of[number] = list(by_node)
        if min(gang.surplus, gang.running - 1) > 0 and not gang.subgroups:
            for index in members:
                self._add_alone(index, 0)
                self.limits[index] = self._surplus(number, victims.pods[index].kind)
        for node, indices in by_node.items():
            kinds = tuple(victims.pods[index].kind for index in indices)
            freed = [
                [amount * len(victims.pods[i].names) for amount in victims.kinds[kind].vector]
                for i, kind in zip(indices, kinds, strict=True)
            ]
            vector = tuple(map(sum, zip(*freed, strict=True)))
            self.at.setdefault(node, []).append(Loss(number, kinds, vector, 1, cost))

    def _surplus(self, number: int, kind: int) -> list[tuple[SurplusKey, int]]:
        """How many pods may leave while the gang stays: of the gang, and of the pod's role."""
        gang, role = self.victims.gangs[number], self.victims.kinds[kind].role
        found: list[tuple[SurplusKey, int]] = [
            ((number, None), min(gang.surplus, gang.running - 1))
        ]
        if role in gang.role_surplus:
            found.append(((number, role), gang.role_surplus[role]))
        return found

    def _cost(self, gangs: int, pods: int, lost: int, working: int) -> int:
        weights = self._weights
        named = working * weights.get("idle", 0)
        return (
            named + gangs * weights["gangs"] + pods * weights["pods"] + lost * weights["lost_work"]
        )


def _weights(victims: Victims) -> dict[str, int]:
    """One weight per kind of harm, each above all that the kinds after it can add up to."""
    pods = sum(len(one.names) for one in victims.pods)
    lost = sum(len(one.names) * victims.kinds[one.kind].lost for one in victims.pods)
    working = sum(len(one.names) * victims.kinds[one.kind].working_gpus for one in victims.pods)
    totals = {"idle": working, "gangs": pods, "pods": pods, "lost_work": lost}
    order = [one for one in victims.harm if one in totals]
    order += [one for one in totals if one not in order and one != "idle"]
    weights: dict[str, int] = {}
    weight = 1
    for name in reversed(order):
        weights[name] = weight
        weight *= totals[name] + 1
    return weights


def _typical(at: dict[int, list[Loss]]) -> float:
    """Average cost of a loss."""
    costs = [loss.cost for losses in at.values() for loss in losses]
    return max(sum(costs) / len(costs), 1.0) if costs else 1.0
