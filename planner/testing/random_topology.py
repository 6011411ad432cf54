"""Random cases with HyperNodes and gangs that ask for a topology, and the same with evictions."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from models.cluster import HyperNode, HyperNodeMember, Node
from models.effective import resolve_policy
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import Gang, NetworkTopology, SubGroupPolicy
from planner.testing.random_evictions import evicting_case
from planner.testing.random_sizes import SIZES
from planner.testing.random_snapshots import (
    QUEUE_MODELS,
    RandomCase,
    build_snapshot,
    policy_for,
)

ROW, RACK, LEAF = "example.com/row", "example.com/rack", "example.com/leaf"


PARTITION_RULES = (
    NetworkTopology("soft"),
    NetworkTopology("hard", 9),
    NetworkTopology("hard", 1),
    NetworkTopology("hard", 2),
)


def topology_case(seed: int, queue_model: str | None = None) -> RandomCase:
    """A few nodes in leaves and spines (every fourth case: labels), most gangs with a rule of their own."""
    model = queue_model or QUEUE_MODELS[seed % len(QUEUE_MODELS)]
    rng = Random(f"topology/{model}/{seed}")
    size = replace(SIZES["tiny"], nodes=(3, 5), waiting=(2, 4), other_pods=(0, 1))
    snapshot = build_snapshot(rng, size, model)
    keys: dict[str, object] = {}
    if seed % 4 == 3:
        snapshot, keys = _labelled(rng, snapshot), {"topology_labels": (ROW, RACK)}
    else:
        snapshot = replace(snapshot, hyper_nodes=random_forest(rng, snapshot.nodes))
        snapshot = with_label_members(Random(f"label members/{seed}"), snapshot)
    snapshot = with_topologies(rng, snapshot)
    return RandomCase(
        f"topology_case({seed}, {model!r})", snapshot, policy_for(snapshot, model, **keys)
    )


def partition_case(seed: int) -> RandomCase:
    """A topology case whose Jobs come in partitions that do not exist yet, with rules of their own and of the gang."""
    case = topology_case(seed)
    rng = Random(f"partitions/{seed}")
    jobs = {gang.full_name for gang in case.snapshot.gangs if gang.kind == "Job"}
    gangs = tuple(
        _in_partitions(rng, gang) if gang.full_name in jobs else gang
        for gang in case.snapshot.gangs
    )
    pods = tuple(pod for pod in case.snapshot.pods if pod.gang not in jobs)
    snapshot = replace(case.snapshot, gangs=gangs, pods=pods)
    policy = resolve_policy(snapshot, case.policy.policy, {})
    return RandomCase(f"partition_case({seed})", snapshot, policy)


def _in_partitions(rng: Random, gang: Gang) -> Gang:
    templates, policies, minima = [], [], {}
    for one in gang.templates:
        size, parts = rng.choice((1, 2, 2, 3)), rng.randint(1, 2)
        least = rng.randint(1, parts)
        templates.append(replace(one, replicas=size * parts, partition_size=size))
        wish = rng.choice((*PARTITION_RULES, None))
        selector = LabelSelector(match_labels=(("volcano.sh/task-spec", one.role),))
        keys = ("volcano.sh/partition-id",)
        policies.append(SubGroupPolicy(one.role, selector, keys, size, least, wish))
        minima[one.role] = size * least
    topology = gang.topology if rng.random() < 0.5 else None
    return replace(
        gang,
        templates=tuple(templates),
        subgroups=tuple(policies),
        role_minimum=minima,
        min_member=sum(minima.values()),
        topology=topology,
    )


def evicting_topology_case(seed: int, queue_model: str | None = None) -> RandomCase:
    """A crowded case with evictions, over HyperNodes."""
    case = evicting_case(seed, "crowded", queue_model)
    rng = Random(f"evicting topology/{seed}")
    snapshot = replace(case.snapshot, hyper_nodes=random_forest(rng, case.snapshot.nodes))
    snapshot = with_topologies(rng, snapshot)
    policy = resolve_policy(snapshot, case.policy.policy, {})
    return RandomCase(f"evicting_topology_case({seed})", snapshot, policy)


def random_forest(rng: Random, nodes: tuple[Node, ...]) -> tuple[HyperNode, ...]:
    """Leaves by name or pattern, at times a node outside all of them; perhaps spines over the leaves."""
    count = rng.randint(1, max(1, len(nodes) - 1))
    of = [rng.randrange(count) for _ in nodes]
    outside = rng.randrange(len(nodes)) if rng.random() < 0.2 else -1
    leaves = []
    for leaf in range(count):
        names = [n.name for i, n in enumerate(nodes) if of[i] == leaf and i != outside]
        leaves.append(HyperNode(f"leaf{leaf}", 1, _name(rng, "leaf"), _members(rng, names)))
    if count == 1 or rng.random() < 0.3:
        return tuple(leaves)
    spines = min(2, count)
    found = []
    for spine in range(spines):
        below = tuple(
            HyperNodeMember("HyperNode", exact_name=one.name)
            for place, one in enumerate(leaves)
            if place % spines == spine
        )
        found.append(HyperNode(f"spine{spine}", 2, "", below))
    return (*leaves, *found)


def with_label_members(rng: Random, snapshot: Snapshot) -> Snapshot:
    """Some leaves name their nodes by a label instead, which these nodes then have."""
    nodes = {node.name: node for node in snapshot.nodes}
    found = []
    for one in snapshot.hyper_nodes:
        names = [member.exact_name for member in one.members]
        if one.tier == 1 and all(name in nodes for name in names) and rng.random() < 0.3:
            for name in names:
                labels = {**nodes[name].labels, LEAF: one.name}
                nodes[name] = replace(nodes[name], labels=labels)
            selector = LabelSelector(match_labels=((LEAF, one.name),))
            one = replace(one, members=(HyperNodeMember("Node", labels=selector),))
        found.append(one)
    every = tuple(nodes[node.name] for node in snapshot.nodes)
    return replace(snapshot, nodes=every, hyper_nodes=tuple(found))


def _name(rng: Random, name: str) -> str:
    return name if rng.random() < 0.5 else ""


def _members(rng: Random, names: list[str]) -> tuple[HyperNodeMember, ...]:
    if names and rng.random() < 0.3:
        return (HyperNodeMember("Node", pattern=f"^({'|'.join(names)})$"),)
    return tuple(HyperNodeMember("Node", exact_name=name) for name in names)


def _labelled(rng: Random, snapshot: Snapshot) -> Snapshot:
    nodes = tuple(
        replace(
            node,
            labels={**node.labels, ROW: rng.choice("ab"), RACK: rng.choice(("1", "2", ""))},
        )
        for node in snapshot.nodes
    )
    return replace(snapshot, nodes=nodes)


def with_topologies(rng: Random, snapshot: Snapshot) -> Snapshot:
    """Gangs and subgroups with hard and soft rules of every kind."""
    return replace(snapshot, gangs=tuple(_gang(rng, gang) for gang in snapshot.gangs))


def _gang(rng: Random, gang: Gang) -> Gang:
    if gang.kind == "implicit":
        return gang
    subgroups = tuple(
        replace(policy, topology=_rule(rng)) if rng.random() < 0.6 else policy
        for policy in gang.subgroups
    )
    return replace(gang, topology=_rule(rng) if rng.random() < 0.6 else None, subgroups=subgroups)


def _rule(rng: Random) -> NetworkTopology:
    if rng.random() < 0.3:
        return NetworkTopology("soft")
    if rng.random() < 0.15:
        return NetworkTopology("hard", highest_tier_name=rng.choice(("leaf", "nowhere", RACK)))
    return NetworkTopology("hard", rng.choice((1, 1, 1, 2, 3, 0, None)))
