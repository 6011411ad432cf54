"""What evictions cost: GPUs that work, gangs, pods, moves, lost GPU-seconds, topology domains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from models.cluster import HyperNode, Node
from models.name_patterns import name_matcher
from models.workloads import Gang, Pod
from planner.verify.matching import selects
from planner.verify.state import State

_INTERVAL, _RESTART = "gangplan.io/checkpoint-interval", "gangplan.io/restart-cost"
_PART = re.compile(r"([0-9.]+)(ns|us|µs|ms|h|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def harm_values(state: State) -> dict[str, int]:
    """Tier name to value in the policy's ``harm`` order; ``lost_work`` is in GPU-seconds.

    A gang is given up when it had running pods and keeps none.
    """
    evicted = list(state.reading.evicted.values())
    gangs = dict.fromkeys(pod.gang for pod in evicted if pod.gang)
    given_up = [name for name in gangs if not state.staying(state.snapshot.gang_by_name[name])]
    values = {
        "idle": ("working_evicted", _working_gpus(state, evicted)),
        "gangs": ("gangs_given_up", len(given_up)),
        "pods": ("pods_evicted", len(evicted)),
        "moves": ("pods_moved", sum(arrival.moved for arrival in state.reading.arrivals)),
        "lost_work": ("lost_work", sum(lost_gpu_seconds(state, pod) for pod in _ended(state))),
        "domains": ("eviction_domains", _domains(state, evicted)),
    }
    usual = [name for name in values if name != "idle"]  # a tier only where the policy names it
    objective = state.policy.policy.objective
    listed = isinstance(objective, tuple) and "working_evicted" in objective
    order = [*state.policy.policy.harm, *usual, *(["idle"] if listed else [])]
    return dict(values[name] for name in dict.fromkeys(order))


def _working_gpus(state: State, evicted: list[Pod]) -> int:
    """GPUs of evicted pods, those aside whose gang is idle.

    A gang is idle where every running pod of it that holds GPUs was measured up to the end and has not worked for
    ``use.idle_after`` seconds then; pods of which nothing is known count as working.
    """
    least = state.policy.policy.use.idle_after
    idle_s = {one.pod: one.idle_s for one in state.snapshot.use}
    idle: dict[str, bool] = {}
    for name in {pod.gang for pod in evicted if pod.gang}:
        holders = [
            pod.full_name
            for pod in state.running_before(state.snapshot.gang_by_name[name])
            if state.gpus(pod.spec)
        ]
        spans = [idle_s.get(one) for one in holders]
        idle[name] = bool(spans) and all(one is not None and one >= least for one in spans)
    return sum(state.gpus(pod.spec) for pod in evicted if not idle.get(pod.gang, False))


def _ended(state: State) -> Iterable[Pod]:
    """Evicted pods, and all running pods of a gang that restarts as a whole when one is evicted."""
    found = dict(state.reading.evicted)
    for name in {pod.gang for pod in found.values() if pod.gang}:
        gang = state.snapshot.gang_by_name[name]
        if gang.restarts_on_eviction:
            found.update((pod.full_name, pod) for pod in state.running_before(gang))
    return found.values()


def lost_gpu_seconds(state: State, pod: Pod) -> int:
    """GPUs times seconds since the pod started or last saved its work, plus its restart cost.

    Whole seconds, rounded down; with an unknown start the pod counts 0. Work is saved every interval from the start
    on.
    """
    start, now = _moment(pod.started), _moment(state.policy.now)
    if start is None or now is None:
        return 0
    interval, restart = _saving(state, state.snapshot.gang_by_name.get(pod.gang), pod)
    ran = max(int((now - start).total_seconds()), 0)
    return state.gpus(pod.spec) * ((ran % interval if interval else ran) + restart)


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found.replace(tzinfo=found.tzinfo or UTC)


def _saving(state: State, gang: Gang | None, pod: Pod) -> tuple[int, int]:
    """Seconds between checkpoints (0 = none) and of a restart: annotations first, then the policy's first match."""
    marks = {**(gang.annotations if gang else {}), **pod.annotations}
    interval, restart = _seconds(marks.get(_INTERVAL, "")), _seconds(marks.get(_RESTART, ""))
    for one in state.policy.policy.checkpoint:
        right_queue = one.queue is None or (gang is not None and gang.queue == one.queue)
        if right_queue and all(pod.labels.get(key) == text for key, text in one.selector.items()):
            interval = one.interval_seconds if interval is None else interval
            restart = one.restart_seconds if restart is None else restart
            break
    return interval or 0, restart or 0


def _seconds(text: str) -> int | None:
    """Whole seconds of a Go duration or a plain number, None where it is neither."""
    if text.isascii() and text.isdigit():
        return int(text)
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    try:
        return int(sum(float(number) * _SECONDS[unit] for number, unit in parts))
    except ValueError:
        return None


def _domains(state: State, evicted: list[Pod]) -> int:
    found: set[tuple[str, ...]] = set()
    for name in {pod.node or "" for pod in evicted}:
        node = state.snapshot.node_by_name.get(name)
        found.add(("node", name) if node is None else domain_of(state, node))
    return len(found)


def domain_of(state: State, node: Node) -> tuple[str, ...]:
    """The closest HyperNode of a node; without HyperNodes its topology labels; without those the node itself."""
    snapshot = state.snapshot
    holding = [one for one in snapshot.hyper_nodes if _holds(one, node)]
    if holding:
        closest = min(holding, key=lambda one: (one.tier, one.name))
        return ("hypernode", closest.name)
    labels: Mapping[str, str] = node.labels
    keys = state.policy.policy.topology_labels
    if keys and not snapshot.hyper_nodes and all(key in labels for key in keys):
        return ("labels", *(labels[key] for key in keys))
    return ("node", node.name)


def _holds(hyper_node: HyperNode, node: Node) -> bool:
    """Whether a member of type Node of the HyperNode is this node."""
    for member in hyper_node.members:
        if member.type != "Node":
            continue
        if member.exact_name:
            if member.exact_name == node.name:
                return True
        elif member.pattern:
            if _matches(member.pattern, node.name):
                return True
        elif member.labels is not None and selects(member.labels, node.labels):
            return True
    return False


def _matches(pattern: str, name: str) -> bool:
    matches = name_matcher(pattern)
    return matches is not None and matches(name)
