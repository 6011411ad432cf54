"""Volcano's pre-filter of topology domains (I10): the free sum has to hold all pods that a gang asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from models.checks.wording import amounts_text, counted
from models.plan import Reason
from models.resources import PODS
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.encode.demands import GangCase
from planner.encode.topology import allowed_tier
from planner.problem.placement import IntArray
from planner.problem.rule_names import is_rule
from planner.problem.topology import TopologyForest


class Prefilter:
    """Domains with room for everything that a gang or a subgroup asks for.

    Only elastic ones are told apart: where all pods are needed, they have to fit anyway.
    """

    def __init__(self, snapshot: Snapshot, forest: TopologyForest) -> None:
        self._snapshot, self._forest = snapshot, forest

    def open(
        self, choices: tuple[int, ...] | None, asked: Mapping[str, int], *, elastic: bool
    ) -> tuple[int, ...] | None:
        """Those of the domains whose free sums hold the sum of requests."""
        if not choices or not elastic:
            return choices
        good = np.ones(len(choices), dtype=np.bool_)
        for name, amount in asked.items():
            good &= self._forest.sums(choices, self._free(name)) >= amount
        return tuple(number for number, fine in zip(choices, good, strict=True) if fine)

    def _free(self, name: str) -> IntArray:
        """``[nodes]`` what is free of a resource beside the pods that hold the node."""
        if name not in self._known:
            self._known[name] = np.array(
                [
                    max(node.allocatable.amount(name) - self._held(node.name, name), 0)
                    for node in self._snapshot.nodes
                ],
                dtype=np.int64,
            )
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, IntArray]:
        return {}

    def _held(self, node: str, name: str) -> int:
        pods = self._snapshot.pods_by_node.get(node, ())
        return len(pods) if name == PODS else sum(pod.spec.request.amount(name) for pod in pods)


def asked_for(specs: Iterable[tuple[PodSpec, int]]) -> dict[str, int]:
    """Sums of requests and the number of pods; rules between pods are no resources."""
    found: dict[str, int] = {PODS: 0}
    for spec, count in specs:
        found[PODS] += count
        for name, amount in spec.request.items():
            if not is_rule(name):
                found[name] = found.get(name, 0) + amount * count
    return found


def still_asked(gang: Gang, pods: Sequence[Pod]) -> list[tuple[PodSpec, int]]:
    """Pods of a gang that do not run yet: those that wait, and those that its templates promise."""
    found = [(pod.spec, 1) for pod in pods if pod.pending]
    for template in () if gang.finished else gang.templates:
        promised = template.replicas - sum(pod.role == template.role for pod in pods)
        if promised > 0:
            found.append((template.spec, promised))
    return found


def beyond_every_domain(
    case: GangCase, forest: TopologyForest, open_: tuple[int, ...] | None
) -> GangCase:
    """The case, blocked where the pre-filter leaves no domain; ``open_`` are the domains that it leaves."""
    tier = allowed_tier(forest, case.gang.topology)
    if open_ or open_ is None or tier is None:
        return case
    pods = still_asked(case.gang, case.pods)
    asked = asked_for(pods)
    count = asked.pop(PODS)
    least = f", its minimum are {case.need:,}" if case.need else ""
    message = (
        f"no domain of tier {tier} or less has room for all {counted(count, 'pod')} that it still asks for "
        f"({amounts_text(asked)}{least}): Volcano looks at no domain with less free in sum"
    )
    data = {"tier": tier, "pods": count, "need": case.need, "asked": asked, "prefilter": "pending"}
    return replace(
        case, blocked=(*case.blocked, Reason(code="topology", message=message, data=data))
    )
