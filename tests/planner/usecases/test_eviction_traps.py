"""What makes evictions subtle, one small cluster per trap; every plan is proved optimal and enumerated.

Each test states what any correct plan does; the enumeration of all plans says the same for every tier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from models.cluster import Node, PodDisruptionBudget
from models.plan import PlanResult
from models.queues import NodeGroupRules, Queue
from models.resources import CPU, MEMORY, PODS, Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.gangs_by_hand import rings, roles
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan

GIB = 1 << 30
ZONE = "volcano.sh/revocable-zone"


class Planned:
    """A plan in the words of the cases: who starts, who is evicted, why somebody waits."""

    def __init__(
        self, snapshot: Snapshot, *evict: str, model: str = "capacity", **keys: Any
    ) -> None:
        policy = policy_for(snapshot, model, evict=evict, **keys)
        limits = Limits(time_limit_s=20, deterministic=True, workers=1)
        self.result: PlanResult = make_plan(snapshot, policy, limits, guard=False)
        assert self.result.certificate.status == "OPTIMAL"
        assert disagreements(self.result.certificate.tiers, best_vector(snapshot, policy)) == []

    @property
    def decisions(self) -> Mapping[str, str]:
        return {entry.name: entry.decision for entry in self.result.gangs}

    @property
    def evicted(self) -> set[str]:
        return {
            name.removeprefix("ml/")
            for entry in self.result.gangs
            for pods in entry.pods
            if pods.action == "evict"
            for name in pods.names
        }

    def reasons(self, gang: str) -> set[str]:
        entry = next(one for one in self.result.gangs if one.name == gang)
        return {one.code for one in entry.reasons}


def running(one: Work, *nodes: str) -> Work:
    """The gang's pods on these nodes, in order."""
    placed = zip(one.pods, nodes, strict=True)
    return replace(
        one, pods=tuple(replace(pod, node=node, phase="Running") for pod, node in placed)
    )


def asking(one: Work, **amounts: int) -> Work:
    """The gang with other requests per pod: cpu (whole), memory (GiB), gpu."""
    request = Resources(
        {
            CPU: 1000 * amounts.get("cpu", 0),
            MEMORY: GIB * amounts.get("memory", 0),
            GPU: amounts.get("gpu", 0),
        }
    ).without_zeros()
    pods = tuple(replace(pod, spec=replace(pod.spec, request=request)) for pod in one.pods)
    return replace(one, pods=pods)


def queue(name: str, *, parent: str = "", **deserved: int) -> Queue:
    """A queue that deserves cpu (whole), memory (GiB) and gpu; what is not named is not listed."""
    units = {"cpu": (CPU, 1000), "memory": (MEMORY, GIB), "gpu": (GPU, 1)}
    amounts = {units[key][0]: units[key][1] * value for key, value in deserved.items()}
    return Queue(name, parent=parent, deserved=Resources(amounts))


def one_node(gpus: int, *parts: Queue | Work, node: Node | None = None) -> Snapshot:
    return snapshot_of(node or gpu_node("n1", gpus), *parts)


URGENT = {"priority": 9}


def test_a_role_keeps_its_minimum_so_the_other_role_gives() -> None:
    """Three workers beyond the minimum of one; the head is the only one of its role."""
    job = running(roles("job", 2, head=(1, 1, 1), worker=(3, 1, 1)), *["n1"] * 4)
    plan = Planned(one_node(4, gpu_queue("q"), job, work("urgent", 2, **URGENT)), "preempt")
    assert plan.decisions == {"job": "shrink", "urgent": "start"}
    assert "job-0" not in plan.evicted
    assert len(plan.evicted) == 2


def test_a_role_that_cannot_give_costs_the_gang() -> None:
    """The head sits on the only node that the newcomer may use."""
    job = running(roles("job", 2, head=(1, 1, 1), worker=(2, 1, 1)), "n1", "n2", "n2")
    urgent = work("urgent", **URGENT)
    spec = replace(urgent.pods[0].spec, node_selector=(("zone", "a"),))
    urgent = replace(urgent, pods=(replace(urgent.pods[0], spec=spec),))
    first = replace(gpu_node("n1", 1), labels={"zone": "a"})
    snapshot = snapshot_of(first, gpu_node("n2", 2), gpu_queue("q"), job, urgent)
    plan = Planned(snapshot, "preempt")
    assert plan.decisions == {"job": "evict", "urgent": "start"}


def test_a_subgroup_leaves_whole_although_one_pod_is_enough() -> None:
    job = running(rings("job", sizes=(2, 2), size=2, least=1, minimum=2), *["n1"] * 4)
    plan = Planned(one_node(4, gpu_queue("q"), job, work("urgent", **URGENT)), "preempt")
    assert plan.decisions == {"job": "shrink", "urgent": "start"}
    assert plan.evicted in ({"job-0", "job-1"}, {"job-2", "job-3"})


def test_one_gang_of_many_pods_goes_before_two_gangs_of_one() -> None:
    wide = work("wide", 4, 1, nodes=("n1",) * 4)
    small = [work(f"small{i}", 1, 1, nodes=("n2",)) for i in range(2)]
    nodes = (gpu_node("n1", 4), gpu_node("n2", 2))
    urgent = work("urgent", 1, 2, **URGENT)
    plan = Planned(snapshot_of(*nodes, gpu_queue("q"), wide, *small, urgent), "preempt")
    assert plan.decisions["wide"] == "evict"
    assert len(plan.evicted) == 4


def test_entitled_in_one_dimension_is_enough() -> None:
    """Queue own is above what it deserves in CPU and below in GPUs: it reclaims."""
    queues = (queue("own", cpu=1, gpu=1), queue("lent", cpu=0, gpu=0))
    job = work("job", queue="lent", nodes=("n1",))
    owner = asking(work("owner", queue="own"), cpu=4, gpu=1)
    plan = Planned(one_node(1, *queues, job, owner), "reclaim")
    assert plan.decisions == {"job": "evict", "owner": "start"}


def test_under_proportion_all_dimensions_have_to_be_within_the_share() -> None:
    """Weighted shares of 2 GPUs are one each; a gang of two GPUs is beyond its share."""
    queues = (Queue("own"), Queue("lent"))
    jobs = [work(f"job{i}", queue="lent", nodes=("n1",)) for i in range(2)]
    one = Planned(
        one_node(2, *queues, *jobs, work("owner", queue="own")), "reclaim", model="proportion"
    )
    assert len(one.evicted) == 1
    two = Planned(
        one_node(2, *queues, *jobs, work("owner", 2, queue="own")), "reclaim", model="proportion"
    )
    assert two.evicted == set()


def test_nothing_in_common_means_nothing_to_reclaim() -> None:
    """A node of one pod: the newcomer asks for a GPU, the pod in its way holds memory only."""
    amounts = Resources({CPU: 8000, MEMORY: 8 * GIB, GPU: 1, PODS: 1})
    node = Node("n1", allocatable=amounts, capacity=amounts)
    queues = (queue("own", gpu=1), queue("lent", memory=0, gpu=0))
    held = asking(work("held", queue="lent", nodes=("n1",)), memory=1)
    plan = Planned(
        one_node(1, *queues, held, asking(work("owner", queue="own"), gpu=1), node=node), "reclaim"
    )
    assert plan.evicted == set()
    both = asking(work("owner", queue="own"), gpu=1, memory=1)
    plan = Planned(one_node(1, *queues, held, both, node=node), "reclaim")
    assert plan.evicted == {"held-0"}


def test_who_deserves_nothing_of_what_it_holds_is_taken_at_once() -> None:
    """Queue lent uses less CPU than it deserves; its pod holds GPUs only, which it does not deserve."""
    queues = (queue("own", gpu=1), queue("lent", cpu=8))
    held = asking(work("held", queue="lent", nodes=("n1",)), gpu=1)
    owner = asking(work("owner", queue="own"), gpu=1)
    plan = Planned(one_node(1, *queues, held, owner), "reclaim")
    assert plan.evicted == {"held-0"}


def test_the_last_pod_may_lead_below_and_then_no_other_goes() -> None:
    """Pods of 2 GPUs in a queue that deserves 3 and uses 6: two leave, the third stays."""
    queues = (gpu_queue("own", deserved=6), gpu_queue("lent", deserved=3))
    jobs = [work(f"job{i}", 1, 2, queue="lent", nodes=("n1",)) for i in range(3)]
    four = Planned(one_node(6, *queues, *jobs, work("owner", 2, 2, queue="own")), "reclaim")
    assert len(four.evicted) == 2
    six = Planned(one_node(6, *queues, *jobs, work("owner", 3, 2, queue="own")), "reclaim")
    assert six.evicted == set()
    assert "protected_victims" in six.reasons("owner")


def test_priority_does_not_protect_from_reclaim() -> None:
    queues = (gpu_queue("own", deserved=1), gpu_queue("lent", deserved=0))
    high = work("high", queue="lent", nodes=("n1",), priority=1000)
    plan = Planned(one_node(1, *queues, high, work("owner", queue="own")), "reclaim")
    assert plan.evicted == {"high-0"}


def test_who_never_preempts_starts_only_in_free_room() -> None:
    held = work("held", nodes=("n1",))
    meek = work("meek", **URGENT)
    spec = replace(meek.pods[0].spec, preemption_policy="Never")
    meek = replace(meek, pods=(replace(meek.pods[0], spec=spec),))
    assert Planned(one_node(1, gpu_queue("q"), held, meek), "preempt").evicted == set()
    free = Planned(one_node(2, gpu_queue("q"), held, meek), "preempt")
    assert free.decisions == {"held": "keep", "meek": "start"}


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_budget_sends_the_eviction_elsewhere(allowed: int) -> None:
    """The cheaper victim is under a budget that is spent."""
    nodes = (gpu_node("n1", 1), gpu_node("n2", 1))
    cheap, dear = work("cheap", nodes=("n1",)), work("dear", nodes=("n2",), priority=5)
    started = {"cheap": "2026-11-01T11:59:00Z", "dear": "2026-11-01T02:00:00Z"}
    cheap, dear = (
        replace(
            one,
            pods=(
                replace(one.pods[0], started=started[one.gang.name], labels={"t": one.gang.name}),
            ),
        )
        for one in (cheap, dear)
    )
    budget = PodDisruptionBudget("ml", "b", LabelSelector(match_labels=(("t", "cheap"),)), allowed)
    snapshot = replace(
        snapshot_of(*nodes, gpu_queue("q"), cheap, dear, work("urgent", **URGENT)),
        disruption_budgets=(budget,),
        as_of="2026-11-01T12:00:00Z",
    )
    assert Planned(snapshot, "preempt", pdb=True).evicted == {"cheap-0" if allowed else "dear-0"}
    assert Planned(snapshot, "preempt", pdb=False).evicted == {"cheap-0"}


def _family(team_deserves: int) -> tuple[Queue, ...]:
    return (
        queue("team", gpu=team_deserves),
        queue("lent", parent="team", gpu=0),
        queue("sister", parent="team", gpu=2),
        queue("other", gpu=2),
    )


@pytest.mark.parametrize(("level", "deserved", "taken"), [(0, 2, 1), (1, 2, 0), (1, 1, 1)])
def test_the_ancestor_of_the_victim_counts_where_the_level_says_so(
    level: int, deserved: int, taken: int
) -> None:
    """Queue lent deserves nothing and uses 2 of the 2 (or 1) GPUs that its team deserves; a stranger wants one."""
    jobs = [work(f"job{i}", queue="lent", nodes=("n1",)) for i in range(2)]
    snapshot = one_node(2, *_family(deserved), *jobs, work("stranger", queue="other"))
    plan = Planned(snapshot, "reclaim", model="hierarchy", ancestor_reclaim_level=level)
    assert len(plan.evicted) == taken


def test_sisters_do_not_ask_their_common_parent() -> None:
    jobs = [work(f"job{i}", queue="lent", nodes=("n1",)) for i in range(2)]
    snapshot = one_node(2, *_family(2), *jobs, work("sibling", queue="sister"))
    plan = Planned(snapshot, "reclaim", model="hierarchy", ancestor_reclaim_level=1)
    assert len(plan.evicted) == 1


def test_a_terminating_pod_holds_its_node_and_is_no_victim() -> None:
    leaving = work("leaving", nodes=("n1",))
    leaving = replace(leaving, pods=(replace(leaving.pods[0], terminating=True),))
    plan = Planned(one_node(1, gpu_queue("q"), leaving, work("urgent", **URGENT)), "preempt")
    assert plan.evicted == set()
    assert plan.decisions["urgent"] == "wait"


def test_a_closed_zone_takes_nobody_whoever_is_evicted() -> None:
    node = replace(gpu_node("n1", 1), labels={ZONE: "rz"})
    held = work("held", nodes=("n1",))
    urgent = work("urgent", **URGENT)
    urgent = replace(
        urgent,
        pods=(replace(urgent.pods[0], annotations={**urgent.pods[0].annotations, ZONE: "*"}),),
    )
    snapshot = replace(
        one_node(1, gpu_queue("q"), held, urgent, node=node), as_of="2026-11-01T12:00:00Z"
    )
    shut = Planned(snapshot, "preempt", revocable_zones={"rz": "22:00-23:00"})
    assert shut.evicted == set()
    opened = Planned(snapshot, "preempt", revocable_zones={"rz": "11:00-13:00"})
    assert opened.evicted == {"held-0"}


def test_victims_on_nodes_of_another_group_buy_nothing() -> None:
    label = "volcano.sh/nodegroup-name"
    nodes = (
        replace(gpu_node("n1", 1), labels={label: "a"}),
        replace(gpu_node("n2", 1), labels={label: "b"}),
    )
    own = Queue("own", deserved=Resources({GPU: 2}), node_groups=NodeGroupRules(required=("a",)))
    lent = Queue(
        "lent", deserved=Resources({GPU: 0}), node_groups=NodeGroupRules(required=("a", "b"))
    )
    jobs = (
        work("there", queue="lent", nodes=("n2",)),
        work("here", 2, queue="lent", nodes=("n1", "n2"), minimum=2),
    )
    snapshot = snapshot_of(
        *(replace(one, allocatable=gpu_node("x", 2).allocatable) for one in nodes),
        own,
        lent,
        *jobs,
        work("owner", 1, 2, queue="own"),
    )
    plan = Planned(snapshot, "reclaim", nodegroup=True)
    assert plan.decisions == {"there": "keep", "here": "evict", "owner": "start"}


def test_an_earlier_promise_does_not_preempt_its_equals() -> None:
    """With sla the earlier of two equals goes first among the waiting, but evicts nobody of the same priority."""
    held = work("held", nodes=("n1",), created=5)
    first = work("first", created=0)
    first = replace(
        first,
        gang=replace(first.gang, annotations={"volcano.sh/sla-waiting-time": "1m"}),
    )
    plan = Planned(one_node(1, gpu_queue("q"), held, first), "preempt", sla=True)
    assert plan.evicted == set()


def test_a_gang_below_its_minimum_has_no_surplus() -> None:
    broken = work("broken", 4, 1, minimum=4, nodes=("n1",) * 3)
    plan = Planned(one_node(3, gpu_queue("q"), broken, work("urgent", **URGENT)), "preempt")
    assert plan.evicted == {"broken-0", "broken-1", "broken-2"}


def test_a_queue_above_its_limit_gets_below_it_before_anything_starts() -> None:
    """Capability 2, in use 3: an urgent gang of one GPU needs two pods out of the way, though the node has room."""
    low = [work(f"low{i}", nodes=("n1",)) for i in range(3)]
    plan = Planned(
        one_node(8, gpu_queue("q", capability=2), *low, work("urgent", **URGENT)), "preempt"
    )
    assert len(plan.evicted) == 2


def test_preempting_and_reclaiming_share_the_work() -> None:
    """Own preempts its low gang and takes back one lent GPU, and no more of either."""
    queues = (gpu_queue("own", deserved=2), gpu_queue("lent", deserved=0))
    low = work("low", queue="own", nodes=("n1",))
    jobs = [work(f"job{i}", queue="lent", nodes=("n1",)) for i in range(2)]
    snapshot = one_node(3, *queues, low, *jobs, work("urgent", 2, queue="own", **URGENT))
    assert len(Planned(snapshot, "preempt", "reclaim").evicted) == 2
    assert Planned(snapshot, "preempt").evicted == set()


@pytest.mark.parametrize("mark", ["system-cluster-critical", "system-node-critical"])
def test_system_pods_stay(mark: str) -> None:
    held = work("held", nodes=("n1",))
    spec = replace(held.pods[0].spec, priority_class_name=mark)
    held = replace(held, pods=(replace(held.pods[0], spec=spec),))
    plan = Planned(one_node(1, gpu_queue("q"), held, work("urgent", **URGENT)), "preempt")
    assert plan.evicted == set()
    assert "protected_victims" in plan.reasons("urgent")
