"""The same cluster with an obstacle taken away, so that the enumeration can tell whether it was one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from models.cluster import Node
from models.effective import EffectivePolicy
from models.queues import Queue
from models.resources import NO_RESOURCES, Resources
from models.snapshot import Snapshot
from models.workloads import PodSpec

_PLENTY = 10**15


def without_limits(snapshot: Snapshot) -> Snapshot:
    """No capability, no guarantee, and a node that nobody may use makes the total too large to bind."""
    names = {name for node in snapshot.nodes for name in node.allocatable}
    names |= {name for pod in snapshot.pods for name in pod.spec.request}
    void = Node(
        "void",
        allocatable=Resources(dict.fromkeys(names, _PLENTY)),
        conditions={"Ready": "False"},
    )
    queues = tuple(_free(queue) for queue in snapshot.queues)
    return replace(snapshot, queues=queues, nodes=(*snapshot.nodes, void))


def _free(queue: Queue) -> Queue:
    return replace(queue, capability=NO_RESOURCES, guarantee=NO_RESOURCES)


def emptied(snapshot: Snapshot, gang: str) -> Snapshot:
    """Every node grows by what the pods of other gangs hold: as if these were gone."""
    held: dict[str, Counter[str]] = {}
    for pod in snapshot.pods:
        stays = pod.gang == gang and pod.running
        if pod.holds_node and pod.node is not None and not stays:
            held.setdefault(pod.node, Counter()).update({**pod.spec.request, "pods": 1})
    nodes = tuple(
        replace(node, allocatable=node.allocatable.plus(held.get(node.name, {})))
        for node in snapshot.nodes
    )
    return replace(snapshot, nodes=nodes)


def opened(snapshot: Snapshot, *, repaired: bool = True) -> Snapshot:
    """No label, taint, selector or affinity keeps a pod from a node (use without node groups).

    ``repaired`` also takes cordons and conditions away.
    """
    nodes = tuple(
        node if node.name == "void" else _open_node(node, repaired=repaired)
        for node in snapshot.nodes
    )
    pods = tuple(replace(pod, spec=_anywhere(pod.spec)) for pod in snapshot.pods)
    gangs = tuple(
        replace(
            gang,
            templates=tuple(replace(one, spec=_anywhere(one.spec)) for one in gang.templates),
        )
        for gang in snapshot.gangs
    )
    return replace(snapshot, nodes=nodes, pods=pods, gangs=gangs)


def _open_node(node: Node, *, repaired: bool) -> Node:
    node = replace(node, labels={}, taints=())
    return replace(node, unschedulable=False, conditions={}) if repaired else node


def _anywhere(spec: PodSpec) -> PodSpec:
    return replace(spec, node_selector=(), node_affinity=None)


def by_day(policy: EffectivePolicy) -> EffectivePolicy:
    """Every revocable zone is open now."""
    zones = dict.fromkeys(policy.policy.revocable_zones or {}, "00:00-23:59")
    return replace(policy, policy=policy.policy.model_copy(update={"revocable_zones": zones}))


def roomy(snapshot: Snapshot, placed: Iterable[tuple[str, str, Resources]]) -> Snapshot:
    """Nodes grow by what placed pods hold there: these take no room, and count for their queues."""
    held: dict[str, Counter[str]] = {}
    for node, _, request in placed:
        held.setdefault(node, Counter()).update({**request, "pods": 1})
    nodes = tuple(
        replace(node, allocatable=node.allocatable.plus(held.get(node.name, {})))
        for node in snapshot.nodes
    )
    return replace(snapshot, nodes=nodes)
