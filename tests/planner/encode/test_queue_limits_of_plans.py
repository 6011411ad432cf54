"""Limits and entitlements per queue (I4, I5, I8): flat, tree, proportion, and trees that are no trees."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import RoleTemplate
from planner.encode.queue_limits import (
    QueueLimits,
    capability,
    requested_by_queue,
    sum_below,
    usage_by_queue,
)
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import policy_of

GPU = "nvidia.com/gpu"


def _queue(name: str, parent: str = "", *, guarantee: int = 0, **amounts: int) -> Queue:
    return Queue(
        name,
        parent=parent,
        guarantee=Resources({GPU: guarantee} if guarantee else {}),
        **{key: Resources({GPU: amount}) for key, amount in amounts.items()},  # type: ignore[arg-type]
    )


def _limits(*queues: Queue, works: tuple[Work, ...] = (), **policy: object) -> QueueLimits:
    snapshot = snapshot_of(gpu_node("n1"), gpu_node("n2"), *queues, *works)
    return QueueLimits(snapshot, policy_of(snapshot, **policy))


def test_flat_limit_is_the_total_without_the_guarantees_of_others() -> None:
    limits = _limits(_queue("a", guarantee=3), _queue("b", guarantee=2), _queue("c"))
    assert [limits.limit(name, GPU) for name in "abc"] == [14, 13, 11]


def test_capability_caps_the_flat_limit_and_zero_gpus_are_a_ceiling() -> None:
    limits = _limits(
        _queue("a", capability=5), _queue("b", capability=40), _queue("c", capability=0)
    )
    assert [limits.limit(name, GPU) for name in "abc"] == [5, 16, 0]


def test_zero_cpu_or_memory_in_capability_is_no_ceiling() -> None:
    queue = Queue("a", capability=Resources({"cpu": 0, "memory": 0, GPU: 0}))
    assert [capability(queue, name) for name in ("cpu", "memory", GPU, "rdma")] == [
        None,
        None,
        0,
        None,
    ]


def test_guarantees_above_the_total_leave_each_its_own() -> None:
    limits = _limits(_queue("a", guarantee=12), _queue("b", guarantee=12), _queue("c"))
    assert [limits.limit(name, GPU) for name in "abc"] == [12, 12, 0]


def test_deserved_is_capped_by_the_limit_and_lifted_to_the_guarantee() -> None:
    limits = _limits(
        _queue("a", deserved=10, capability=4), _queue("b", deserved=1, guarantee=3), _queue("c")
    )
    assert [limits.deserved(name, GPU) for name in "abc"] == [4, 3, 0]
    assert [limits.has_deserved(name, GPU) for name in "abc"] == [True, True, False]


def test_a_listed_zero_of_an_extended_resource_is_an_entitlement_of_nothing() -> None:
    limits = _limits(_queue("a", deserved=0))
    assert limits.has_deserved("a", GPU)
    assert not limits.has_deserved("a", "cpu")


def test_the_unlisted_default_queue_is_open_and_unlimited() -> None:
    limits = _limits(_queue("a"))
    assert limits.limit("default", GPU) is None
    assert limits.closed_because("default") == ""
    assert not limits.has_deserved("default", GPU)


def test_the_root_of_a_tree_is_unlimited() -> None:
    limits = _limits(_queue("a"), _queue("b", guarantee=4), hierarchy=True)
    assert limits.limit("a", GPU) is None
    assert limits.limit("b", GPU) is None


def test_a_child_has_its_parents_limit_less_its_siblings_guarantees() -> None:
    limits = _limits(
        _queue("p", capability=10),
        _queue("a", "p", guarantee=4),
        _queue("b", "p", guarantee=1),
        _queue("c", "p", capability=3),
        hierarchy=True,
    )
    assert [limits.limit(name, GPU) for name in "pabc"] == [10, 9, 6, 3]


def test_a_capability_is_inherited_from_the_nearest_ancestor_that_has_one() -> None:
    limits = _limits(
        _queue("root", capability=12), _queue("p", "root"), _queue("a", "p"), hierarchy=True
    )
    assert limits.limit("a", GPU) == 12
    assert limits.chain("a") == ("a", "p")


def test_use_of_a_tree_counts_descendants() -> None:
    works = (
        work("x", 2, 3, queue="a", nodes=("n1", "n1")),
        work("y", 1, 1, queue="b", nodes=("n2",)),
    )
    queues = (_queue("p"), _queue("a", "p"), _queue("b", "p"))
    limits = _limits(*queues, works=works, hierarchy=True)
    usage = usage_by_queue(limits.snapshot)
    assert sum_below(limits, usage, "p").amount(GPU) == 7
    assert sum_below(limits, usage, "a").amount(GPU) == 6
    flat = _limits(*queues, works=works)
    assert sum_below(flat, usage, "p").amount(GPU) == 0


def test_a_queue_with_children_holds_no_jobs_in_a_tree_only() -> None:
    queues = (_queue("p"), _queue("a", "p"))
    assert "child queues" in _limits(*queues, hierarchy=True).closed_because("p")
    assert _limits(*queues, hierarchy=True).closed_because("a") == ""
    assert _limits(*queues).closed_because("p") == ""


def test_closed_missing_parent_and_cycle_are_told_apart() -> None:
    limits = _limits(
        Queue("closed", state="Closed"),
        _queue("orphan", "nobody"),
        _queue("x", "y"),
        _queue("y", "x"),
        _queue("leaf", "x"),
        hierarchy=True,
    )
    assert limits.closed_because("closed") == "queue closed is Closed"
    assert limits.closed_because("nowhere") == "queue nowhere does not exist"
    assert limits.closed_because("orphan") == "a parent of queue orphan does not exist"
    assert limits.closed_because("leaf") == "the parents of queue leaf form a cycle"


def test_limits_in_a_cycle_or_below_nobody_end() -> None:
    limits = _limits(
        _queue("x", "y", capability=3), _queue("y", "x"), _queue("o", "nobody"), hierarchy=True
    )
    assert limits.limit("y", GPU) == 3
    assert limits.limit("o", GPU) is None


def _two_teams() -> Snapshot:
    return snapshot_of(
        gpu_node("n1"),
        Queue("a", weight=1),
        Queue("b", weight=3),
        Queue("idle", weight=96),
        work("x", 8, 1, queue="a"),
        work("y", 8, 1, queue="b"),
    )


def test_proportion_limits_are_the_whole_part_of_the_share() -> None:
    snapshot = _two_teams()
    limits = QueueLimits(snapshot, policy_of(snapshot, queue_model="proportion"))
    assert (limits.limit("a", GPU), limits.limit("b", GPU)) == (2, 6)
    assert limits.deserved("b", GPU) == Fraction(6)


def test_queues_without_gangs_take_no_part_in_proportion() -> None:
    snapshot = _two_teams()
    limits = QueueLimits(snapshot, policy_of(snapshot, queue_model="proportion"))
    assert limits.share("idle", GPU) == 0
    assert limits.limit("idle", GPU) == 0


def test_requests_count_running_waiting_and_promised_pods() -> None:
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), work("x", 3, 2, nodes=("n1",)))
    assert requested_by_queue(snapshot)["q"].amount(GPU) == 6
    assert usage_by_queue(snapshot)["q"].amount(GPU) == 2


@pytest.mark.parametrize("model", ["capacity", "proportion"])
def test_a_missing_queue_has_no_share(model: str) -> None:
    limits = _limits(_queue("a"), queue_model=model)
    assert limits.limit("nowhere", GPU) is None
    assert limits.deserved("nowhere", GPU) == 0


def test_a_finished_gang_promises_nothing() -> None:
    """A snapshot may say that a Job has finished and still hold its tasks; the verifier counts none of them."""
    done = work("done", pods=1, queue="a")
    template = RoleTemplate("w", done.pods[0].spec, 4)
    gang = replace(done.gang, templates=(template,))
    for finished, asked in ((False, 4), (True, 0)):
        snapshot = snapshot_of(_queue("a"), Work(replace(gang, finished=finished), ()))
        assert requested_by_queue(snapshot)["a"].amount(GPU) == asked
