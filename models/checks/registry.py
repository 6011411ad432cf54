"""All checks by code."""

from __future__ import annotations

from collections.abc import Mapping

from models.checks import (
    admission,
    cluster_quotas,
    domain_requests,
    drills,
    exports,
    gangs,
    guarantees,
    hyper_nodes,
    lending,
    measured,
    nodes,
    pods,
    queues,
    quota_tree,
    quotas,
    reading,
    scheduler,
    shared_nodes,
    taints,
    time_annotations,
    topology_names,
)
from models.checks.check import Check

FAMILIES: Mapping[str, tuple[Check, ...]] = {
    "Reading": reading.READING,
    "Export": exports.CHECKS,
    "Nodes": (*nodes.CHECKS, *taints.CHECKS),
    "HyperNodes": (*hyper_nodes.CHECKS, *shared_nodes.CHECKS, *topology_names.CHECKS),
    "Pods": pods.CHECKS,
    "Gangs": gangs.CHECKS,
    "Annotations": (*time_annotations.CHECKS, *domain_requests.CHECKS),
    "Queues": queues.CHECKS,
    "Quotas": (*quotas.CHECKS, *quota_tree.CHECKS, *cluster_quotas.CHECKS, *guarantees.CHECKS),
    "Admission": admission.CHECKS,
    "Scheduler and policy": scheduler.CHECKS,
    "Measured use": measured.CHECKS,
    "Online services": lending.LENDING,
    "Reclaim drills": drills.DRILLS,
}
REGISTRY: Mapping[str, Check] = {
    check.code: check for family in FAMILIES.values() for check in family
}
"""Code to check; the order is that of the documentation. Checks without a function are told by the readers."""
