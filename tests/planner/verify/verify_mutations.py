"""One small valid plan per rule, its single-fault mutations, and its nearest legal neighbour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from topology_mutations import topology_cases
from verify_builders import (
    GPU,
    created,
    entry,
    gang,
    node,
    placed,
    plan,
    pods,
    snapshot,
    spec,
    template,
)

from models.cluster import HyperNode, HyperNodeMember, Node
from models.host_ports import HostPort
from models.plan import PlanResult, PodGroupEntry
from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.queues import NodeGroupRules, Queue
from models.resources import Resources
from models.rules import RuleId
from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Taint, Toleration
from models.snapshot import Snapshot
from models.workloads import Gang, NetworkTopology, PodSpec, SubGroupPolicy

_REQUEST = "gangplan.io/domain-request"


@dataclass(frozen=True)
class Mutation:
    """A plan that is right, one that breaks exactly one rule, and one that is right again a step further."""

    rule: RuleId
    name: str
    cluster: Snapshot
    legal: PlanResult
    broken: PlanResult
    neighbour: PlanResult
    policy: Mapping[str, Any] = field(default_factory=dict)


def _capacity() -> list[Mutation]:
    shape = spec(4)
    cluster = snapshot(
        nodes=[node("n1"), node("n2")], gangs=[gang("x")], pods=[pods("x", 3, shape)]
    )
    two, third = placed("n1", "x-0", "x-1"), placed("n2", "x-2")
    too_many = placed("n1", "x-0", "x-1", "x-2")
    gpus = Mutation(
        RuleId.NODE_CAPACITY,
        "GPUs",
        cluster,
        legal=plan(entry("x", "start", placed("n1", "x-0"))),
        broken=plan(entry("x", "start", too_many)),
        neighbour=plan(entry("x", "start", two, third)),
    )
    full = snapshot(
        nodes=[node("n1", allocatable={"pods": 3}), node("n2")],
        gangs=[gang("x")],
        pods=[
            pods("x", 2, spec(1)),
            pods("", 1, spec(0, scheduler="default-scheduler"), node="n1", role="agent"),
            pods("", 1, spec(0), node="n1", role="leaving", terminating=True),
        ],
    )
    count = Mutation(
        RuleId.NODE_CAPACITY,
        "pods, terminating ones included",
        full,
        legal=plan(entry("x", "start", placed("n1", "x-0"))),
        broken=plan(entry("x", "start", placed("n1", "x-0", "x-1"))),
        neighbour=plan(entry("x", "start", placed("n1", "x-0"), placed("n2", "x-1"))),
    )
    return [gpus, count]


def _closed_node(
    name: str, shape: PodSpec, closed: Node, *, group: Gang | None = None, **more: Any
) -> Mutation:
    """Node n2 is closed to the pods, n1 is open."""
    opened = more.pop("opened", node("n1"))
    marks = more.pop("marks", {})
    cluster = snapshot(
        nodes=[opened, closed],
        gangs=[group or gang("x")],
        pods=[pods("x", 2, shape, annotations=marks)],
        queues=more.pop("queues", (Queue("a"),)),
    )
    return Mutation(
        RuleId.NODE_PREDICATES,
        name,
        cluster,
        legal=plan(entry("x", "start", placed("n1", "x-0"))),
        broken=plan(entry("x", "start", placed("n2", "x-0"))),
        neighbour=plan(entry("x", "start", placed("n1", "x-0", "x-1"))),
        policy=more,
    )


def _predicates() -> list[Mutation]:
    dedicated = Taint("team", "NoSchedule", "infra")
    tolerant = spec(1, tolerations=(Toleration("team", value="eval"),))
    h100 = {"labels": {"model": "h100"}}
    at_least = Expression("generation", "Gt", ("3",))
    newer = spec(1, node_affinity=(NodeSelectorTerm((at_least,)),))
    named = NodeSelectorTerm(match_fields=(Expression("metadata.name", "In", ("n1",)),))
    zone, mark = "volcano.sh/revocable-zone", {"volcano.sh/revocable-zone": "*"}
    lent = {
        "now": "2026-08-20T23:30:00Z",
        "revocable_zones": {"z": "22:00-06:00", "y": "06:00-22:00"},
    }
    mine = NodeGroupRules(required=("g1", "g2"), anti_required=("g2",))
    label = "volcano.sh/nodegroup-name"
    return [
        _closed_node("not Ready", spec(1), node("n2", conditions={"Ready": "Unknown"})),
        _closed_node("cordoned", spec(1), node("n2", unschedulable=True)),
        _closed_node("taint", tolerant, node("n2", taints=(dedicated,))),
        _closed_node("NoExecute", spec(1), node("n2", taints=(Taint("bad", "NoExecute"),))),
        _closed_node(
            "nodeSelector",
            spec(1, node_selector=(("model", "h100"),)),
            node("n2"),
            opened=node("n1", **h100),
        ),
        _closed_node(
            "node affinity",
            newer,
            node("n2", labels={"generation": "3"}),
            opened=node("n1", labels={"generation": "4"}),
        ),
        _closed_node("node name", spec(1, node_affinity=(named,)), node("n2")),
        _closed_node(
            "empty affinity term",
            spec(1, node_selector=(), node_affinity=(named, NodeSelectorTerm())),
            node("n2"),
        ),
        _closed_node(
            "zone closed at this hour",
            spec(1),
            node("n2", labels={zone: "y"}),
            opened=node("n1", labels={zone: "z"}),
            marks=mark,
            **lent,
        ),
        _closed_node("zone without the mark", spec(1), node("n2", labels={zone: "z"}), **lent),
        _closed_node(
            "node group",
            spec(1),
            node("n2", labels={label: "g2"}),
            opened=node("n1", labels={label: "g1"}),
            queues=(Queue("a", node_groups=mine),),
            nodegroup=True,
        ),
        _closed_node(
            "unlabelled node with node groups",
            spec(1),
            node("n2"),
            opened=node("n1", labels={label: "g1"}),
            queues=(Queue("a", node_groups=mine),),
            nodegroup=True,
        ),
        _closed_node("node that does not exist", spec(1), node("other")),
    ]


def _unplaceable(name: str, *bad: Any) -> Mutation:
    """Pod x-bad… may not be placed, x-0 and x-1 may."""
    built = snapshot(
        nodes=[node("n1"), node("n2")],
        gangs=[gang("x")],
        pods=[pods("x", 2, spec(1)), *bad],
    )
    return Mutation(
        RuleId.POD_PLACEABLE,
        name,
        built,
        legal=plan(entry("x", "start", placed("n1", "x-0"))),
        broken=plan(entry("x", "start", placed("n1", "x-0", "x-bad0"))),
        neighbour=plan(entry("x", "start", placed("n1", "x-0", "x-1"))),
    )


def _placeable() -> list[Mutation]:
    gated = spec(1, scheduling_gates=("quota",))
    lost = Mutation(
        RuleId.POD_PLACEABLE,
        "PodGroup is missing",
        snapshot(
            nodes=[node("n1")],
            gangs=[gang("x"), gang("lost", missing_group=True)],
            pods=[pods("x", 2, spec(1)), pods("lost", 1, spec(1))],
        ),
        legal=plan(entry("x", "start", placed("n1", "x-0"))),
        broken=plan(
            entry("x", "start", placed("n1", "x-0")), entry("lost", "start", placed("n1", "lost-0"))
        ),
        neighbour=plan(entry("x", "start", placed("n1", "x-0", "x-1"))),
    )
    return [
        _unplaceable("gated", pods("x", 1, gated, role="bad")),
        _unplaceable("other scheduler", pods("x", 1, spec(1, scheduler="kube"), role="bad")),
        _unplaceable("failed", pods("x", 1, spec(1), role="bad", phase="Failed")),
        _unplaceable("on its way out", pods("x", 1, spec(1), role="bad", terminating=True)),
        lost,
    ]


def _ready() -> list[Mutation]:
    cluster = snapshot(nodes=[node("n1")], gangs=[gang("x", 3)], pods=[pods("x", 4, spec(1))])
    with_success = snapshot(
        nodes=[node("n1")],
        gangs=[gang("x", 4)],
        pods=[
            pods("x", 2, spec(1)),
            pods("x", 1, spec(1), phase="Succeeded", role="done"),
            pods("x", 1, spec(1), node="n1", role="live"),
        ],
    )
    return [
        Mutation(
            RuleId.GANG_READY,
            "minMember",
            cluster,
            legal=plan(entry("x", "start", placed("n1", "x-0", "x-1", "x-2"))),
            broken=plan(entry("x", "start", placed("n1", "x-0", "x-1"))),
            neighbour=plan(entry("x", "wait")),
        ),
        Mutation(
            RuleId.GANG_READY,
            "running and succeeded pods count",
            with_success,
            legal=plan(entry("x", "start", placed("n1", "x-0", "x-1"))),
            broken=plan(entry("x", "grow", placed("n1", "x-0"))),
            neighbour=plan(entry("x", "wait")),
        ),
    ]


def _roles() -> list[Mutation]:
    both = {"master": 1, "worker": 2}
    members = [pods("x", 2, spec(1), role="master"), pods("x", 3, spec(1), role="worker")]
    cluster = snapshot(nodes=[node("n1")], gangs=[gang("x", 3, role_minimum=both)], pods=members)
    promised = gang(
        "x",
        3,
        role_minimum=both,
        templates=(template("master", spec(1), 2), template("worker", spec(1), 3)),
    )
    return [
        Mutation(
            RuleId.ROLE_MINIMUM,
            "named pods",
            cluster,
            legal=plan(entry("x", "start", placed("n1", "x-master0", "x-worker0", "x-worker1"))),
            broken=plan(entry("x", "start", placed("n1", "x-worker0", "x-worker1", "x-worker2"))),
            neighbour=plan(
                entry(
                    "x", "start", placed("n1", "x-master0", "x-master1", "x-worker0", "x-worker1")
                )
            ),
        ),
        Mutation(
            RuleId.ROLE_MINIMUM,
            "promised pods",
            snapshot(nodes=[node("n1")], gangs=[promised]),
            legal=plan(entry("x", "start", created("n1", 1, "master"), created("n1", 2, "worker"))),
            broken=plan(
                entry("x", "start", created("n1", 2, "master"), created("n1", 1, "worker"))
            ),
            neighbour=plan(
                entry("x", "start", created("n1", 1, "master"), created("n1", 3, "worker"))
            ),
        ),
    ]


def _subgroups() -> list[Mutation]:
    by_part = SubGroupPolicy(
        "parts", LabelSelector((("role", "w"),)), ("part",), size=2, min_subgroups=1
    )
    parts = [
        pods("x", 2, spec(1), role=f"p{part}-", labels={"role": "w", "part": str(part)})
        for part in range(2)
    ]
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[gang("x", 2, subgroups=(by_part,))],
        pods=[*parts, pods("x", 2, spec(1))],
    )
    pair = SubGroupPolicy(
        "pairs",
        LabelSelector((("volcano.sh/task-spec", "w"),)),
        ("volcano.sh/partition-id",),
        size=2,
        min_subgroups=1,
    )
    job = gang("x", 2, subgroups=(pair,), templates=(template("w", spec(1), 6, partition_size=2),))
    first = placed("n1", "x-p0-0", "x-p0-1")
    return [
        Mutation(
            RuleId.SUBGROUP_COMPLETE,
            "incomplete subgroup",
            cluster,
            legal=plan(entry("x", "start", first)),
            broken=plan(entry("x", "start", first, placed("n1", "x-p1-0"))),
            neighbour=plan(entry("x", "start", first, placed("n1", "x-p1-0", "x-p1-1"))),
        ),
        Mutation(
            RuleId.SUBGROUP_COMPLETE,
            "too few subgroups",
            cluster,
            legal=plan(entry("x", "start", first)),
            broken=plan(entry("x", "start", placed("n1", "x-0", "x-1"))),
            neighbour=plan(entry("x", "start", first, placed("n1", "x-0", "x-1"))),
        ),
        Mutation(
            RuleId.SUBGROUP_COMPLETE,
            "promised partitions come whole",
            snapshot(nodes=[node("n1")], gangs=[job]),
            legal=plan(entry("x", "start", created("n1", 2, "w"))),
            broken=plan(entry("x", "start", created("n1", 3, "w"))),
            neighbour=plan(entry("x", "start", created("n1", 4, "w"))),
        ),
    ]


def _supply() -> list[Mutation]:
    shape = spec(1)
    job = gang("x", 1, templates=(template("w", shape, 4),))
    cluster = snapshot(
        nodes=[node("n1"), node("n2")],
        gangs=[job, gang("y")],
        pods=[
            pods("x", 1, shape, role="w"),
            pods("x", 1, shape, role="w", first=1, phase="Failed"),
            pods("y", 1, shape),
        ],
    )
    legal = plan(entry("x", "start", placed("n1", "x-w0")))
    neighbour = plan(entry("x", "start", placed("n1", "x-w0"), created("n2", 2, "w")))
    twice = [placed("n1", "x-w0"), placed("n2", "x-w0")]
    faults: dict[str, list[PodGroupEntry]] = {
        "more than the template promises": [placed("n1", "x-w0"), created("n2", 3, "w")],
        "pod that does not exist": [placed("n1", "x-w0", "x-w9")],
        "pod of another gang": [placed("n1", "x-w0", "y-0")],
        "pod placed twice": twice,
    }
    plain = snapshot(nodes=[node("n1")], gangs=[gang("x")], pods=[pods("x", 1, shape, role="w")])
    found = [
        Mutation(
            RuleId.POD_SUPPLY, name, cluster, legal, plan(entry("x", "start", *items)), neighbour
        )
        for name, items in faults.items()
    ]
    no_template = Mutation(
        RuleId.POD_SUPPLY,
        "role without template",
        plain,
        legal=legal,
        broken=plan(entry("x", "start", placed("n1", "x-w0"), created("n1", 1, "w"))),
        neighbour=plan(entry("x", "wait")),
    )
    return [*found, no_template]


def _limits() -> list[Mutation]:
    shape = spec(2)
    names = ("x-0", "x-1", "x-2")

    def of(name: str, queues: tuple[Queue, ...], held: list[Any], **keys: Any) -> Mutation:
        cluster = snapshot(
            nodes=[node("n1")],
            gangs=[gang("x"), gang("other", queue="b")],
            pods=[pods("x", 3, shape), *held],
            queues=queues,
        )
        return Mutation(
            RuleId.QUEUE_LIMIT,
            name,
            cluster,
            legal=plan(entry("x", "start", placed("n1", "x-0"))),
            broken=plan(entry("x", "start", placed("n1", *names))),
            neighbour=plan(entry("x", "start", placed("n1", *names[:2]))),
            policy=keys,
        )

    five, four = Resources({GPU: 5}), Resources({GPU: 4})
    tree = (
        Queue("root"),
        Queue("top", capability=five),
        Queue("a", parent="top"),
        Queue("b", parent="top"),
    )
    both_ask = [pods("other", 4, shape)]
    return [
        of("capability", (Queue("a", capability=five), Queue("b")), []),
        of("guarantee of another queue", (Queue("a"), Queue("b", guarantee=four)), []),
        of("ancestor", tree, [], hierarchy=True),
        of("share under proportion", (Queue("a"), Queue("b")), both_ask, queue_model="proportion"),
    ]


def _open() -> list[Mutation]:
    def of(name: str, queues: tuple[Queue, ...], bad: str, **keys: Any) -> Mutation:
        cluster = snapshot(
            nodes=[node("n1")],
            gangs=[gang("x", queue="good"), gang("y", queue=bad)],
            pods=[pods("x", 2, spec(1)), pods("y", 1, spec(1))],
            queues=queues,
        )
        start = entry("x", "start", placed("n1", "x-0"))
        return Mutation(
            RuleId.QUEUE_OPEN,
            name,
            cluster,
            legal=plan(start),
            broken=plan(start, entry("y", "start", placed("n1", "y-0"))),
            neighbour=plan(entry("x", "start", placed("n1", "x-0", "x-1")), entry("y", "wait")),
            policy=keys,
        )

    good = Queue("good")
    return [
        of("missing", (good,), "nowhere"),
        of("closed", (good, Queue("shut", state="Closed")), "shut"),
        of("inner", (good, Queue("in"), Queue("leaf", parent="in")), "in", hierarchy=True),
        of("parent missing", (good, Queue("leaf", parent="gone")), "leaf", hierarchy=True),
        of(
            "cycle",
            (good, Queue("p", parent="q"), Queue("q", parent="p"), Queue("r", parent="q")),
            "r",
            hierarchy=True,
        ),
    ]


def _unsupported() -> list[Mutation]:
    def of(name: str, group: Gang, shape: PodSpec) -> Mutation:
        cluster = snapshot(
            nodes=[node("n1"), node("n2")],
            gangs=[gang("x"), group],
            pods=[pods("x", 2, spec(1)), pods("y", 2, shape, labels={"app": "x"})],
        )
        start = entry("x", "start", placed("n1", "x-0"))
        wait = entry("y", "wait", codes=("unsupported",))
        return Mutation(
            RuleId.UNSUPPORTED_WAITS,
            name,
            cluster,
            legal=plan(start, wait),
            broken=plan(start, entry("y", "start", placed("n1", "y-0"))),
            neighbour=plan(entry("x", "start", placed("n1", "x-0", "x-1")), wait),
        )

    return [
        of("special rule", gang("y"), spec(1, special_rules=("resourceClaims",))),
    ]


def _anti_affinity() -> list[Mutation]:
    host = PodAffinityTerm("kubernetes.io/hostname", LabelSelector((("app", "x"),)))
    zones = replace(host, topology_key="zone")

    def of(
        name: str, term: PodAffinityTerm, broken: str, there: list[Any], **more: Any
    ) -> Mutation:
        cluster = snapshot(
            nodes=[node(f"n{i}", labels={"zone": "ab"[i > 2]}) for i in (1, 2, 3)],
            gangs=[gang("x", minimum=2)],
            pods=[
                pods("x", 2, spec(1, pod_anti_affinity=(term,), **more), labels={"app": "x"}),
                *there,
            ],
        )
        first, second = placed("n1", "x-0"), placed("n3", "x-1")
        return Mutation(
            RuleId.POD_ANTI_AFFINITY,
            name,
            cluster,
            legal=plan(entry("x", "start", first, second)),
            broken=plan(entry("x", "start", first, placed(broken, "x-1"))),
            neighbour=plan(entry("x", "start", placed("n3", "x-0"), placed("n1", "x-1"))),
        )

    other = spec(1, scheduler="default-scheduler")
    repels = spec(1, scheduler="default-scheduler", pod_anti_affinity=(host,))
    labelled = [pods("", 1, other, node="n2", role="db", labels={"app": "x"})]
    return [
        of("two pods on a node", host, "n1", []),
        of("two pods in a zone", zones, "n2", []),
        of("a pod that is there", host, "n2", labelled),
        of(
            "a term of a pod that is there", host, "n2", [pods("", 1, repels, node="n2", role="db")]
        ),
    ]


def _host_ports() -> list[Mutation]:
    def of(name: str, own: HostPort, broken: str, there: HostPort | None = None) -> Mutation:
        other = spec(1, scheduler="default-scheduler", host_ports=(there,) if there else ())
        cluster = snapshot(
            nodes=[node(f"n{i}") for i in (1, 2, 3)],
            gangs=[gang("x", minimum=2)],
            pods=[
                pods("x", 2, spec(1, host_ports=(own,))),
                pods("", 1, other, node="n2", role="db"),
            ],
        )
        return Mutation(
            RuleId.HOST_PORTS,
            name,
            cluster,
            legal=plan(entry("x", "start", placed("n1", "x-0"), placed("n3", "x-1"))),
            broken=plan(entry("x", "start", placed("n1", "x-0"), placed(broken, "x-1"))),
            neighbour=plan(entry("x", "start", placed("n3", "x-0"), placed("n1", "x-1"))),
        )

    ssh = HostPort(22)
    local = replace(ssh, ip="10.0.0.1")
    return [
        of("two new pods", ssh, "n1"),
        of("a pod that is there", ssh, "n2", ssh),
        of("a pod that takes it on one address", ssh, "n2", local),
        of("a pod that takes it on every address", local, "n2", ssh),
    ]


def _affinity() -> list[Mutation]:
    zones = PodAffinityTerm("zone", LabelSelector((("app", "x"),)))

    def of(name: str, app: str, there: list[Any], broken: tuple[str, str]) -> Mutation:
        cluster = snapshot(
            nodes=[node(f"n{i}", labels={"zone": "ab"[i > 2]}) for i in (1, 2, 3)],
            gangs=[gang("x", minimum=2)],
            pods=[pods("x", 2, spec(1, pod_affinity=(zones,)), labels={"app": app}), *there],
        )

        def start(first: str, second: str) -> PlanResult:
            return plan(entry("x", "start", placed(first, "x-0"), placed(second, "x-1")))

        return Mutation(
            RuleId.POD_AFFINITY,
            name,
            cluster,
            legal=start("n1", "n2"),
            broken=start(*broken),
            neighbour=start("n2", "n1"),
        )

    db = [pods("", 1, spec(1), node="n1", role="db", labels={"app": "x"})]
    return [
        of("a pod that is there", "y", db, ("n1", "n3")),
        of("a pod that is there, although it selects itself", "x", db, ("n3", "n3")),
        of("the gang's own pods", "x", [], ("n1", "n3")),
    ]


def _spread() -> list[Mutation]:
    nodes = [node(f"n{i}", labels={"zone": "abc"[i % 3]}) for i in range(6)]

    def of(name: str, rule: SpreadConstraint, broken: tuple[str, ...], **more: Any) -> Mutation:
        shape = spec(1, spread=(rule,), **more)
        gone = pods("", 1, spec(1), node="n0", role="old", labels={"app": "x"}, terminating=True)
        cluster = snapshot(
            nodes=[*nodes, node("n6")],
            gangs=[gang("x", minimum=3)],
            pods=[pods("x", 3, shape, labels={"app": "x"}), gone],
        )

        def start(*where: str) -> PlanResult:
            return plan(entry("x", "start", *(placed(n, f"x-{i}") for i, n in enumerate(where))))

        return Mutation(
            RuleId.TOPOLOGY_SPREAD,
            name,
            cluster,
            legal=start("n0", "n1", "n2"),
            broken=start(*broken),
            neighbour=start("n3", "n4", "n2"),
        )

    zones = SpreadConstraint("zone", 1, LabelSelector((("app", "x"),)))
    closed = NodeSelectorTerm((Expression("zone", "In", ("a", "b", "c")),))
    return [
        of("two in a zone, none in another", zones, ("n0", "n3", "n1")),
        of("a node without a zone", zones, ("n0", "n1", "n6")),
        of("fewer zones than minDomains", replace(zones, min_domains=4), ("n0", "n3", "n1")),
        of(
            "with an affinity",
            replace(zones, max_skew=2),
            ("n0", "n3", "n0"),
            node_affinity=(closed,),
        ),
    ]


def _domain_resources() -> list[Mutation]:
    nodes = [node(f"n{i}", labels={"zone": "ab"[i > 2]}) for i in (1, 2, 3)]
    there = [pods("", 1, spec(1), node="n1", role="db", annotations={_REQUEST: "disk=3"})]

    def of(name: str, per: str, capacity: dict[str, int], broken: str, right: str) -> Mutation:
        cluster = snapshot(
            nodes=[*nodes, node("n4")],
            gangs=[gang("x", minimum=2)],
            pods=[pods("x", 2, spec(1), labels={"app": "x"}), *there],
        )
        rule = {"selector": {"app": "x"}, "amount": 2}
        disk = {"per": per, "capacities": capacity, "requests": [rule]}

        def start(second: str) -> PlanResult:
            return plan(entry("x", "start", placed("n2", "x-0"), placed(second, "x-1")))

        return Mutation(
            RuleId.DOMAIN_RESOURCES,
            name,
            cluster,
            legal=start("n3"),
            broken=start(broken),
            neighbour=start(right),
            policy={"domain_resources": {"disk": disk}},
        )

    return [
        of("more than a zone has", "zone", {"a": 6, "b": 2}, "n1", "n3"),
        of("outside all zones", "zone", {"a": 7, "b": 2}, "n4", "n1"),
        of(
            "more than a host has",
            "kubernetes.io/hostname",
            {"n2": 2, "n3": 2, "n1": 5},
            "n2",
            "n1",
        ),
    ]


def _evictions() -> list[Mutation]:
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[gang("x", 1), gang("y")],
        pods=[pods("x", 2, spec(1), node="n1"), pods("y", 1, spec(1))],
    )
    out = PodGroupEntry(action="evict", from_node="n1", count=1, names=("ml/x-1",))
    keep = PodGroupEntry(action="keep", node="n1", count=2, names=("ml/x-0", "ml/x-1"))
    start = entry("y", "start", placed("n1", "y-0"))
    return [
        Mutation(
            RuleId.NO_EVICTION,
            "evict is empty",
            cluster,
            legal=plan(entry("x", "keep"), start),
            broken=plan(entry("x", "shrink", out), start),
            neighbour=plan(entry("x", "keep", keep), start),
        )
    ]


def _moves() -> list[Mutation]:
    fixed = {"volcano.sh/preemptable": "false"}
    cluster = snapshot(
        nodes=[node("n1"), node("n2")],
        gangs=[gang("x", 1)],
        pods=[
            pods("x", 1, spec(1), node="n1", annotations=fixed),
            pods("x", 1, spec(1), node="n1", first=1),
        ],
    )

    def move(name: str) -> PlanResult:
        item = PodGroupEntry(action="move", from_node="n1", node="n2", count=1, names=(name,))
        return plan(entry("x", "move", item))

    stay = PodGroupEntry(action="keep", node="n1", count=1, names=("ml/x-0",))
    legal = plan(entry("x", "keep", stay))
    return [
        Mutation(RuleId.NO_MOVE, "not allowed", cluster, legal, move("ml/x-1"), legal),
        Mutation(
            RuleId.NO_MOVE,
            "allowed, but this pod may not be interrupted",
            cluster,
            legal,
            move("ml/x-0"),
            move("ml/x-1"),
            {"allow_moves": True},
        ),
    ]


def _document() -> list[Mutation]:
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[gang("x"), gang("y")],
        pods=[pods("x", 2, spec(1)), pods("y", 1, spec(1), node="n1")],
    )
    start, keep = entry("x", "start", placed("n1", "x-0")), entry("y", "keep")
    claims_other = PodGroupEntry(action="keep", node="n2", count=1, names=("ml/y-0",))
    faults = {
        "decision": plan(entry("x", "keep", placed("n1", "x-0")), keep),
        "no reason": plan(entry("x", "wait", codes=()), keep),
        "unknown reason": plan(entry("x", "wait", codes=("because",)), keep),
        "two entries": plan(start, keep, keep),
        "unknown gang": plan(start, keep, entry("z", "start", placed("n1", "z-0"))),
        "wrong node": plan(start, entry("y", "keep", claims_other)),
        "place without node": plan(
            entry("x", "wait", PodGroupEntry(action="place", count=1, names=("ml/x-0",))), keep
        ),
        "priority": plan(entry("x", "start", placed("n1", "x-0"), priority=7), keep),
    }
    neighbour = plan(entry("x", "start", placed("n1", "x-0", "x-1"), priority=0), keep)
    return [
        Mutation(RuleId.DOCUMENT, name, cluster, plan(start, keep), broken, neighbour)
        for name, broken in faults.items()
    ]


def _topology() -> list[Mutation]:
    return [Mutation(RuleId.HARD_TOPOLOGY, **case) for case in topology_cases()]


def _pending(name: str, gpus: int, *, phase: str = "Pending", queue: str = "q") -> Gang:
    least = Resources({GPU: gpus})
    return replace(gang(name, queue=queue), phase=phase, min_resources=least)


def _admission() -> list[Mutation]:
    """8 GPUs with factor 1.2 admit 9; queue q admits 8."""

    def of(name: str, gangs: list[Gang], *queues: Queue) -> Mutation:
        cluster = snapshot(
            nodes=[node("n1")],
            queues=[*(queues or (Queue("q"),)), Queue("p")],
            gangs=gangs,
            pods=[pods(one.name, 1, spec(1)) for one in gangs],
        )
        x, y = (entry(one, "start", placed("n1", f"{one}-0")) for one in "xy")
        wait_x, wait_y = (entry(one, "wait", codes=("admission_gate",)) for one in "xy")
        return Mutation(
            RuleId.ADMISSION,
            name,
            cluster,
            legal=plan(x, wait_y),
            broken=plan(x, y),
            neighbour=plan(wait_x, y),
            policy={"admission": "live", "queue_model": "capacity"},
        )

    limit = Queue("q", capability=Resources({GPU: 6}))
    return [
        of("overcommit", [_pending("x", 5, queue="p"), _pending("y", 5)]),
        of("queue", [_pending("x", 4), _pending("y", 3)], limit),
    ]


def _prefilter() -> list[Mutation]:
    """An elastic gang of 1 to 3 pods in domains of 4 GPUs: with pods of 2 GPUs none has room for all three."""
    rule = NetworkTopology("hard", 1)
    cluster = snapshot(
        nodes=[node("a1", 4), node("b1", 6)],
        hyper_nodes=[
            HyperNode(name, 1, "", (HyperNodeMember("Node", exact_name=f"{name}1"),))
            for name in "ab"
        ],
        gangs=[gang("x", 1, topology=rule)],
        pods=[pods("x", 3, spec(2))],
    )
    two = ("x-0", "x-1")
    return [
        Mutation(
            RuleId.TOPOLOGY_PREFILTER,
            "an elastic gang in a domain without room for all its pods",
            cluster,
            legal=plan(entry("x", "start", placed("b1", *two))),
            broken=plan(entry("x", "start", placed("a1", *two))),
            neighbour=plan(entry("x", "start", placed("b1", *two, "x-2"))),
            policy={"topology_prefilter": "pending"},
        )
    ]


MUTATIONS: tuple[Mutation, ...] = (
    *_capacity(),
    *_predicates(),
    *_placeable(),
    *_ready(),
    *_roles(),
    *_subgroups(),
    *_supply(),
    *_limits(),
    *_open(),
    *_admission(),
    *_prefilter(),
    *_unsupported(),
    *_anti_affinity(),
    *_host_ports(),
    *_affinity(),
    *_domain_resources(),
    *_spread(),
    *_topology(),
    *_evictions(),
    *_moves(),
    *_document(),
)
