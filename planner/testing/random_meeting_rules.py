"""Tiny random cases in which topology, rules between pods, shared resources, roles and elastic pods meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from models.cluster import Node
from models.effective import resolve_policy
from models.policy import Policy
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.testing.random_pod_rules import (
    HOSTNAME,
    Draw,
    affinity,
    anti_affinity,
    host_anti_affinity,
    host_ports,
    spread,
    with_rules_of,
)
from planner.testing.random_snapshots import RandomCase
from planner.testing.random_topology import topology_case

DRAWS: tuple[Draw, ...] = (
    lambda rng: PodSpec(),
    host_anti_affinity,
    anti_affinity,
    affinity,
    spread,
    spread,
    host_ports,
)


def meeting_case(seed: int) -> RandomCase:
    """A topology case whose gangs have a rule between pods each; more than half with shared resources of domains."""
    base = topology_case(seed)
    rng = Random(f"meeting/{seed}")
    old = base.snapshot
    nodes = tuple(_in_zone(node, rng.choice("aabb-")) for node in old.nodes)
    rules = {gang.full_name: rng.choice(DRAWS)(rng) for gang in old.gangs}
    apps = {gang.full_name: rng.choice("xyz") for gang in old.gangs}
    snapshot = replace(
        old,
        nodes=nodes,
        gangs=tuple(_gang(gang, rules[gang.full_name], apps[gang.full_name]) for gang in old.gangs),
        pods=tuple(_pod(rng, pod, old, rules, apps) for pod in old.pods),
    )
    keys = base.policy.policy.model_dump(exclude_unset=True)
    if rng.random() < 0.6:
        keys["domain_resources"] = _shared(rng, snapshot)
    policy = resolve_policy(snapshot, Policy.model_validate(keys))
    return RandomCase(f"meeting_case({seed})", snapshot, policy)


def _in_zone(node: Node, zone: str) -> Node:
    labels = {**node.labels, HOSTNAME: node.name}
    return replace(node, labels=labels if zone == "-" else {**labels, "zone": zone})


def _gang(gang: Gang, rules: PodSpec, app: str) -> Gang:
    own = {"app": app, "gang": gang.name}
    templates = tuple(
        replace(one, spec=with_rules_of(one.spec, rules), labels={**one.labels, **own})
        for one in gang.templates
    )
    return replace(gang, templates=templates)


def _pod(
    rng: Random, pod: Pod, snapshot: Snapshot, rules: Mapping[str, PodSpec], apps: Mapping[str, str]
) -> Pod:
    if pod.gang not in rules:
        return replace(pod, labels={**pod.labels, "app": rng.choice("xyz")})
    own = {"app": apps[pod.gang], "gang": snapshot.gang_by_name[pod.gang].name}
    return replace(pod, spec=with_rules_of(pod.spec, rules[pod.gang]), labels={**pod.labels, **own})


def _shared(rng: Random, snapshot: Snapshot) -> dict[str, object]:
    """One or two resources per zone, leaf or cluster."""
    pers = ["cluster"]
    if any("zone" in node.labels for node in snapshot.nodes):
        pers.append("zone")
    if any(one.tier == 1 and one.members for one in snapshot.hyper_nodes):
        pers += ["1", "1"]
    return {
        name: {
            "per": rng.choice(pers),
            "capacity": rng.randint(1, 6),
            "requests": [
                {"selector": {"app": app}, "amount": rng.randint(1, 3)} for app in ("x", "y")
            ],
        }
        for name in ("disk", "net")[: rng.randint(1, 2)]
    }
