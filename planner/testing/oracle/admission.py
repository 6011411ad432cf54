"""Which node takes which pod, and how much room is left (I1, I2), for the oracle."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from models.cluster import Node
from models.effective import EffectivePolicy
from models.resources import PODS
from models.snapshot import Snapshot
from models.workloads import PodSpec

GROUP_LABEL = "volcano.sh/nodegroup-name"
ZONE_LABEL = "volcano.sh/revocable-zone"
_BLOCKING = ("NoSchedule", "NoExecute")


def free_room(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    """Allocatable less what every pod on the node holds, ``pods`` included; may be negative."""
    room: dict[str, dict[str, int]] = {}
    for node in snapshot.nodes:
        left = node.allocatable.as_dict()
        for pod in snapshot.pods:
            if pod.node == node.name and pod.holds_node:
                left[PODS] = left.get(PODS, 0) - 1
                for name, amount in pod.spec.request.items():
                    left[name] = left.get(name, 0) - amount
        room[node.name] = left
    return room


def admits(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    node: Node,
    *,
    queue: str,
    spec: PodSpec,
    annotations: Mapping[str, str],
) -> bool:
    """Whether the node is open to a pod of this queue, room aside."""
    return (
        _healthy(node, spec)
        and _selected(node, spec)
        and _group_open(snapshot, policy, node, queue)
        and _zone_open(policy, node, annotations)
    )


def _healthy(node: Node, spec: PodSpec) -> bool:
    taints = [(taint.key, taint.value, taint.effect) for taint in node.taints]
    if node.unschedulable:
        taints.append(("node.kubernetes.io/unschedulable", "", "NoSchedule"))
    if node.conditions.get("Ready", "True") != "True":
        return False
    return all(
        effect not in _BLOCKING or _tolerated(spec, key, value, effect)
        for key, value, effect in taints
    )


def _tolerated(spec: PodSpec, key: str, value: str, effect: str) -> bool:
    for one in spec.tolerations:
        effect_fits = one.effect in ("", effect)
        key_fits = one.key == key or (one.key == "" and one.operator == "Exists")
        value_fits = one.operator == "Exists" or one.value == value
        if effect_fits and key_fits and value_fits:
            return True
    return False


def _selected(node: Node, spec: PodSpec) -> bool:
    if any(node.labels.get(key) != value for key, value in spec.node_selector):
        return False
    if spec.node_affinity is None:
        return True
    return any(term.matches(node.name, node.labels) for term in spec.node_affinity)


def _group_open(snapshot: Snapshot, policy: EffectivePolicy, node: Node, queue: str) -> bool:
    if not policy.nodegroup:
        return True
    found = next((one for one in snapshot.queues if one.name == queue), None)
    if found is None or found.node_groups is None:
        return False
    return found.node_groups.allows(node.labels.get(GROUP_LABEL))


def _zone_open(policy: EffectivePolicy, node: Node, annotations: Mapping[str, str]) -> bool:
    zones = policy.policy.revocable_zones
    if zones is None or ZONE_LABEL not in node.labels:
        return True
    window = zones.get(node.labels[ZONE_LABEL])
    if annotations.get(ZONE_LABEL) != "*" or not window or not policy.now:
        return False
    moment = datetime.fromisoformat(policy.now.replace("Z", "+00:00")).astimezone(UTC)
    clock = f"{moment.hour:02}:{moment.minute:02}"
    start, end = (part.strip().zfill(5) for part in window.split("-"))
    return start <= clock < end if start <= end else clock >= start or clock < end
