"""Limits of thousands of queues: every walk up the tree and every sum of guarantees is made once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from models.effective import EffectivePolicy
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from planner.encode.queue_limits import QueueLimits
from planner.explain.ceilings import Ceilings
from planner.testing.by_hand import gpu_node
from planner.testing.problems import policy_of, prepared_of
from planner.verify.queue_limits import QueueBook

GPU = "nvidia.com/gpu"
MANY = 3000
TREES = pytest.mark.parametrize("hierarchy", [False, True], ids=["flat", "tree"])


@contextmanager
def cpu_seconds(most: float) -> Iterator[None]:
    """A square of so many queues takes tens of seconds; the sums themselves a tenth of one."""
    began = time.process_time()
    yield
    assert time.process_time() - began < most


def many_queues(hierarchy: bool) -> tuple[Snapshot, EffectivePolicy]:
    """Queues with ten children each where there is a tree, each with one GPU guaranteed."""
    one, all_gpus = Resources({GPU: 1}), Resources({GPU: 2 * MANY})
    first = Queue("q0", guarantee=one, capability=all_gpus)
    parents = (f"q{(at - 1) // 10}" if hierarchy else "" for at in range(1, MANY))
    rest = (Queue(f"q{at}", parent=p, guarantee=one) for at, p in enumerate(parents, start=1))
    queues = (first, *rest)
    cluster = Snapshot(nodes=(gpu_node("n", 2 * MANY),), queues=queues)
    return cluster, policy_of(cluster, queue_model="capacity", hierarchy=hierarchy)


@TREES
def test_limits_of_all_queues(hierarchy: bool) -> None:
    cluster, policy = many_queues(hierarchy)
    limits, book = QueueLimits(cluster, policy), QueueBook(cluster, policy)
    names = [queue.name for queue in cluster.queues]
    with cpu_seconds(3):
        ours = [limits.limit(name, GPU) for name in names]
        checked = [book.limit(name, GPU) for name in names]
    assert ours == checked


def test_queues_below_every_queue_of_a_tree() -> None:
    limits = QueueLimits(*many_queues(True))
    with cpu_seconds(3):
        below = {name: limits.below(name) for name in limits.queues}
    assert len(below["q0"]) == MANY
    assert below["q299"] == ("q299", *(f"q{at}" for at in range(2991, MANY)))
    assert below["q2999"] == ("q2999",)
    assert limits.below("absent") == ()


def test_limits_without_the_guarantees_of_others() -> None:
    cluster, _ = many_queues(True)
    ceilings = Ceilings(prepared_of(cluster, queue_model="capacity", hierarchy=True))
    with cpu_seconds(3):
        found = {queue.name: ceilings.unreserved(queue.name, GPU) for queue in cluster.queues}
    assert set(found.values()) == {2 * MANY}
