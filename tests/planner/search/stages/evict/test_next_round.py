"""No undoing, judged by the search: who could come back, and at whose expense."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.queues import Queue
from models.resources import CPU, PODS, Resources
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.encode.prepared import Prepared
from planner.encode.victims.victims import possible_victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.pod_placements import placements
from planner.search.stages.evict.next_round import NextRound
from planner.testing.by_hand import Work, gpu_node, snapshot_of, work
from planner.testing.problems import prepared_of
from planner.testing.random_nodes import GPU


def _of(name: str, queue: str, gpus: int, cpus: int, *nodes: str) -> Work:
    one = work(name, queue=queue, nodes=nodes)
    spec = PodSpec(request=Resources({CPU: 1000 * cpus, GPU: gpus}), scheduler_name="volcano")
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


def _cluster(newcomer: Work) -> Snapshot:
    """One node of 8 GPUs and 8 CPUs, deserved (4, 4) each; a gang (5, 3) of queue a runs."""
    half = Resources({GPU: 4, CPU: 4000})
    node = replace(
        gpu_node("n1", 8), allocatable=Resources({GPU: 8, CPU: 8000, PODS: 110, "memory": 1 << 30})
    )
    queues = (Queue("a", deserved=half), Queue("b", deserved=half))
    return snapshot_of(node, *queues, _of("v", "a", 5, 3, "n1"), newcomer)


def _returning(prepared: Prepared, name: str) -> dict[str, frozenset[str]]:
    problem = prepared.problem
    victims = possible_victims(prepared)
    assert victims is not None
    gangs = {problem.gang_names[one.gang]: at for at, one in enumerate(problem.demands)}
    plan = Assignment({gangs[name]: {0: [(0, 1)]}}, ("ml/v-0",))
    assert placements(problem, plan)
    return dict(NextRound(prepared, victims).returning(plan))


@pytest.mark.parametrize(
    ("newcomer", "back"),
    [
        (_of("w", "b", 4, 5), {"ml/v": frozenset({"ml/w"})}),  # b is above 4 CPUs then
        (_of("w", "b", 4, 4), {}),
    ],
)
def test_two_queues_do_not_reclaim_from_each_other(
    newcomer: Work, back: dict[str, frozenset[str]]
) -> None:
    prepared = prepared_of(_cluster(newcomer), evict=("reclaim",))
    assert _returning(prepared, "ml/w") == back


def test_a_gang_of_higher_priority_is_not_evicted_by_the_one_it_evicted() -> None:
    newcomer = replace(_of("w", "a", 4, 5), gang=replace(_of("w", "a", 4, 5).gang, priority=9))
    prepared = prepared_of(_cluster(newcomer), evict=("preempt",))
    assert _returning(prepared, "ml/w") == {}
