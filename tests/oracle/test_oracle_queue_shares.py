from __future__ import annotations

from fractions import Fraction

from models.queues import Queue
from models.resources import Resources
from planner.testing.by_hand import gpu_node, snapshot_of, work
from planner.testing.oracle.queue_shares import QueueShares, fill_by_weight
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import policy_for


def _filled(
    total: int, queues: list[Queue], asked: dict[str, int], ceiling: int = 10**6
) -> dict[str, Fraction]:
    shares = fill_by_weight(
        {GPU: total},
        queues,
        {name: {GPU: amount} for name, amount in asked.items()},
        {queue.name: {GPU: Fraction(ceiling)} for queue in queues},
    )
    return {name: share[GPU] for name, share in shares.items()}


def test_hungry_queues_share_by_weight() -> None:
    queues = [Queue("a", weight=1), Queue("b", weight=3)]
    assert _filled(10, queues, {"a": 10, "b": 10}) == {"a": Fraction(5, 2), "b": Fraction(15, 2)}


def test_what_one_does_not_ask_for_goes_to_the_others() -> None:
    queues = [Queue("a", weight=1), Queue("b", weight=1), Queue("c", weight=2)]
    assert _filled(12, queues, {"a": 1, "b": 20, "c": 20}) == {
        "a": 1,
        "b": 3 + Fraction(2, 3),
        "c": 6 + Fraction(4, 3),
    }


def test_a_guarantee_is_a_floor_even_where_the_sum_exceeds_the_total() -> None:
    queues = [Queue("a", guarantee=Resources({GPU: 4})), Queue("b")]
    assert _filled(8, queues, {"a": 0, "b": 8}) == {"a": 4, "b": 4}
    queues = [Queue("a", weight=1, guarantee=Resources({GPU: 4})), Queue("b", weight=7)]
    assert _filled(8, queues, {"a": 8, "b": 8}) == {"a": 4, "b": 7}


def test_only_queues_that_own_gangs_take_part() -> None:
    snapshot = snapshot_of(
        gpu_node("n1"), Queue("busy"), Queue("idle", weight=9), work("a", 8, queue="busy")
    )
    shares = QueueShares(snapshot, policy_for(snapshot, "proportion"))
    assert shares.limit("busy", GPU) == 8


def test_capacity_reserves_the_guarantees_of_others() -> None:
    snapshot = snapshot_of(
        gpu_node("n1"),
        Queue("a", guarantee=Resources({GPU: 3}), deserved=Resources({GPU: 1})),
        Queue("b", deserved=Resources({GPU: 7})),
        Queue("c", capability=Resources({GPU: 2})),
    )
    shares = QueueShares(snapshot, policy_for(snapshot, "capacity"))
    assert [shares.limit(name, GPU) for name in "abc"] == [8, 5, 2]
    assert [shares.deserved(name, GPU) for name in "abc"] == [3, 5, 0]


def test_in_the_tree_limits_come_from_the_parent_and_capabilities_are_inherited() -> None:
    snapshot = snapshot_of(
        gpu_node("n1"),
        Queue("dept", capability=Resources({GPU: 6})),
        Queue("a", parent="dept", guarantee=Resources({GPU: 2})),
        Queue("b", parent="dept"),
        Queue("free"),
    )
    shares = QueueShares(snapshot, policy_for(snapshot, "hierarchy"))
    assert [shares.limit(name, GPU) for name in ("dept", "a", "b", "free")] == [6, 6, 4, None]
    assert not shares.open_for_work("dept")
    assert shares.levels("a") == ["a", "dept"]


def test_a_cpu_ceiling_of_zero_is_none_and_a_gpu_ceiling_of_zero_is_one() -> None:
    snapshot = snapshot_of(gpu_node("n1"), Queue("a", capability=Resources({"cpu": 0, GPU: 0})))
    shares = QueueShares(snapshot, policy_for(snapshot, "capacity"))
    assert shares.limit("a", "cpu") == 64000
    assert shares.limit("a", GPU) == 0
