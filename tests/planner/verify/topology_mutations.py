"""Hard topology: plans that are right, and the same with one pod in another domain."""

from __future__ import annotations

from typing import Any

from verify_builders import created, entry, gang, node, placed, plan, pods, snapshot, spec, template

from models.cluster import HyperNode, HyperNodeMember
from models.plan import GangEntry
from models.selectors import LabelSelector
from models.workloads import NetworkTopology, SubGroupPolicy

NODES = [node(name, 2, labels={"row": name[0]}) for name in ("a1", "a2", "b1", "b2")]
HARD = NetworkTopology("hard", 1)


def _members(kind: str, *names: str) -> tuple[HyperNodeMember, ...]:
    return tuple(HyperNodeMember(kind, exact_name=name) for name in names)


LEAVES = [
    HyperNode("a", 1, "leaf", _members("Node", "a1", "a2")),
    HyperNode("b", 1, "leaf", (HyperNodeMember("Node", pattern="^b"),)),
]
TOP = HyperNode("top", 2, "", _members("HyperNode", "a", "b"))
CIRCLE = [
    HyperNode("a", 1, "", (*_members("Node", "a1"), *_members("HyperNode", "b"))),
    HyperNode("b", 2, "", (*_members("Node", "b1"), *_members("HyperNode", "a"))),
]

Case = dict[str, Any]


def topology_cases() -> list[Case]:
    """Name, cluster, legal plan, broken plan and neighbour of every mutation."""
    two = [pods("x", 2, spec(2))]
    start = _start(placed("a1", "x-0"), placed("a2", "x-1"))
    split = _start(placed("a1", "x-0"), placed("b1", "x-1"))
    other = _start(placed("b1", "x-0"), placed("b2", "x-1"))
    by_name = NetworkTopology("hard", highest_tier_name="leaf")
    part = SubGroupPolicy("p", LabelSelector(), ("k",), size=2, topology=HARD)
    labelled = [pods("x", 2, spec(2), labels={"k": "1"})]
    found = [
        _case("a gang over two leaves", gang("x", 2, topology=HARD), two, start, split, other),
        _case("a tier by name", gang("x", 2, topology=by_name), two, start, split, other),
        _case("a subgroup", gang("x", 2, subgroups=(part,)), labelled, start, split, other),
        {
            **_case("labels", gang("x", 2, topology=HARD), two, start, split, other, forest=[]),
            "policy": {"topology_labels": ["row"]},
        },
        _pinned(),
        _partitions(part),
    ]
    wait = entry("x", "wait", codes=("topology",))
    circular = _case(
        "HyperNodes in a circle",
        gang("x", 1, topology=HARD),
        two,
        wait,
        _start(placed("a1", "x-0")),
        wait,
        CIRCLE,
    )
    return [*found, circular]


def _start(*items: Any) -> GangEntry:
    return entry("x", "start", *items)


def _case(
    name: str,
    group: Any,
    held: list[Any],
    legal: GangEntry,
    broken: GangEntry,
    neighbour: GangEntry,
    forest: list[HyperNode] | None = None,
) -> Case:
    hyper_nodes = [*LEAVES, TOP] if forest is None else forest
    return {
        "name": name,
        "cluster": snapshot(nodes=NODES, gangs=[group], pods=held, hyper_nodes=hyper_nodes),
        "legal": plan(legal),
        "broken": plan(broken),
        "neighbour": plan(neighbour),
    }


def _pinned() -> Case:
    """A pod runs in leaf a, so the gang grows there or not at all."""
    held = [pods("x", 1, spec(1), node="a1"), pods("x", 2, spec(1), first=1)]
    return _case(
        "running pods pin the gang",
        gang("x", 1, topology=HARD),
        held,
        entry("x", "grow", placed("a2", "x-1")),
        entry("x", "grow", placed("b1", "x-1")),
        entry("x", "grow", placed("a2", "x-1", "x-2")),
    )


def _partitions(part: SubGroupPolicy) -> Case:
    """Pods that do not exist yet come in partitions of two, each inside a leaf."""
    worker = template("worker", spec(1), 4, partition_size=2)
    group = gang("x", 4, kind="Job", subgroups=(part,), templates=(worker,))
    return _case(
        "partitions that do not exist yet",
        group,
        [],
        _start(created("a1", 2, "worker"), created("b1", 2, "worker")),
        _start(created("a1", 1, "worker"), created("b1", 2, "worker"), created("b2", 1, "worker")),
        _start(created("a1", 1, "worker"), created("a2", 1, "worker"), created("b1", 2, "worker")),
    )
