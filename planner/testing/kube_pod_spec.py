"""A pod specification as the ``spec`` of a Kubernetes pod with one container."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.selectors import Expression, NodeSelectorTerm
from models.workloads import PodSpec


def pod_spec_object(spec: PodSpec, requests: Mapping[str, str]) -> dict[str, Any]:
    """``spec`` with requests, node rules, tolerations, gates, scheduler and priority; empty parts left out."""
    extended = {name: amount for name, amount in requests.items() if "/" in name}
    resources = {"requests": dict(requests), **({"limits": extended} if extended else {})}
    fields: dict[str, Any] = {
        "containers": [{"name": "main", "resources": resources if requests else {}}],
        "nodeSelector": dict(spec.node_selector),
        "affinity": _affinity(spec),
        "tolerations": [
            {
                key: value
                for key, value in (
                    ("key", one.key),
                    ("operator", one.operator),
                    ("value", one.value),
                    ("effect", one.effect),
                )
                if value
            }
            for one in spec.tolerations
        ],
        "schedulingGates": [{"name": gate} for gate in spec.scheduling_gates],
        "schedulerName": spec.scheduler_name,
        "priorityClassName": spec.priority_class_name,
        "priority": spec.priority,
        "preemptionPolicy": spec.preemption_policy,
        "terminationGracePeriodSeconds": spec.grace_seconds,
        "activeDeadlineSeconds": spec.active_deadline_seconds,
    }
    return {key: value for key, value in fields.items() if value not in (None, "", {}, [])}


def _affinity(spec: PodSpec) -> dict[str, Any]:
    if spec.node_affinity is None:
        return {}
    terms = [_term(term) for term in spec.node_affinity]
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"nodeAffinity": rule}


def _term(term: NodeSelectorTerm) -> dict[str, Any]:
    return {
        name: [expression_object(one) for one in expressions]
        for name, expressions in (
            ("matchExpressions", term.match_expressions),
            ("matchFields", term.match_fields),
        )
        if expressions
    }


def expression_object(one: Expression) -> dict[str, Any]:
    """One ``matchExpressions`` entry."""
    parts = {"key": one.key, "operator": one.operator, "values": list(one.values)}
    return {key: value for key, value in parts.items() if value}
