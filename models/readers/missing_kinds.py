"""Kinds that a complete export holds, and what is assumed where one is missing."""

from __future__ import annotations

from collections.abc import Mapping

from models.readers.intake import Intake
from models.readers.kinds import KINDS, SCHEDULER_CONFIG
from models.readers.scheduler_config import CONFIG_KEY


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
    found = {
        kind.full_name: kind.assumed for kind in KINDS if kind.assumed and not held[kind.full_name]
    }
    if not len(intake.schedulers):
        found[f"{SCHEDULER_CONFIG.kind} {CONFIG_KEY}"] = SCHEDULER_CONFIG.assumed
    return found
