"""Nodes of the plan document: class, pool, GPU model, room before and after."""

from __future__ import annotations

from collections.abc import Sequence

from models.cluster import Node
from models.gpu import gpu_model
from models.placement import Placement
from models.plan import NodeEntry
from models.pools import pool_of
from models.resources import PODS, Resources
from models.snapshot import Snapshot
from planner.documents.departures import freed_by_node
from planner.documents.domain_entries import domain_path
from planner.encode.prepared import Prepared


def node_entries(
    prepared: Prepared, placed: Sequence[Placement], evicted: Sequence[str] = ()
) -> tuple[tuple[NodeEntry, ...], int]:
    """Entries in the snapshot's order, and the number of node classes.

    Nodes are of one class when no waiting gang can tell them apart: same room in every dimension that is asked for,
    open to the same pods.
    """
    after = _arrivals(prepared, placed)
    freed = freed_by_node(prepared.snapshot, evicted)
    classes: dict[tuple[object, ...], str] = {}
    entries: list[NodeEntry] = []
    problem = prepared.problem
    for index, node in enumerate(prepared.snapshot.nodes):
        key = (
            problem.free[index].tobytes(),
            problem.admits[:, index].tobytes(),
            int(problem.node_gpus[index]),
            bool(problem.node_has_gpu_pods[index]),
        )
        name = classes.setdefault(key, f"c{len(classes) + 1}")
        before = used_now(prepared.snapshot, node)
        entries.append(
            NodeEntry(
                name=node.name,
                **{"class": name},  # type: ignore[arg-type]  # the field's alias is a keyword of the language
                pool=pool_of(node, prepared.policy.policy.gpu_models, prepared.gpu_names),
                domain=domain_path(prepared, index),
                gpu_model=gpu_model(node, prepared.policy.policy.gpu_models),
                allocatable=node.allocatable,
                before=before,
                after=_after(before, after.get(node.name), freed.get(node.name)),
                conditions=conditions_of(node),
            )
        )
    return tuple(entries), len(classes)


def _after(before: Resources, came: Resources | None, freed: Resources | None) -> Resources:
    if freed is not None:
        before = before.minus(freed).without_zeros()
    return before.plus(came) if came is not None else before


def used_now(snapshot: Snapshot, node: Node) -> Resources:
    """What the pods of a node hold, with their number."""
    total: dict[str, int] = {}
    for pod in snapshot.pods_by_node.get(node.name, ()):
        total[PODS] = total.get(PODS, 0) + 1
        for name, amount in pod.spec.request.items():
            total[name] = total.get(name, 0) + amount
    return Resources(total)


def _arrivals(prepared: Prepared, placed: Sequence[Placement]) -> dict[str, Resources]:
    snapshot = prepared.snapshot
    found: dict[str, dict[str, int]] = {}
    for one in placed:
        total = found.setdefault(one.node, {})
        total[PODS] = total.get(PODS, 0) + one.count
        template = snapshot.gang_by_name[one.gang].template(one.role)
        requests = [snapshot.pod_by_name[name].spec.request for name in one.names]
        if template is not None:
            requests += [template.spec.request] * (one.count - len(one.names))
        for request in requests:
            for name, amount in request.items():
                total[name] = total.get(name, 0) + amount
    return {name: Resources(total) for name, total in found.items()}


def conditions_of(node: Node) -> tuple[str, ...]:
    """What keeps new pods away from a node, in Kubernetes' words."""
    found = [] if node.ready else ["NotReady"]
    if node.unschedulable:
        found.append("SchedulingDisabled")
    return tuple(found)
