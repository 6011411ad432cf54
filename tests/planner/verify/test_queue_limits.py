"""Limits, openness and entitlements of queues by hand-counted examples."""

from __future__ import annotations

from typing import Any

from verify_builders import GPU, gang, node, pods, policy, snapshot, spec

from models.queues import Queue
from models.resources import Resources
from planner.verify.queue_limits import QueueBook


def _gpus(amount: int) -> Resources:
    return Resources({GPU: amount})


def _book(*queues: Queue, **keys: Any) -> QueueBook:
    cluster = snapshot(nodes=[node("n1"), node("n2")], queues=queues)
    return QueueBook(cluster, policy(cluster, **keys))


def test_flat_limit_is_what_guarantees_leave_plus_the_own_one() -> None:
    book = _book(Queue("a", guarantee=_gpus(3)), Queue("b", guarantee=_gpus(5)), Queue("c"))
    assert [book.limit(name, GPU) for name in "abc"] == [11, 13, 8]


def test_flat_limit_never_goes_below_the_own_guarantee() -> None:
    book = _book(Queue("a", guarantee=_gpus(3)), Queue("b", guarantee=_gpus(50)))
    assert [book.limit(name, GPU) for name in "ab"] == [3, 50]


def test_capability_zero_closes_gpus_but_not_cpu() -> None:
    book = _book(Queue("a", capability=Resources({GPU: 0, "cpu": 0})))
    assert book.limit("a", GPU) == 0
    assert book.limit("a", "cpu") == 128_000


def test_default_queue_that_is_not_listed_has_no_limit_and_is_open() -> None:
    book = _book(Queue("a"))
    assert book.limit("default", GPU) is None
    assert book.levels("default") == ()
    assert book.why_closed("default") == ""
    assert "does not exist" in book.why_closed("b")


def test_resource_that_no_node_offers_has_limit_zero() -> None:
    assert _book(Queue("a")).limit("a", "amd.com/gpu") == 0


def test_tree_limits_inherit_capability_and_reserve_for_siblings() -> None:
    """top 10: its child a guarantees 2, b 3; a's child leaf has none; root has no limit."""
    book = _book(
        Queue("top", capability=_gpus(10)),
        Queue("a", parent="top", guarantee=_gpus(2)),
        Queue("b", parent="top", guarantee=_gpus(3), capability=_gpus(4)),
        Queue("leaf", parent="a"),
        hierarchy=True,
    )
    names = ("top", "a", "b", "leaf")
    assert [book.limit(name, GPU) for name in names] == [10, 7, 4, 7]
    assert book.limit("leaf", "cpu") is None
    assert book.levels("leaf") == ("leaf", "a", "top")
    assert book.family("top") == set(names)


def test_only_leaves_with_a_path_to_the_root_are_open() -> None:
    book = _book(
        Queue("root"),
        Queue("in"),
        Queue("leaf", parent="in"),
        Queue("lost", parent="gone"),
        Queue("p", parent="q"),
        Queue("q", parent="p"),
        hierarchy=True,
    )
    closed = {name for name in book.listed if book.why_closed(name)}
    assert closed == {"root", "in", "lost", "p", "q"}
    assert _book(Queue("in"), Queue("leaf", parent="in")).why_closed("in") == ""


def test_deserved_is_capped_by_the_limit_and_lifted_to_the_guarantee() -> None:
    book = _book(
        Queue("a", deserved=_gpus(9), capability=_gpus(6)),
        Queue("b", deserved=_gpus(1), guarantee=_gpus(2)),
        Queue("c", deserved=Resources({GPU: 0, "cpu": 0})),
    )
    assert [book.deserved(name, GPU) for name in "abc"] == [6, 2, 0]
    assert book.entitled("c", GPU)
    assert not book.entitled("c", "cpu")
    assert not book.entitled("c", "rdma/hca")


def test_share_counts_queues_with_gangs_only_and_rounds_down_with_a_grain() -> None:
    """b has no gang: 16 GPUs go to a and c by weight 1 : 2; a third is cut to whole GPUs."""
    cluster = snapshot(
        nodes=[node("n1"), node("n2")],
        gangs=[gang("x"), gang("y", queue="c")],
        pods=[pods("x", 20, spec(1)), pods("y", 20, spec(1))],
        queues=(Queue("a"), Queue("b", weight=50), Queue("c", weight=2)),
    )
    book = QueueBook(cluster, policy(cluster, queue_model="proportion"))
    assert [book.limit(name, GPU) for name in "abc"] == [5, 0, 10]
    assert float(book.share("a", GPU)) * 3 == 16


def test_pods_of_a_missing_podgroup_ask_for_nothing() -> None:
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[gang("x"), gang("lost", queue="b", missing_group=True)],
        pods=[pods("x", 20, spec(1)), pods("lost", 20, spec(1))],
        queues=(Queue("a"), Queue("b")),
    )
    book = QueueBook(cluster, policy(cluster, queue_model="proportion"))
    assert [book.limit(name, GPU) for name in "ab"] == [8, 0]
