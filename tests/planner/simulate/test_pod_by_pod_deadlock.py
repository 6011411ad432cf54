from __future__ import annotations

from models.effective import resolve_policy
from models.readers import read_snapshot
from planner.samples import sample_path
from planner.simulate.baseline import baseline_of
from planner.simulate.pod_by_pod import PodByPod, place_pod_by_pod
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work


def run(*works: Work, gpus: int = 8) -> PodByPod:
    snapshot = snapshot_of(gpu_node("n1", gpus), gpu_queue("q"), *works)
    return place_pod_by_pod(snapshot, resolve_policy(snapshot))


def test_two_gangs_of_eight_hold_four_each():
    found = run(work("a", 8), work("b", 8, created=1))
    assert found.held_pods == {"ml/a": 4, "ml/b": 4}
    assert found.deadlocked_gangs == ("ml/a", "ml/b")
    assert found.started_gangs == ()
    assert found.idle_gpus == 8


def test_alone_a_gang_of_eight_starts():
    found = run(work("a", 8))
    assert found.started_gangs == ("ml/a",)
    assert found.deadlocked_gangs == ()
    assert found.idle_gpus == 0


def test_higher_priority_is_not_mixed_with_lower():
    found = run(work("a", 8), work("b", 8, priority=5))
    assert found.started_gangs == ("ml/b",)
    assert "ml/a" not in found.held_pods


def test_a_gang_above_its_minimum_only_grows():
    found = run(work("a", 4, minimum=2, nodes=("n1", "n1")))
    assert found.held_pods == {"ml/a": 4}
    assert found.started_gangs == found.deadlocked_gangs == ()


def test_queues_are_not_looked_at():
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q", capability=1), work("a", 4))
    assert place_pod_by_pod(snapshot, resolve_policy(snapshot)).started_gangs == ("ml/a",)


def test_the_demo_deadlocks_pod_by_pod_and_fragments_greedily():
    snapshot = read_snapshot([sample_path("demo")])
    policy = resolve_policy(snapshot)
    found = place_pod_by_pod(snapshot, policy)
    assert found.deadlocked_gangs == ("pretrain/moe-ablation-a", "pretrain/moe-ablation-b")
    assert [found.held_pods[name] for name in found.deadlocked_gangs] == [4, 4]
    assert "eval/reward-model" in found.started_gangs
    assert found.idle_gpus == 8
    running = sum(pod.spec.request.amount("nvidia.com/gpu") for pod in snapshot.pods if pod.running)
    greedy = baseline_of(snapshot, policy)
    assert running == 36
    assert greedy is not None
    assert (greedy.gpus_after, greedy.gangs_started) == (60, 4)
