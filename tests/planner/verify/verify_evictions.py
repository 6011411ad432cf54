"""Random exports with priorities, budgets and marks, and random plans on them that evict."""

from __future__ import annotations

from random import Random
from typing import Any

from verify_exports import GPU, Export, random_export, random_placements, random_policy

from models.entries import gang_entries
from models.plan import GangEntry, PlanResult, PodGroupEntry, Reason
from models.snapshot import Snapshot

_CLASSES = {"low": 1, "middle": 5, "high": 9}


def evicting_policy(rnd: Random) -> dict[str, Any]:
    """A policy block that allows evictions."""
    policy = random_policy(rnd)
    policy.pop("allow_moves", None)
    policy["evict"] = rnd.choice([["preempt"], ["reclaim"], ["preempt", "reclaim"]])
    policy["pdb"] = rnd.random() < 0.3
    if policy.get("hierarchy"):
        policy["ancestor_reclaim_level"] = rnd.choice([0, 0, 1, 2])
    return policy


def evicting_export(rnd: Random, *, hierarchy: bool) -> Export:
    """A random export with what the rules about victims look at."""
    items = random_export(rnd, hierarchy=hierarchy)
    never = {f"g{index}" for index in range(4) if rnd.random() < 0.1}
    for item in items:
        kind, spec = item["kind"], item["spec"]
        if kind == "Queue":
            _vary_queue(rnd, spec)
        elif kind in ("PodGroup", "Job") and rnd.random() < 0.7:
            spec["priorityClassName"] = rnd.choice(list(_CLASSES))
        elif kind == "Pod":
            _vary_pod(rnd, item, never)
    for name, value in _CLASSES.items():
        meta = {"name": name}
        items.append(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": meta,
                "value": value,
            }
        )
    items.append(_budget(rnd))
    return items


def _vary_queue(rnd: Random, spec: dict[str, Any]) -> None:
    if rnd.random() < 0.1:
        spec["reclaimable"] = False
    if rnd.random() < 0.3:
        spec["deserved"] = {GPU: str(rnd.randint(0, 2))}
    if rnd.random() < 0.25:
        spec["guarantee"] = {"resource": {"cpu": "1"}}


def _vary_pod(rnd: Random, pod: dict[str, Any], never: set[str]) -> None:
    if pod["metadata"]["name"].partition("-")[0] in never:
        pod["spec"]["preemptionPolicy"] = "Never"
    if rnd.random() < 0.03:
        pod["spec"]["priorityClassName"] = "system-node-critical"
    pod["spec"]["schedulerName"] = "volcano"


def _budget(rnd: Random) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "budget", "namespace": "ml"},
        "spec": {"selector": {"matchLabels": {"part": "1"}}},
        "status": {"disruptionsAllowed": rnd.choice([0, 1, 1, 2])},
    }


def evicting_plan(rnd: Random, snapshot: Snapshot) -> PlanResult:
    """Random placements, and evictions from gangs that receive nothing."""
    placements = random_placements(rnd, snapshot)
    reason = (Reason(code="cluster_capacity", message="GPUs are missing"),)
    reasons = {gang.full_name: reason for gang in snapshot.gangs}
    touched = {one.gang for one in placements}
    entries = [
        entry if entry.full_name in touched else _losing(rnd, entry, snapshot)
        for entry in gang_entries(snapshot, placements, reasons=reasons)
    ]
    return PlanResult(gangs=tuple(entries))


def _losing(rnd: Random, entry: GangEntry, snapshot: Snapshot) -> GangEntry:
    gang = snapshot.gang_by_name[entry.full_name]
    running = [pod for pod in snapshot.pods_of(gang) if pod.running]
    if not running or rnd.random() < 0.35:
        return entry
    whole = rnd.random() < 0.5
    gone = running if whole else rnd.sample(running, rnd.randint(1, len(running)))
    items = tuple(
        PodGroupEntry(
            role=pod.role, action="evict", from_node=pod.node, count=1, names=(pod.full_name,)
        )
        for pod in gone
    )
    decision = "evict" if len(gone) == len(running) else "shrink"
    reasons = (Reason(code="reclaimed", message="makes room"),)
    changes = {"pods": items, "decision": decision, "reasons": reasons}
    return entry.model_copy(update=changes)
