"""Distinct pods of a snapshot, and the numbers of the problem made from them."""

from __future__ import annotations

from dataclasses import replace

from models.queues import NodeGroupRules
from models.resources import Resources
from models.selectors import Taint, Toleration
from models.workloads import Pod
from planner.encode.predicates import NODE_GROUP_LABEL
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import prepared_of

GPU = "nvidia.com/gpu"


def _tolerant(one: Work) -> Work:
    pods = tuple(
        replace(pod, spec=replace(pod.spec, tolerations=(Toleration("team", "Exists"),)))
        for pod in one.pods
    )
    return replace(one, pods=pods)


def test_equal_pods_of_different_gangs_and_queues_are_one_shape() -> None:
    works = (work("x", 3, 2), work("y", 1, 2, queue="p"), work("z", 1, 4))
    problem = prepared_of(
        snapshot_of(gpu_node("n1"), gpu_queue("q"), gpu_queue("p"), *works)
    ).problem
    assert problem.dimensions == ("cpu", GPU, "pods")
    assert sorted(map(tuple, problem.requests.tolist())) == [(1000, 2, 1), (1000, 4, 1)]
    assert sorted(problem.shape_gpus.tolist()) == [2, 4]


def test_pods_that_other_nodes_admit_are_other_shapes() -> None:
    closed = replace(gpu_node("n2"), taints=(Taint("team", "NoSchedule"),))
    works = (work("x", 1, 2), _tolerant(work("y", 1, 2)))
    problem = prepared_of(snapshot_of(gpu_node("n1"), closed, gpu_queue("q"), *works)).problem
    assert sorted(map(tuple, problem.admits.tolist())) == [(True, False), (True, True)]


def test_node_groups_of_the_queue_make_shapes_only_where_the_plugin_is_on() -> None:
    node = replace(gpu_node("n1"), labels={NODE_GROUP_LABEL: "gold"})
    queues = (
        replace(gpu_queue("q"), node_groups=NodeGroupRules(required=("gold",))),
        gpu_queue("p"),
    )
    snapshot = snapshot_of(node, *queues, work("x", 1), work("y", 1, queue="p"))
    assert len(prepared_of(snapshot).problem.requests) == 1
    bound = prepared_of(snapshot, nodegroup=True).problem
    assert sorted(bound.admits[:, 0].tolist()) == [False, True]


def test_room_is_what_every_pod_on_the_node_leaves_and_never_negative() -> None:
    running = work("r", 2, 3, nodes=("n1", "n1"))
    leaving = tuple(replace(pod, terminating=True) for pod in running.pods[:1])
    base = snapshot_of(
        gpu_node("n1", 8), gpu_node("n2", 2), gpu_queue("q"), running, work("x", 1, 1)
    )
    spec = replace(running.pods[0].spec, request=Resources({GPU: 5}))
    other = Pod("web", "w", spec, node="n2", phase="Running")
    done = Pod("web", "done", spec, node="n1", phase="Succeeded")
    pods = (*leaving, *base.pods[1:], other, done)
    problem = prepared_of(replace(base, pods=pods)).problem
    gpus = problem.dimensions.index(GPU)
    assert problem.free[:, gpus].tolist() == [2, 0]
    assert problem.free[:, -1].tolist() == [108, 109]
    assert problem.node_has_gpu_pods.tolist() == [True, True]
    assert problem.node_gpus.tolist() == [8, 2]


def test_queue_rooms_are_limits_less_use_and_never_negative() -> None:
    running = work("r", 2, 3, nodes=("n1", "n1"))
    queues = (gpu_queue("q", capability=4), gpu_queue("p", capability=7))
    problem = prepared_of(
        snapshot_of(gpu_node("n1"), *queues, running, work("x", 1), work("y", 1, queue="p"))
    ).problem
    gpus = problem.dimensions.index(GPU)
    rooms = {problem.queue_names[q]: int(room[gpus]) for q, room in problem.queue_room.items()}
    assert rooms == {"q": 0, "p": 7}
    assert all(room[-1] == -1 for room in problem.queue_room.values())


def test_deserved_gpus_are_thousandths_of_queues_that_hold_gangs() -> None:
    snapshot = snapshot_of(
        gpu_node("n1"),
        gpu_queue("a", deserved=3),
        gpu_queue("b", deserved=2),
        gpu_queue("none"),
        work("x", 1, queue="a"),
        work("y", 1, queue="none"),
    )
    problem = prepared_of(snapshot).problem
    named = {problem.queue_names[q]: n for q, n in problem.deserved_milli_gpus.items()}
    assert named == {"a": 3000}
    thirds = snapshot_of(
        gpu_node("n1"),
        *(gpu_queue(name) for name in "abc"),
        *(work(f"x{name}", 9, queue=name) for name in "abc"),
    )
    shares = prepared_of(thirds, queue_model="proportion").problem.deserved_milli_gpus
    assert set(shares.values()) == {2666}


def test_a_snapshot_without_work_has_no_shape() -> None:
    prepared = prepared_of(snapshot_of(gpu_node("n1"), gpu_queue("q")))
    assert prepared.problem.requests.shape == (0, 1)
    assert prepared.problem.admits.shape == (0, 1)
    assert prepared.problem.demands == ()
