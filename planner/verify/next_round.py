"""The cluster as the next planning round finds it: newcomers run, evicted pods wait."""

from __future__ import annotations

from dataclasses import replace

from models.plan import PlanResult
from models.workloads import Pod
from planner.verify.state import State


def after_plan(state: State) -> tuple[State, frozenset[str]]:
    """State after the plan with an empty plan, and the names of the pods that the plan placed.

    Pods that the controller had not created yet get names; evicted ones are created anew and wait.
    """
    placed: dict[str, Pod] = {}
    moved: dict[str, str] = {}
    for number, arrival in enumerate(state.reading.arrivals):
        if arrival.moved:
            moved[arrival.pod.full_name] = arrival.node
            continue
        for index in range(arrival.count):
            pod = replace(arrival.pod, node=arrival.node, phase="Running")
            if not arrival.exists:
                pod = replace(pod, name=pod.name.replace("*", f"new-{number}-{index}"))
            placed[pod.full_name] = pod
    pods = []
    for pod in state.snapshot.pods:
        name = pod.full_name
        if name in state.reading.evicted:
            pods.append(replace(pod, node=None, phase="Pending", started=""))
        elif name in moved:
            pods.append(replace(pod, node=moved[name]))
        else:
            pods.append(placed.get(name, pod))
    known = {pod.full_name for pod in pods}
    pods += [pod for name, pod in placed.items() if name not in known]
    snapshot = replace(state.snapshot, pods=tuple(pods))
    return State(snapshot, state.policy, PlanResult()), frozenset(placed)
