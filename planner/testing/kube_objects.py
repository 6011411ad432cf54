"""A snapshot as the Kubernetes and Volcano objects of the export that it could come from.

Covers nodes, pods, PodGroups, Volcano Jobs, queues, priority classes, disruption budgets and HyperNodes: all that
random snapshots hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.cluster import HyperNode, HyperNodeMember, Node, PodDisruptionBudget, PriorityClass
from models.queues import Queue
from models.resources import CPU
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import Gang, NetworkTopology, Pod, PodSpec, RoleTemplate
from planner.testing.kube_pod_spec import expression_object, pod_spec_object

Object = dict[str, Any]
_RESTART = {"event": "PodEvicted", "action": "RestartJob"}


def kube_objects(snapshot: Snapshot) -> list[Object]:
    """One mapping per object, as ``kubectl get -o json`` would show it."""
    declared = [gang for gang in snapshot.gangs if gang.kind != "implicit"]
    jobs = {gang.full_name for gang in declared if gang.kind == "Job"}
    return [
        *(_node(node) for node in snapshot.nodes),
        *(_priority_class(one) for one in snapshot.priority_classes),
        *(_queue(queue) for queue in snapshot.queues),
        *(_job(gang) if gang.full_name in jobs else _pod_group(gang) for gang in declared),
        *(_pod(pod, owned=pod.gang in jobs) for pod in snapshot.pods),
        *(_budget(one) for one in snapshot.disruption_budgets),
        *(_hyper_node(one) for one in snapshot.hyper_nodes),
    ]


def kube_list(snapshot: Snapshot) -> Object:
    """The objects in one ``kind: List``."""
    return {"apiVersion": "v1", "kind": "List", "items": kube_objects(snapshot)}


def quantities(amounts: Mapping[str, int]) -> dict[str, str]:
    """Resource list with exact quantities."""
    return {name: f"{amount}m" if name == CPU else str(amount) for name, amount in amounts.items()}


def _meta(name: str, namespace: str = "", created: str = "", **more: object) -> Object:
    meta = {"name": name, "namespace": namespace, "creationTimestamp": created, **more}
    return _filled(meta)


def _filled(fields: Mapping[str, Any]) -> Object:
    """Without empty entries, as an API server leaves them out."""
    return {key: value for key, value in fields.items() if value not in (None, "", {}, [])}


def _node(node: Node) -> Object:
    taints = [
        _filled({"key": taint.key, "value": taint.value, "effect": taint.effect})
        for taint in node.taints
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _meta(
            node.name,
            created=node.created,
            labels=dict(node.labels),
            annotations=dict(node.annotations),
        ),
        "spec": _filled({"taints": taints, "unschedulable": node.unschedulable or None}),
        "status": {
            "allocatable": quantities(node.allocatable),
            "capacity": quantities(node.capacity),
            "conditions": [{"type": kind, "status": s} for kind, s in node.conditions.items()],
        },
    }


def _priority_class(one: PriorityClass) -> Object:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": _meta(one.name),
        "value": one.value,
        "globalDefault": one.global_default,
        "preemptionPolicy": one.preemption_policy,
    }


def _queue(queue: Queue) -> Object:
    groups = queue.node_groups
    affinity = groups and {
        "nodeGroupAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": list(groups.required),
            "preferredDuringSchedulingIgnoredDuringExecution": list(groups.preferred),
        },
        "nodeGroupAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": list(groups.anti_required),
            "preferredDuringSchedulingIgnoredDuringExecution": list(groups.anti_preferred),
        },
    }
    guarantee = {"resource": quantities(queue.guarantee)} if queue.guarantee else None
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": _meta(queue.name, created=queue.created),
        "spec": _filled(
            {
                "weight": queue.weight,
                "parent": queue.parent,
                "capability": quantities(queue.capability),
                "deserved": quantities(queue.deserved),
                "guarantee": guarantee,
                "reclaimable": queue.reclaimable,
                "priority": queue.priority,
                "affinity": affinity,
            }
        ),
        "status": {"state": queue.state},
    }


def _gang_meta(gang: Gang) -> Object:
    return _meta(
        gang.name,
        gang.namespace,
        gang.created,
        labels=dict(gang.labels),
        annotations=dict(gang.annotations),
    )


def _pod_group(gang: Gang) -> Object:
    policies = [
        _filled(
            {
                "name": policy.name,
                "labelSelector": _selector(policy.selector),
                "matchLabelKeys": list(policy.match_label_keys),
                "subGroupSize": policy.size,
                "minSubGroups": policy.min_subgroups,
                "networkTopology": _topology(policy.topology),
            }
        )
        for policy in gang.subgroups
    ]
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": _gang_meta(gang),
        "spec": _filled(
            {
                "minMember": gang.min_member,
                "minTaskMember": dict(gang.role_minimum),
                "subGroupPolicy": policies,
                "minResources": quantities(gang.min_resources or {}),
                "queue": gang.queue,
                "priorityClassName": gang.priority_class_name,
                "networkTopology": _topology(gang.topology),
            }
        ),
        "status": _filled({"phase": gang.phase}),
    }


def _job(gang: Gang) -> Object:
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": _gang_meta(gang),
        "spec": _filled(
            {
                "schedulerName": "volcano",
                "minAvailable": gang.min_member,
                "queue": gang.queue,
                "priorityClassName": gang.priority_class_name,
                "networkTopology": _topology(gang.topology),
                "policies": [dict(_RESTART)] if gang.restarts_on_eviction else [],
                "tasks": [_task(one, gang.role_minimum) for one in gang.templates],
            }
        ),
    }


def _task(template: RoleTemplate, minima: Mapping[str, int]) -> Object:
    meta = _filled({"labels": dict(template.labels), "annotations": dict(template.annotations)})
    return {
        "name": template.role,
        "replicas": template.replicas,
        "minAvailable": minima.get(template.role, template.replicas),
        "template": {"metadata": meta, "spec": _spec(template.spec)},
    }


def _pod(pod: Pod, *, owned: bool) -> Object:
    job = pod.gang.rpartition("/")[2]
    owner = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "name": job,
        "controller": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _meta(
            pod.name,
            pod.namespace,
            pod.created,
            labels=dict(pod.labels),
            annotations=dict(pod.annotations),
            ownerReferences=[owner] if owned else [],
            deletionTimestamp=(pod.ends or "2026-11-01T12:00:00Z") if pod.terminating else "",
        ),
        "spec": _filled({**_spec(pod.spec), "nodeName": pod.node}),
        "status": _filled(
            {
                "phase": pod.phase,
                "startTime": pod.started,
                "containerStatuses": _ended(pod.finished_at),
            }
        ),
    }


def _ended(moment: str) -> list[Object]:
    return [{"state": {"terminated": {"finishedAt": moment}}}] if moment else []


def _budget(budget: PodDisruptionBudget) -> Object:
    selector = None if budget.selector is None else _selector(budget.selector)
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": _meta(budget.name, budget.namespace),
        "spec": {} if selector is None else {"selector": selector},
        "status": {"disruptionsAllowed": budget.disruptions_allowed},
    }


def _hyper_node(one: HyperNode) -> Object:
    return {
        "apiVersion": "topology.volcano.sh/v1alpha1",
        "kind": "HyperNode",
        "metadata": _meta(one.name),
        "spec": _filled(
            {
                "tier": one.tier,
                "tierName": one.tier_name,
                "members": [
                    {"type": member.type, "selector": _member(member)} for member in one.members
                ],
            }
        ),
    }


def _member(member: HyperNodeMember) -> Object:
    if member.exact_name:
        return {"exactMatch": {"name": member.exact_name}}
    if member.pattern:
        return {"regexMatch": {"pattern": member.pattern}}
    return {"labelMatch": _selector(member.labels) if member.labels is not None else {}}


def _spec(spec: PodSpec) -> Object:
    return pod_spec_object(spec, quantities(spec.request))


def _topology(topology: NetworkTopology | None) -> Object | None:
    if topology is None:
        return None
    return _filled(
        {
            "mode": topology.mode,
            "highestTierAllowed": topology.highest_tier_allowed,
            "highestTierName": topology.highest_tier_name,
        }
    )


def _selector(selector: LabelSelector) -> Object:
    return _filled(
        {
            "matchLabels": dict(selector.match_labels),
            "matchExpressions": [expression_object(one) for one in selector.match_expressions],
        }
    )
