"""Short words for cases in which several rules meet: marks, subgroups, requests, queues and budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from models.cluster import Node, PodDisruptionBudget, PriorityClass
from models.queues import Queue
from models.resources import CPU, Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import SubGroupPolicy
from planner.testing.by_hand import Work, snapshot_of
from planner.testing.random_nodes import GPU

NOW = "2026-11-01T12:00:00Z"


@dataclass(frozen=True)
class Mixed:
    """A snapshot, the policy keys that it needs, and the decisions that are known (gangs left out may do anything)."""

    snapshot: Snapshot
    decisions: Mapping[str, str]
    policy: Mapping[str, Any] = field(default_factory=dict)


CASES: dict[str, Callable[[], Mixed]] = {}


def case(make: Callable[[], Mixed]) -> Callable[[], Mixed]:
    """Register a case by the name of its function."""
    CASES[make.__name__.lstrip("_")] = make
    return make


def queue(
    name: str, parent: str = "root", *, reclaimable: bool = True, **amounts: Mapping[str, int]
) -> Queue:
    """A queue with amounts by kind: ``deserved={GPU: 4, CPU: 8000}``, ``guarantee={GPU: 1}``."""
    return Queue(
        name,
        parent=parent,
        reclaimable=reclaimable,
        deserved=Resources(amounts.get("deserved", {})),
        guarantee=Resources(amounts.get("guarantee", {})),
    )


def asking(one: Work, **amounts: int) -> Work:
    """The same gang with other requests per pod (cpu in milli, gpu)."""
    request = Resources({{"cpu": CPU, "gpu": GPU}[name]: n for name, n in amounts.items()})
    request = request.without_zeros()
    return replace(
        one,
        pods=tuple(replace(pod, spec=replace(pod.spec, request=request)) for pod in one.pods),
    )


def marked(one: Work, *, labels: Mapping[str, str] | None = None, **annotations: str) -> Work:
    """The same gang with labels, or marks such as ``preemptable="false"`` on its pods."""
    marks = {f"volcano.sh/{name.replace('_', '-')}": text for name, text in annotations.items()}
    return replace(
        one,
        pods=tuple(
            replace(
                pod,
                labels={**pod.labels, **(labels or {})},
                annotations={**pod.annotations, **marks},
            )
            for pod in one.pods
        ),
    )


def in_rings(one: Work, *numbers: int, size: int, least: int = 0) -> Work:
    """The same gang with its pods in subgroups by label ``ring``."""
    policy = SubGroupPolicy(match_label_keys=("ring",), size=size, min_subgroups=least)
    pods = tuple(
        replace(pod, labels={**pod.labels, "ring": str(number)})
        for pod, number in zip(one.pods, numbers, strict=True)
    )
    return replace(one, gang=replace(one.gang, subgroups=(policy,)), pods=pods)


def running(one: Work, *nodes: str) -> Work:
    """The same gang with its first pods on these nodes."""
    pods = [
        replace(pod, node=nodes[place], phase="Running") if place < len(nodes) else pod
        for place, pod in enumerate(one.pods)
    ]
    return replace(one, pods=tuple(pods))


def of(one: Work, name: str, priority: int = 0) -> Work:
    """The same gang in another queue, with a priority."""
    return replace(one, gang=replace(one.gang, queue=name, priority=priority))


def budget(allowed: int, **labels: str) -> PodDisruptionBudget:
    """A budget for pods with these labels."""
    selector = LabelSelector(match_labels=tuple(labels.items()))
    return PodDisruptionBudget("ml", "budget", selector, allowed)


def cluster(*parts: Node | Queue | Work | PodDisruptionBudget) -> Snapshot:
    """A snapshot with its budgets, the priority classes of its gangs and the marks of roles."""
    budgets = tuple(part for part in parts if isinstance(part, PodDisruptionBudget))
    rest = [part for part in parts if not isinstance(part, PodDisruptionBudget)]
    plain = snapshot_of(*rest)
    values = sorted({gang.priority for gang in plain.gangs})
    return replace(
        plain,
        gangs=tuple(replace(gang, priority_class_name=f"p{gang.priority}") for gang in plain.gangs),
        pods=tuple(
            replace(pod, annotations={**pod.annotations, "volcano.sh/task-spec": pod.role})
            if pod.role
            else pod
            for pod in plain.pods
        ),
        priority_classes=tuple(PriorityClass(f"p{value}", value) for value in values),
        disruption_budgets=budgets,
        as_of=NOW,
    )
