from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from models.cluster import Node
from models.queues import Queue
from models.resources import CPU, MEMORY, Resources
from planner.testing.by_hand import gpu_node, gpu_queue, work
from planner.testing.random_nodes import GIB, GPU

Explain = Callable[..., dict[str, dict]]
NODES = (gpu_node("n1"), gpu_node("n2"))


def test_a_limit_that_leaves_too_little_is_named_with_its_numbers(explain: Explain) -> None:
    running = work("old", pods=1, gpus=3, nodes=("n1",))
    found = explain(*NODES, gpu_queue("q", capability=4), running, work("new", pods=2, gpus=1))
    assert set(found["new"]) == {"quota"}
    reason = found["new"]["quota"]
    assert reason.message == "needs 2 GPUs; queue q has 1 of 4 GPUs left (3 GPUs in use)"
    row = {"queue": "q", "dimension": GPU, "need": 2, "limit": 4, "used": 3, "left": 1}
    assert reason.data["limits"] == [row]


def test_a_limit_that_leaves_just_enough_is_no_reason(explain: Explain) -> None:
    running = work("old", pods=1, gpus=3, nodes=("n1",))
    found = explain(
        *NODES, gpu_queue("q", capability=4), running, work("new", gpus=1), start=("new",)
    )
    assert found == {}


def test_after_the_plan_the_limit_counts_what_starts(explain: Explain) -> None:
    queue = gpu_queue("q", capability=4)
    found = explain(*NODES, queue, work("a", gpus=3), work("b", gpus=2, created=1), start=("a",))
    reason = found["b"]["quota"]
    assert "queue q has 1 of 4 GPUs left (3 GPUs for pods that start now)" in reason.message
    assert reason.data["limits"][0]["starting"] == 3
    assert "cluster_capacity" not in found["b"]
    assert "fragmentation" not in found["b"]


def test_more_than_the_limit_is_never(explain: Explain) -> None:
    found = explain(*NODES, gpu_queue("q", capability=4), work("new", pods=5, gpus=1))
    assert set(found["new"]) == {"quota_never"}
    assert found["new"]["quota_never"].message == (
        "needs 5 GPUs; queue q may use 4 GPUs at most, whatever else ends"
    )
    assert found["new"]["quota_never"].data["limits"][0]["ceiling"] == 4


def test_exactly_the_limit_is_not_never(explain: Explain) -> None:
    running = work("old", pods=1, gpus=1, nodes=("n1",))
    found = explain(*NODES, gpu_queue("q", capability=4), running, work("new", pods=4, gpus=1))
    assert set(found["new"]) == {"quota"}


def test_pods_that_the_gang_holds_count_towards_never(explain: Explain) -> None:
    """Two of its three pods run, so that its own use never ends before it is ready."""
    half = work("new", pods=3, gpus=2, nodes=("n1", "n1"))
    found = explain(*NODES, gpu_queue("q", capability=5), half)
    assert set(found["new"]) == {"quota_never"}
    assert "beside the 4 GPUs it holds" in found["new"]["quota_never"].message


def test_two_dimensions_of_one_queue_stand_in_one_sentence(explain: Explain) -> None:
    queue = Queue("q", capability=Resources({GPU: 4, CPU: 2500}))
    running = work("old", pods=2, gpus=1, nodes=("n1", "n1"))
    found = explain(*NODES, queue, running, work("new", pods=1, gpus=3), work("cpu", 1, 0))
    assert set(found["new"]) == {"quota"}
    message = found["new"]["quota"].message
    assert "needs 3 GPUs and 1 CPU; queue q has 2 of 4 GPUs left" in message
    assert "0.5 of 2.5 CPUs left (2 CPUs in use)" in message


def test_a_parent_queue_is_named_as_such(explain: Explain) -> None:
    parent = gpu_queue("p", capability=4)
    leaf = replace(gpu_queue("q"), parent="p")
    sister = replace(gpu_queue("s"), parent="p")
    running = work("old", gpus=3, queue="s", nodes=("n1",))
    found = explain(*NODES, parent, leaf, sister, running, work("new", gpus=2), hierarchy=True)
    assert set(found["new"]) == {"quota"}
    assert "parent queue p has 1 of 4 GPUs left" in found["new"]["quota"].message
    assert [row["queue"] for row in found["new"]["quota"].data["limits"]] == ["p"]


def test_a_guarantee_that_makes_the_difference_is_named_with_its_owner(explain: Explain) -> None:
    owner = Queue("owner", guarantee=Resources({GPU: 10}))
    held = work("served", gpus=2, queue="owner", nodes=("n2",))
    found = explain(*NODES, owner, gpu_queue("q"), held, work("new", pods=7, gpus=1))
    assert set(found["new"]) == {"quota_never", "guarantee_reserved"}
    reason = found["new"]["guarantee_reserved"]
    assert "the limit of queue q is 6 GPUs because 10 GPUs are guaranteed to queue owner" in (
        reason.message
    )
    assert "queue owner (10 GPUs, 8 unused)" in reason.message
    assert reason.data["limits"][0]["guarantees"] == {"owner": 10}
    assert reason.data["limits"][0]["limitWithout"] == 16


def test_many_guarantees_are_named_by_what_lies_idle(explain: Explain) -> None:
    owners = [Queue(f"owner{i}", guarantee=Resources({GPU: i})) for i in range(1, 6)]
    found = explain(*NODES, *owners, gpu_queue("q"), work("new", pods=2, gpus=1))
    reason = found["new"]["guarantee_reserved"]
    assert "because 15 GPUs are guaranteed to queue owner5 (5 GPUs, 5 unused), queue owner4" in (
        reason.message
    )
    assert "and 2 more" in reason.message
    assert len(reason.data["limits"][0]["guarantees"]) == 5


def test_a_guarantee_is_no_reason_where_the_capability_binds_too(explain: Explain) -> None:
    owner = Queue("owner", guarantee=Resources({GPU: 10}))
    found = explain(*NODES, owner, gpu_queue("q", capability=6), work("new", pods=7, gpus=1))
    assert set(found["new"]) == {"quota_never"}


def test_the_own_guarantee_is_no_reason(explain: Explain) -> None:
    own = Queue("q", guarantee=Resources({GPU: 10}))
    found = explain(*NODES, own, work("new", pods=7, gpus=1), start=("new",))
    assert found == {}


def test_a_siblings_guarantee_counts_in_the_tree(explain: Explain) -> None:
    parent = gpu_queue("p", capability=8)
    sister = Queue("s", parent="p", guarantee=Resources({GPU: 4}))
    cousin = Queue("c", parent="other", guarantee=Resources({GPU: 2}))
    leaf = replace(gpu_queue("q"), parent="p")
    found = explain(
        *NODES, parent, sister, Queue("other"), cousin, leaf, work("new", gpus=6), hierarchy=True
    )
    assert found["new"]["guarantee_reserved"].data["limits"][0]["guarantees"] == {"s": 4}


def test_a_share_that_other_queues_requests_keep_small_is_quota_and_not_never(
    explain: Explain,
) -> None:
    """Under proportion the share grows as others ask for less: 16 GPUs by weight, 8 each."""
    queues = (Queue("q"), Queue("r"))
    other = work("r", pods=16, gpus=1, queue="r")
    found = explain(*NODES, *queues, other, work("new", pods=2, gpus=5), queue_model="proportion")
    reason = found["new"]["quota"]
    assert "queue q has 8 of its share of 8 GPUs left" in reason.message
    assert "quota_never" not in found["new"]


def test_a_guarantee_lowers_a_share_too(explain: Explain) -> None:
    queues = (Queue("q"), Queue("r", guarantee=Resources({GPU: 10})))
    other = work("r", pods=1, gpus=1, queue="r", nodes=("n1",))
    found = explain(*NODES, *queues, other, work("new", gpus=7), queue_model="proportion")
    assert set(found["new"]) == {"quota_never", "guarantee_reserved"}
    assert found["new"]["guarantee_reserved"].data["limits"][0]["limitWithout"] == 7


def test_a_limit_as_large_as_the_cluster_is_not_the_queues_doing(explain: Explain) -> None:
    running = work("old", gpus=8, nodes=("n1",))
    found = explain(*NODES, gpu_queue("q"), running, work("new", pods=9, gpus=1))
    assert set(found["new"]) == {"cluster_capacity"}


def test_memory_that_rounds_to_the_same_text_is_shown_in_bytes(explain: Explain) -> None:
    queue = Queue("q", capability=Resources({MEMORY: 4 * GIB - 1}))
    gang = work("new", gpus=1)
    request = Resources({CPU: 1000, MEMORY: 4 * GIB, GPU: 1})
    pods = tuple(replace(pod, spec=replace(pod.spec, request=request)) for pod in gang.pods)
    found = explain(*NODES, queue, replace(gang, pods=pods))
    assert f"{4 * GIB:,} bytes memory" in found["new"]["quota_never"].message


def test_a_choice_of_pods_that_no_limit_admits_with_the_nodes(explain: Explain) -> None:
    """Any one pod does: the one with a GPU has a node and no quota, the one without has quota and no node."""
    node = gpu_node("n1", gpus=2, cpu_milli=2000)
    queue = gpu_queue("q", capability=1)
    gang = work("new", pods=2, gpus=2, minimum=1)
    second = replace(gang.pods[1].spec, request=Resources({CPU: 3000}))
    gang = replace(gang, pods=(gang.pods[0], replace(gang.pods[1], spec=second)))
    found = explain(node, queue, gang)
    assert set(found["new"]) == {"quota", "fragmentation"}
    assert "every choice of pods" in found["new"]["quota"].message


def test_no_node_at_all(explain: Explain) -> None:
    nodes: tuple[Node, ...] = ()
    found = explain(*nodes, gpu_queue("q"), work("new", gpus=1))
    assert found["new"]
