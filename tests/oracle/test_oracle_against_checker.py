"""The oracle against the conformance checker: every placement of every pod, judged one by one."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from models.resources import Resources
from planner.testing.kube_objects import kube_objects
from planner.testing.oracle.best_vector import best_deliveries
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.start_tiers import StartTiers, as_score
from planner.testing.oracle.tail_tiers import tail_values
from planner.testing.random_nodes import GPU, SECOND_GPU
from planner.testing.random_snapshots import RandomCase, random_case

MOST_PLACEMENTS = 300


@pytest.fixture(scope="session")
def checker(shared: Path) -> SimpleNamespace:
    tools = shared / "tools"
    if not (tools / "casecheck").is_dir():
        pytest.skip("the conformance checker beside the checkout is absent")
    sys.path.insert(0, str(tools))
    try:
        from casecheck import model, nodes, runner, situation, volcano_queues
    finally:
        sys.path.remove(str(tools))
    return SimpleNamespace(
        Snapshot=model.Snapshot,
        Policy=situation.Policy,
        Plan=situation.Plan,
        Situation=situation.Situation,
        is_ready=situation.is_ready,
        violations=runner.invariant_violations,
        placeable=nodes.why_not_placeable,
        closed=nodes.why_node_closed,
        QueueModel=volcano_queues.QueueModel,
    )


@dataclass(frozen=True)
class _Pending:
    gang: Any
    pod: Any
    role: str
    nodes: tuple[str, ...]


def _checked(checker: SimpleNamespace, case: RandomCase) -> tuple[Any, Any]:
    policy = checker.Policy(
        queue_model=case.policy.queue_model,
        hierarchy=case.policy.hierarchy,
        nodegroup=case.policy.nodegroup,
        revocable_zones=dict(case.policy.policy.revocable_zones or {}) or None,
        now=case.policy.now,
    )
    return checker.Snapshot(kube_objects(case.snapshot)), policy


def _pending(checker: SimpleNamespace, snapshot: Any, policy: Any) -> list[_Pending]:
    empty = checker.Situation(snapshot, policy, checker.Plan())
    found = []
    for gang in snapshot.gangs:
        for pod in gang.pods:
            if not checker.placeable(pod, empty):
                doors = tuple(n for n in snapshot.nodes if not checker.closed(pod, n, empty))
                found.append(_Pending(gang, pod, pod.role, doors))
        for role in gang.templates:
            to_come = _Pending(gang, None, role, tuple(snapshot.nodes))
            found += [to_come] * gang.missing(role)
    return found


def _legal(
    checker: SimpleNamespace, snapshot: Any, policy: Any, pods: list[_Pending]
) -> Iterator[Any]:
    for chosen in itertools.product(*((None, *pod.nodes) for pod in pods)):
        plan = checker.Plan()
        for pod, node in zip(pods, chosen, strict=True):
            if node and pod.pod is not None:
                plan.placed[pod.pod] = node
            elif node:
                plan.place_new(pod.gang, pod.role, node, 1)
        state = checker.Situation(snapshot, policy, plan)
        if not checker.violations(state):
            yield state


def _empty_gpus(state: Any) -> int:
    busy = {node for pod, node in state.location.items() if _gpus(pod.spec.request)}
    pods = state.snapshot.pods.values()
    busy |= {pod.node for pod in pods if pod.holds_node and _gpus(pod.spec.request)}
    return sum(_gpus(n.allocatable) for n in state.snapshot.nodes.values() if n.name not in busy)


def _gpus(amounts: dict[str, int]) -> int:
    return Resources(amounts).amount(GPU) + Resources(amounts).amount(SECOND_GPU)


@pytest.mark.parametrize("batch", range(4))
def test_the_best_of_all_placements_is_what_the_oracle_says(
    batch: int, checker: SimpleNamespace
) -> None:
    tried = 0
    for seed in range(batch * 40, batch * 40 + 40):
        case = random_case(seed)
        snapshot, policy = _checked(checker, case)
        pods = _pending(checker, snapshot, policy)
        if prod(1 + len(pod.nodes) for pod in pods) > MOST_PLACEMENTS:
            continue
        tried += 1
        situation = Situation(case.snapshot, case.policy)
        tiers = StartTiers(situation)
        sets, best = set(), None
        for state in _legal(checker, snapshot, policy, pods):
            started = frozenset(
                gang.name for gang in state.placed_by_gang if gang.name in situation.waiting
            )
            sets.add(started)
            beyond: Counter[int] = Counter()
            for gang, placed in state.placed_by_gang.items():
                beyond[tiers.ranks[gang.name]] += (
                    len(placed) - situation.views[gang.name].least_pods
                )
            score = (as_score(tiers.values(started, beyond)), _empty_gpus(state))
            best = score if best is None else max(best, score)
        values, deliveries = best_deliveries(situation, tiers)
        assert sets == set(situation.startable_sets()), case.name
        assert best == (as_score(values), tail_values(situation, deliveries)["packing"]), case.name
    assert tried >= 3


@pytest.mark.parametrize("batch", range(3))
def test_limits_entitlements_and_readiness_agree(batch: int, checker: SimpleNamespace) -> None:
    for seed in range(500 + batch * 50, 550 + batch * 50):
        case = random_case(seed)
        situation = Situation(case.snapshot, case.policy)
        snapshot, policy = _checked(checker, case)
        model = checker.QueueModel(snapshot, policy)
        for queue, name in itertools.product(case.snapshot.queues, case.snapshot.total):
            limit = situation.shares.limit(queue.name, name)
            wanted = model.limit(queue.name, name)
            assert (limit is None) == (wanted == float("inf")), case.name
            assert limit is None or abs(limit - wanted) < 1e-3, case.name
            deserved = situation.shares.deserved(queue.name, name)
            assert abs(deserved - model.deserved(queue.name, name)) < 1e-3, case.name
        assert {name: view.ready for name, view in situation.views.items()} == {
            gang.name: checker.is_ready(gang, [pod for pod in gang.pods if pod.running])
            for gang in snapshot.gangs
        }, case.name
