"""Single-fault plans for the rules about victims, with their nearest legal neighbours."""

from __future__ import annotations

from typing import Any

from verify_builders import GIB, GPU, entry, gang, node, placed, plan, pods, snapshot, spec
from verify_mutations import Mutation

from models.cluster import Node, PodDisruptionBudget
from models.plan import GangEntry, PlanResult, PodGroupEntry
from models.policy import OnlineService
from models.queues import Queue
from models.resources import Resources
from models.rules import RuleId
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import Gang

PREEMPT: dict[str, Any] = {"evict": ["preempt"]}
RECLAIM: dict[str, Any] = {"evict": ["reclaim"]}


def leaves(name: str, *members: str, stay: bool = False, code: str = "preempted") -> GangEntry:
    """A gang ``ml/<name>`` that loses these pods of node n1, all of them unless ``stay``."""
    full = tuple(f"ml/{one}" for one in members)
    item = PodGroupEntry(action="evict", from_node="n1", count=len(full), names=full)
    return entry(name, "shrink" if stay else "evict", item, codes=(code,))


def starts(name: str, *members: str) -> GangEntry:
    """A gang that starts on n1."""
    return entry(name, "start", placed("n1", *members))


def small_node(gpus: int) -> Node:
    return node("n1", gpus=gpus)


def _two_low(*waiting: Gang, count: int = 1, **low: Any) -> Snapshot:
    """v1 and v2 hold the two GPUs of n1; ``low`` changes the pod of v1."""
    return snapshot(
        nodes=[small_node(2)],
        gangs=[gang("v1"), gang("v2"), *waiting],
        pods=[
            pods("v1", 1, low.pop("shape", spec(1)), node="n1", **low),
            pods("v2", 1, spec(1), node="n1"),
            *(pods(one.name, count, spec(1)) for one in waiting),
        ],
    )


def _protected() -> list[Mutation]:
    mark = {"volcano.sh/preemptable": "false"}
    service = OnlineService(name="chat", selector={"app": "chat"})
    worlds: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "marked by annotation": ({"annotations": mark}, {}),
        "marked by label": ({"labels": mark}, {}),
        "system class": ({"shape": spec(1, priority_class_name="system-node-critical")}, {}),
        "online service": ({"labels": {"app": "chat"}}, {"services": [service]}),
    }
    first = plan(leaves("v1", "v1-0"), starts("p", "p-0"))
    second = plan(leaves("v2", "v2-0"), starts("p", "p-0"))
    return [
        Mutation(
            RuleId.VICTIM_PROTECTED,
            name,
            _two_low(gang("p", priority=10), **low),
            legal=plan(),
            broken=first,
            neighbour=second,
            policy={**PREEMPT, **keys},
        )
        for name, (low, keys) in worlds.items()
    ]


def _causes() -> list[Mutation]:
    equal = _two_low(gang("p"), gang("h", priority=10))
    never = snapshot(
        nodes=[small_node(1)],
        gangs=[gang("v1"), gang("p", priority=10), gang("h", priority=10)],
        pods=[
            pods("v1", 1, spec(1), node="n1"),
            pods("p", 1, spec(1, preemption_policy="Never")),
            pods("h", 1, spec(1)),
        ],
    )
    wanting = plan(leaves("v1", "v1-0"), starts("p", "p-0"))
    rightful = plan(leaves("v1", "v1-0"), starts("h", "h-0"))
    found = [
        Mutation(RuleId.VICTIM_CAUSE, name, cluster, plan(), wanting, rightful, PREEMPT)
        for name, cluster in (("equal priority", equal), ("preemptionPolicy Never", never))
    ]
    return [*found, *_reclaim_causes()]


def _reclaim_causes() -> list[Mutation]:
    """Queue b deserves one GPU, queue c nothing; queue d may not be reclaimed."""

    def cluster(**a: Any) -> Snapshot:
        return snapshot(
            nodes=[small_node(1)],
            queues=[Queue("a", **a), Queue("b", deserved=Resources({GPU: 1})), Queue("c")],
            gangs=[gang("v1"), gang("p", queue="c"), gang("h", queue="b")],
            pods=[
                pods("v1", 1, spec(1), node="n1"),
                pods("p", 1, spec(1)),
                pods("h", 1, spec(1)),
            ],
        )

    out = leaves("v1", "v1-0", code="reclaimed")
    by_c, by_b = plan(out, starts("p", "p-0")), plan(out, starts("h", "h-0"))
    return [
        Mutation(RuleId.VICTIM_CAUSE, "not entitled", cluster(), plan(), by_c, by_b, RECLAIM),
        Mutation(
            RuleId.VICTIM_CAUSE,
            "not reclaimable",
            cluster(reclaimable=False),
            plan(),
            by_b,
            plan(entry("v1", "keep")),
            RECLAIM,
        ),
    ]


def _entitlement() -> list[Mutation]:
    queues = [
        Queue("a", deserved=Resources({GPU: 1})),
        Queue("b", deserved=Resources({GPU: 2})),
    ]
    cluster = snapshot(
        nodes=[small_node(2)],
        queues=queues,
        gangs=[gang("v1"), gang("v2"), gang("w", queue="b")],
        pods=[
            pods("v1", 1, spec(1), node="n1"),
            pods("v2", 1, spec(1), node="n1"),
            pods("w", 2, spec(1)),
        ],
    )
    first, second = leaves("v1", "v1-0"), leaves("v2", "v2-0")
    return [
        Mutation(
            RuleId.VICTIM_ENTITLEMENT,
            "two of a queue that is one above",
            cluster,
            legal=plan(first, starts("w", "w-0")),
            broken=plan(first, second, starts("w", "w-0", "w-1")),
            neighbour=plan(second, starts("w", "w-0")),
            policy=RECLAIM,
        )
    ]


def _guarantees() -> list[Mutation]:
    lent = Resources({GPU: 1})
    cluster = snapshot(
        nodes=[small_node(3)],
        queues=[
            Queue("a", deserved=lent, guarantee=Resources({"memory": 2 * GIB})),
            Queue("b", deserved=Resources({GPU: 2})),
            Queue("c"),
        ],
        gangs=[gang("v1"), gang("v2"), gang("v3", queue="c"), gang("w", queue="b")],
        pods=[
            *(pods(name, 1, spec(1), node="n1") for name in ("v1", "v2", "v3")),
            pods("w", 1, spec(1)),
        ],
    )
    start = starts("w", "w-0")
    return [
        Mutation(
            RuleId.GUARANTEE_KEPT,
            "memory",
            cluster,
            legal=plan(),
            broken=plan(leaves("v1", "v1-0"), start),
            neighbour=plan(leaves("v3", "v3-0"), start),
            policy=RECLAIM,
        )
    ]


def _budgets() -> list[Mutation]:
    label = {"app": "x"}
    budget = PodDisruptionBudget("ml", "x", LabelSelector(match_labels=(("app", "x"),)), 1)
    cluster = snapshot(
        nodes=[small_node(2)],
        gangs=[gang("v1"), gang("v2"), gang("p", priority=10), gang("r", priority=10)],
        pods=[
            pods("v1", 1, spec(1), node="n1", labels=label),
            pods("v2", 1, spec(1), node="n1", labels=label),
            pods("p", 1, spec(1)),
            pods("r", 1, spec(1)),
        ],
        disruption_budgets=(budget,),
    )
    first, second = leaves("v1", "v1-0"), leaves("v2", "v2-0")
    return [
        Mutation(
            RuleId.DISRUPTION_BUDGET,
            "one pod allowed",
            cluster,
            legal=plan(first, starts("p", "p-0")),
            broken=plan(first, second, starts("p", "p-0"), starts("r", "r-0")),
            neighbour=plan(second, starts("r", "r-0")),
            policy={**PREEMPT, "pdb": True},
        )
    ]


def _needed() -> list[Mutation]:
    first, second = leaves("v1", "v1-0"), leaves("v2", "v2-0")
    borrowed = Mutation(
        RuleId.VICTIM_NEEDED,
        "one gang legalises a victim that another uses",
        _two_low(gang("p", priority=10), gang("q")),
        legal=plan(first, starts("p", "p-0")),
        broken=plan(first, second, starts("p", "p-0"), starts("q", "q-0")),
        neighbour=plan(second, starts("p", "p-0")),
        policy=PREEMPT,
    )
    return [borrowed, _one_of_two(), _whole_gang_for_nothing()]


def _one_of_two() -> Mutation:
    cluster = snapshot(
        nodes=[small_node(3)],
        gangs=[gang("x"), gang("p", priority=10)],
        pods=[pods("x", 3, spec(1), node="n1"), pods("p", 1, spec(1))],
    )
    start = starts("p", "p-0")

    def losing(*members: str, stay: bool = True) -> PlanResult:
        return plan(leaves("x", *members, stay=stay), start)

    return Mutation(
        RuleId.VICTIM_NEEDED,
        "surplus beyond what is needed",
        cluster,
        legal=losing("x-0"),
        broken=losing("x-0", "x-1"),
        neighbour=losing("x-1"),
        policy=PREEMPT,
    )


def _whole_gang_for_nothing() -> Mutation:
    """A gang of two is given up although one of its pods would do."""
    cluster = snapshot(
        nodes=[small_node(4)],
        gangs=[gang("x", 2), gang("p", 2, priority=10), gang("large", 3, priority=10)],
        pods=[
            pods("x", 4, spec(1), node="n1"),
            pods("p", 2, spec(1)),
            pods("large", 3, spec(1)),
        ],
    )
    all_four = ("x-0", "x-1", "x-2", "x-3")
    start = starts("p", "p-0", "p-1")
    return Mutation(
        RuleId.VICTIM_NEEDED,
        "a gang given up that could shrink",
        cluster,
        legal=plan(leaves("x", "x-3", "x-2", stay=True), start),
        broken=plan(leaves("x", *all_four), start),
        neighbour=plan(leaves("x", *all_four), starts("large", "large-0", "large-1", "large-2")),
        policy=PREEMPT,
    )


def _undoing() -> list[Mutation]:
    half = Resources({GPU: 4, "cpu": 4000})

    def shape(gpus: int, cores: int) -> Any:
        return spec(gpus, request={"cpu": 1000 * cores, "memory": 0})

    cluster = snapshot(
        nodes=[node("n1", allocatable={"cpu": 8000})],
        queues=[Queue("a", deserved=half), Queue("b", deserved=half)],
        gangs=[gang("v"), gang("w", queue="b"), gang("u", queue="b")],
        pods=[
            pods("v", 1, shape(5, 3), node="n1"),
            pods("w", 1, shape(4, 5)),
            pods("u", 1, shape(4, 4)),
        ],
    )
    out = leaves("v", "v-0", code="reclaimed")
    return [
        Mutation(
            RuleId.NO_UNDOING,
            "two queues reclaim from each other",
            cluster,
            legal=plan(),
            broken=plan(out, starts("w", "w-0")),
            neighbour=plan(out, starts("u", "u-0")),
            policy=RECLAIM,
        )
    ]


VICTIM_MUTATIONS: tuple[Mutation, ...] = (
    *_protected(),
    *_causes(),
    *_entitlement(),
    *_guarantees(),
    *_budgets(),
    *_needed(),
    *_undoing(),
)
