"""Who is on which node after a plan, for rules between pods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.workloads import Pod
from planner.verify.pod_terms import with_created_labels
from planner.verify.state import State


@dataclass(frozen=True, slots=True)
class Resident:
    """Pods on a node after the plan; ``count`` is above 1 for pods that are still to be created."""

    pod: Pod
    node: str
    count: int = 1
    comes: bool = False


def residents(state: State) -> Iterator[Resident]:
    """Every pod that holds a node after the plan, terminating ones included; moved ones are on their new node."""
    moved = {one.pod.full_name for one in state.reading.arrivals if one.moved}
    for pod in state.snapshot.pods:
        name = pod.full_name
        if pod.holds_node and name not in state.reading.evicted and name not in moved:
            yield Resident(pod, pod.node or "")
    for one in state.reading.arrivals:
        pod = one.pod if one.exists else with_created_labels(one.pod, state.snapshot)
        yield Resident(pod, one.node, one.count, comes=True)
