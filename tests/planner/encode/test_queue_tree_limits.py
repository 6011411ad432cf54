"""Limits and entitlements in a queue tree, by hand and against the verifier's own code."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from models.effective import resolve_policy
from models.policy import Policy
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from planner.encode.queue_limits import QueueLimits
from planner.testing.by_hand import gpu_node
from planner.verify.queue_limits import QueueBook

GPU = "nvidia.com/gpu"
NAMES = ("a", "b", "c", "d", "e")
RESOURCES = ("cpu", "memory", GPU, "rdma/x")


def snapshot(*queues, gpus=16):
    return Snapshot(nodes=(gpu_node("n", gpus),), queues=queues)


def policy(cluster):
    keys = {"queue_model": "capacity", "hierarchy": True}
    return resolve_policy(cluster, Policy.model_validate(keys))


def limits(*queues):
    cluster = snapshot(*queues)
    return QueueLimits(cluster, policy(cluster))


def queue(name, parent="", **amounts):
    return Queue(
        name, parent=parent, **{key: Resources({GPU: gpus}) for key, gpus in amounts.items()}
    )


def test_a_missing_capability_comes_from_the_nearest_ancestor_that_has_one():
    found = limits(
        queue("lab", capability=8), queue("team", "lab"), queue("user", "team"), queue("other")
    )
    assert found.limit("user", GPU) == 8
    assert found.limit("other", GPU) is None


def test_a_capability_above_the_ancestors_is_cut_to_it():
    found = limits(queue("lab", capability=8), queue("user", "lab", capability=12))
    assert found.limit("user", GPU) == 8


def test_guarantees_of_siblings_are_held_back_and_the_own_one_is_not():
    found = limits(
        queue("lab", capability=10),
        queue("a", "lab", guarantee=3),
        queue("b", "lab", guarantee=2),
        queue("c", "lab"),
        queue("elsewhere", guarantee=9),
    )
    assert [found.limit(name, GPU) for name in "abc"] == [8, 7, 5]


def test_guarantees_beyond_the_parent_leave_everyone_its_own():
    found = limits(
        queue("lab", capability=4),
        queue("a", "lab", guarantee=3),
        queue("b", "lab", guarantee=3),
        queue("c", "lab"),
    )
    assert [found.limit(name, GPU) for name in "abc"] == [3, 3, 0]


def test_the_root_is_unlimited_unless_it_has_a_capability():
    assert limits(queue("a")).limit("a", GPU) is None
    assert limits(queue("root", capability=5), queue("a")).limit("a", GPU) == 5


def test_deserved_is_cut_to_the_limit_and_lifted_to_the_guarantee():
    found = limits(queue("lab", capability=4), queue("a", "lab", deserved=9, guarantee=1))
    assert found.deserved("a", GPU) == 4
    small = limits(queue("lab", capability=4), queue("a", "lab", deserved=1, guarantee=2))
    assert small.deserved("a", GPU) == 2


def test_only_leaves_below_the_root_take_work():
    found = limits(queue("lab"), queue("a", "lab"), queue("lost", "nowhere"), queue("root"))
    assert "has child queues" in found.closed_because("lab")
    assert found.closed_because("a") == ""
    assert "does not exist" in found.closed_because("lost")


@st.composite
def trees(draw):
    amounts = st.dictionaries(st.sampled_from(RESOURCES), st.integers(0, 20), max_size=4)
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    queues = [
        Queue(
            name,
            parent=draw(st.sampled_from(["", "root", *names[:place]])),
            capability=Resources(draw(amounts)),
            deserved=Resources(draw(amounts)),
            guarantee=Resources(draw(amounts)),
        )
        for place, name in enumerate(names)
    ]
    if draw(st.booleans()):
        queues.append(Queue("root", capability=Resources(draw(amounts))))
    return snapshot(*queues)


@settings(max_examples=80, deadline=None)
@given(trees())
def test_agrees_with_the_limits_that_the_verifier_computes_itself(cluster):
    ours, theirs = QueueLimits(cluster, policy(cluster)), QueueBook(cluster, policy(cluster))
    for one in cluster.queues:
        assert bool(ours.closed_because(one.name)) == bool(theirs.why_closed(one.name))
        for resource in RESOURCES:
            assert ours.limit(one.name, resource) == theirs.limit(one.name, resource)
            assert ours.deserved(one.name, resource) == theirs.deserved(one.name, resource)
