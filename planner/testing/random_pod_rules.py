"""Small random snapshots whose pods have rules about other pods."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from models.cluster import Node
from models.host_ports import HostPort
from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.policy_domains import DomainResource
from models.resources import Resources
from models.selectors import Expression, LabelSelector
from models.snapshot import Snapshot
from models.workloads import Pod, PodSpec
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work

HOSTNAME = "kubernetes.io/hostname"
KEYS = (HOSTNAME, "zone")

Draw = Callable[[random.Random], PodSpec]
"""Draws the rules of a pod."""


def anti_affinity(rnd: random.Random, keys: tuple[str, ...] = KEYS) -> PodSpec:
    """No term, or one or two."""
    count = rnd.choice((0, 1, 1, 2))
    return PodSpec(pod_anti_affinity=tuple(_term(rnd, rnd.choice(keys)) for _ in range(count)))


def host_anti_affinity(rnd: random.Random) -> PodSpec:
    """Terms on the host name only."""
    return anti_affinity(rnd, (HOSTNAME,))


def affinity(rnd: random.Random) -> PodSpec:
    """Affinity in most pods, anti-affinity in some."""
    near = tuple(_term(rnd, rnd.choice(KEYS)) for _ in range(rnd.choice((0, 1, 1, 1, 2))))
    apart = host_anti_affinity(rnd).pod_anti_affinity if rnd.random() < 0.3 else ()
    return PodSpec(pod_affinity=near, pod_anti_affinity=apart)


def _term(rnd: random.Random, key: str) -> PodAffinityTerm:
    if rnd.random() < 0.2:
        return PodAffinityTerm(key, LabelSelector(), same_labels=("gang",))
    return PodAffinityTerm(key, selector_of(rnd))


def spread(rnd: random.Random) -> PodSpec:
    """Spread in most pods, over their own gang or an application."""
    found = []
    for _ in range(rnd.choice((0, 1, 1, 1, 2))):
        own = rnd.random() < 0.6
        found.append(
            SpreadConstraint(
                rnd.choice(KEYS),
                rnd.randint(1, 2),
                LabelSelector() if own else selector_of(rnd),
                min_domains=rnd.choice((1, 1, 2, 3)),
                same_labels=("gang",) if own else (),
            )
        )
    return PodSpec(spread=tuple(found))


def host_ports(rnd: random.Random) -> PodSpec:
    """Up to three of a few ports, some on one address."""
    found = {
        HostPort(
            rnd.choice((22, 22, 80)),
            rnd.choice(("TCP", "TCP", "UDP")),
            rnd.choice(("", "", "a", "b")),
        )
        for _ in range(rnd.choice((0, 1, 1, 2, 3)))
    }
    return PodSpec(host_ports=tuple(sorted(found)))


def shared_resources(rnd: random.Random) -> dict[str, DomainResource]:
    """One or two resources of zones or of the cluster, requested by application."""
    found = {}
    for name in ("disk", "net")[: rnd.randint(1, 2)]:
        rules = [{"selector": {"app": app}, "amount": rnd.randint(1, 3)} for app in ("x", "y")]
        found[name] = DomainResource.model_validate(
            {
                "per": rnd.choice(("zone", "cluster")),
                "capacity": rnd.randint(1, 6),
                "capacities": {"b": rnd.randint(0, 4)},
                "requests": rules,
            }
        )
    return found


def selector_of(rnd: random.Random) -> LabelSelector:
    """By application mostly."""
    if rnd.random() < 0.15:
        return LabelSelector((), (Expression("app", "In", ("x", "y")),))
    return LabelSelector((("app", rnd.choice("xyz")),))


def random_pod_rules(seed: int, draw: Draw, *, nodes: int = 3, gangs: int = 3) -> Snapshot:
    """Up to so many nodes in up to two zones, gangs of one to three equal pods, and some pods that run already."""
    rnd = random.Random(seed)
    made = [_node(rnd, f"n{index}") for index in range(rnd.randint(2, nodes))]
    works = [_gang(rnd, f"g{index}", draw) for index in range(rnd.randint(1, gangs))]
    found = snapshot_of(*made, gpu_queue("q"), *works)
    there = [_running(rnd, index, made, draw) for index in range(rnd.choice((0, 0, 1, 2)))]
    pods = sorted((*found.pods, *there), key=lambda pod: pod.full_name)
    return replace(found, pods=tuple(pods))


def _node(rnd: random.Random, name: str) -> Node:
    zone = rnd.choice(("a", "a", "b", ""))
    labels = {HOSTNAME: name, **({"zone": zone} if zone else {})}
    return replace(gpu_node(name, rnd.randint(1, 4)), labels=labels)


def _gang(rnd: random.Random, name: str, draw: Draw) -> Work:
    one = work(name, rnd.randint(1, 3), rnd.randint(1, 2))
    rules = draw(rnd)
    labels = {"app": rnd.choice("xyz"), "gang": name}
    pods = tuple(
        replace(pod, spec=with_rules_of(pod.spec, rules), labels=dict(labels)) for pod in one.pods
    )
    return Work(one.gang, pods)


def with_rules_of(spec: PodSpec, rules: PodSpec) -> PodSpec:
    """A specification with the rules and preferences about other pods that another one has."""
    return replace(
        spec,
        pod_affinity=rules.pod_affinity,
        pod_anti_affinity=rules.pod_anti_affinity,
        spread=rules.spread,
        host_ports=rules.host_ports,
        preferences=rules.preferences,
    )


def _running(rnd: random.Random, index: int, nodes: list[Node], draw: Draw) -> Pod:
    rules = draw(rnd) if rnd.random() < 0.5 else PodSpec()
    spec = PodSpec(Resources({"cpu": 100}), scheduler_name="default-scheduler")
    return Pod(
        "ml",
        f"there-{index}",
        with_rules_of(spec, rules),
        node=rnd.choice(nodes).name,
        phase="Running",
        labels={"app": rnd.choice("xyz")},
    )
