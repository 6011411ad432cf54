"""Kinds that a complete export holds, and what is assumed where one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from models.readers.intake import Intake

_ASSUMED: Final = {
    "Node": "there are no nodes: nothing can be placed",
    "Pod": "no pod runs or waits: all nodes are free",
    "PodGroup.scheduling.volcano.sh": "gangs are known by Volcano Jobs only, other pods are gangs of one",
    "Queue.scheduling.volcano.sh": "only the queue default exists, Open and without limits",
    "Job.batch.volcano.sh": "pods that are not created yet are known from minResources only",
    "PriorityClass.scheduling.k8s.io": "priorities are those that pods carry, else 0",
    "PodDisruptionBudget.policy": "no budget protects running pods",
    "HyperNode.topology.volcano.sh": "there are no topology domains",
}
_CONFIG: Final = "ConfigMap volcano-scheduler.conf"
_CONFIG_ASSUMED: Final = "queue model and allowed evictions come from the policy or the defaults"


def missing_kinds(intake: Intake) -> Mapping[str, str]:
    """Kind to assumption, for every kind of which the input holds no object."""
    held = {
        "Node": len(intake.nodes),
        "Pod": len(intake.pods),
        "PodGroup.scheduling.volcano.sh": len(intake.groups),
        "Queue.scheduling.volcano.sh": len(intake.queues),
        "Job.batch.volcano.sh": len(intake.jobs),
        "PriorityClass.scheduling.k8s.io": len(intake.priority_classes),
        "PodDisruptionBudget.policy": len(intake.disruption_budgets),
        "HyperNode.topology.volcano.sh": len(intake.hyper_nodes),
    }
    found = {kind: text for kind, text in _ASSUMED.items() if not held[kind]}
    if not len(intake.schedulers):
        found[_CONFIG] = _CONFIG_ASSUMED
    return found
