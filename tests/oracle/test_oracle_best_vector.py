from __future__ import annotations

from models.queues import Queue
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.oracle.best_vector import best_sets, best_vector, feasible
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.start_tiers import StartTiers
from planner.testing.random_snapshots import policy_for


def test_the_covered_walk_passes_over_and_ends_after_that_rank() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 16),
        gpu_queue("q", deserved=8),
        work("run", 1, 4, nodes=("n1",)),
        work("a", 1, 2, priority=10, created=1),
        work("b", 1, 4, priority=10, created=2),
        work("c", 1, 2, priority=10, created=3),
        work("d", 1, 0, priority=5, created=4),
        work("too-large", 3, 5, priority=20, created=0),
    )
    places = StartTiers(Situation(snapshot, policy_for(snapshot, "capacity"))).places
    assert {name: place.prefix for name, place in places.items()} == {
        "ml/a": "covered.1",
        "ml/b": "rest.1",
        "ml/c": "covered.1",
        "ml/d": "rest.2",
    }


def test_priority_wins_inside_a_queue_even_against_more_gpus() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 8),
        gpu_queue("q"),
        work("urgent", 1, 3, priority=10),
        work("large", 1, 8, priority=5),
        work("small", 1, 4, priority=5),
    )
    assert best_vector(snapshot, policy_for(snapshot, "capacity")) == {
        "rest.1.shortfall": 0,
        "rest.1.gpus": 3,
        "rest.1.gangs": 1,
        "rest.1.elastic": 0,
        "rest.2.shortfall": 0,
        "rest.2.gpus": 4,
        "rest.2.gangs": 1,
        "rest.2.elastic": 0,
        "packing": 0,
    }
    throughput = policy_for(snapshot, "capacity", objective="throughput")
    assert list(best_vector(snapshot, throughput).values()) == [8, 1, 0, 0]


def test_the_emptier_queue_is_served_first() -> None:
    """One free GPU pair: queue a has 6 of 8 deserved GPUs, queue b none of 2."""
    snapshot = snapshot_of(
        gpu_node("n1", 8),
        gpu_queue("a", deserved=8),
        gpu_queue("b", deserved=2),
        work("run", 6, 1, queue="a", nodes=("n1",) * 6),
        work("more-a", 1, 2, queue="a"),
        work("first-b", 1, 2, queue="b"),
    )
    policy = policy_for(snapshot, "capacity")
    best = best_vector(snapshot, policy)
    assert best["covered.1.shortfall"] == 125 + 2 * 125
    assert best_sets(Situation(snapshot, policy)) == [frozenset({"ml/first-b"})]


def test_elastic_pods_come_last_and_whole_nodes_stay_whole() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 4),
        gpu_node("n2", 4),
        gpu_queue("q"),
        work("grows", 4, 1, minimum=1, nodes=("n1",)),
        work("starts", 2, 2, minimum=1),
    )
    best = best_vector(snapshot, policy_for(snapshot, "capacity"))
    assert (best["rest.1.gpus"], best["rest.1.elastic"], best["packing"]) == (2, 4, 0)
    capped = snapshot_of(
        *snapshot.nodes,
        gpu_queue("q", capability=4),
        work("grows", 4, 1, minimum=1, nodes=("n1",)),
        work("starts", 2, 2, minimum=1),
    )
    best = best_vector(capped, policy_for(capped, "capacity"))
    assert (best["rest.1.gpus"], best["rest.1.elastic"], best["packing"]) == (2, 1, 4)


def test_a_closed_queue_starts_nothing() -> None:
    snapshot = snapshot_of(gpu_node("n1"), Queue("q", state="Closed"), work("a"))
    assert best_vector(snapshot, policy_for(snapshot, "capacity")) == {"packing": 8}


def test_fixed_placements_take_room_and_quota() -> None:
    node, queue, gang = gpu_node("n1", 4), gpu_queue("q", capability=3), work("a", 2, 1)
    snapshot = snapshot_of(node, queue, gang)
    policy = policy_for(snapshot, "capacity")
    request = gang.pods[0].spec.request
    assert feasible(snapshot, policy, ["ml/a"])
    assert feasible(snapshot, policy, ["ml/a"], keep_fixed=[("n1", "q", request)])
    assert not feasible(snapshot, policy, ["ml/a"], keep_fixed=[("n1", "q", request)] * 2)
    assert not feasible(snapshot, policy, ["ml/a"], keep_fixed=[("n1", "other", request)] * 3)
