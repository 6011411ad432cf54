from __future__ import annotations

from models.entries import gang_entries
from models.plan import PlanResult, Reason
from models.rules import RuleId
from models.snapshot import Snapshot
from planner.simulate.baseline import baseline_of, scheduler_run
from planner.simulate.volcano import VolcanoScheduler
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import policy_for
from planner.verify.check import verify

NOT_ASKED = (RuleId.VICTIM_NEEDED, RuleId.NO_UNDOING)
REASON = (Reason(code="cluster_capacity", message="no room"),)


def run(snapshot: Snapshot, *evict: str) -> tuple[set[str], list[str]]:
    """Gangs that receive pods, and names of the victims."""
    policy = policy_for(snapshot, "capacity", evict=evict)
    placements, victims = VolcanoScheduler(snapshot, policy).run(evicting=True)
    return {one.gang for one in placements}, sorted(pod.name for pod in victims)


def test_surplus_goes_before_a_whole_gang() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 4),
        gpu_queue("q"),
        work("single", 1, 1, nodes=("n1",)),
        work("elastic", 3, 1, minimum=2, nodes=("n1",) * 3),
        work("p", 1, 1, priority=10),
    )
    assert run(snapshot, "preempt") == ({"ml/p"}, ["elastic-2"])


def test_a_gang_is_given_up_whole_where_surplus_is_not_enough() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 3),
        gpu_queue("q"),
        work("elastic", 3, 1, minimum=2, nodes=("n1",) * 3),
        work("p", 2, 1, priority=10),
    )
    started, victims = run(snapshot, "preempt")
    assert started == {"ml/p"}
    assert victims == ["elastic-0", "elastic-1", "elastic-2"]


def test_equal_priority_and_other_queues_are_not_preempted() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 2),
        gpu_queue("q"),
        gpu_queue("other"),
        work("same", 1, 1, priority=10, nodes=("n1",)),
        work("low", 1, 1, queue="other", nodes=("n1",)),
        work("p", 1, 1, priority=10),
    )
    assert run(snapshot, "preempt") == (set(), [])


def test_reclaim_stops_where_the_queue_is_not_above_deserved() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 4),
        gpu_queue("a", deserved=2),
        gpu_queue("b", deserved=2),
        *(work(f"v{i}", 1, 1, queue="a", nodes=("n1",)) for i in range(4)),
        *(work(f"w{i}", 1, 1, queue="b", created=i) for i in range(4)),
    )
    started, victims = run(snapshot, "reclaim")
    assert len(started) == len(victims) == 2
    assert run(snapshot, "preempt") == (set(), [])


def test_what_does_not_help_leaves_no_trace() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 2),
        gpu_node("n2", 2),
        gpu_queue("q"),
        work("v1", 1, 1, nodes=("n1",)),
        work("v2", 1, 2, priority=20, nodes=("n2",)),
        work("large", 1, 4, priority=10),
        work("small", 1, 1),
    )
    assert run(snapshot, "preempt") == ({"ml/small"}, [])


def test_only_needless_victims_are_ever_held_against_it() -> None:
    evicting = broken = 0
    for seed in range(120):
        case = evicting_case(seed)
        placements, victims = VolcanoScheduler(case.snapshot, case.policy).run(evicting=True)
        evicting += bool(victims)
        reasons = dict.fromkeys((gang.full_name for gang in case.snapshot.gangs), REASON)
        gone = [pod.full_name for pod in victims]
        entries = gang_entries(case.snapshot, placements, reasons=reasons, evicted=gone)
        found = verify(case.snapshot, case.policy, PlanResult(gangs=entries)).violations
        broken += any(one.rule not in NOT_ASKED for one in found)
    assert evicting > 10
    assert broken == 0


def test_a_baseline_always_comes_out_and_counts_its_victims() -> None:
    for seed in [*range(40), 181, 661]:
        case = evicting_case(seed)
        found = baseline_of(case.snapshot, case.policy)
        assert found is not None, case.name
        assert found.pods_evicted <= sum(pod.running for pod in case.snapshot.pods)


def test_without_evict_nothing_is_evicted() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 1),
        gpu_queue("q"),
        work("v", 1, 1, nodes=("n1",)),
        work("p", 1, 1, priority=10),
    )
    assert scheduler_run(snapshot, policy_for(snapshot, "capacity")).victims == ()
    found = baseline_of(snapshot, policy_for(snapshot, "capacity", evict=("preempt",)))
    assert found is not None
    assert (found.gangs_started, found.pods_evicted, found.gpus_after) == (1, 1, 1)
