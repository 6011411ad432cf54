"""The same input and seed give the same document."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import generate, write
from benchmarks.spec import ClusterSpec
from models.plan import PlanResult
from models.readers import read_snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import gpu_node, gpu_queue, shares, snapshot_of
from planner.testing.problems import policy_of
from planner.testing.random_snapshots import policy_for, random_case
from planner.usecases.planning import make_plan


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_seconds(one)
            for key, one in value.items()
            if key not in ("seconds", "stages")
        }
    if isinstance(value, list):
        return [_without_seconds(one) for one in value]
    return value


def _document(plan: PlanResult) -> str:
    return json.dumps(_without_seconds(json.loads(plan.model_dump_json(by_alias=True))))


@pytest.mark.parametrize(("seed", "size"), [(5000, "tiny"), (5001, "tiny"), (3, "small")])
def test_planning_twice_gives_the_same_document(
    seed: int, size: str, plan_of: Callable[..., PlanResult]
) -> None:
    case = random_case(seed, size)
    first = plan_of(case.snapshot, case.policy, seed=1)
    assert _document(plan_of(case.snapshot, case.policy, seed=1)) == _document(first)


def _open_tiers(plan: PlanResult) -> list[str]:
    return [one.name for one in plan.certificate.tiers if one.bound != one.value]


def test_a_limit_that_bites_gives_the_same_document_with_evictions(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    write(generate(ClusterSpec(nodes=24, gangs=24, queues=4)), path)
    snapshot = read_snapshot([path])
    policy = policy_for(snapshot, "capacity", evict=("preempt", "reclaim"))
    limits = Limits(time_limit_s=1.0, workers=1, deterministic=True)
    plans = [make_plan(snapshot, policy, limits, guard=False, baseline=False) for _ in range(2)]
    assert _open_tiers(plans[0])
    assert plans[0].summary.pods_evicted
    assert _document(plans[0]) == _document(plans[1])


def test_a_limit_that_bites_gives_the_same_document_with_shared_cards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second run is on a machine fifty times slower, as its clock says."""
    nodes = [gpu_node(f"n{i}", 4 - 2 * (i % 2), cpu_milli=3000 + 500 * (i % 7)) for i in range(30)]
    sizes = (250, 300, 350, 400, 450, 550, 600, 650, 700)
    gangs = [shares(f"g{i:03}", 1 + i % 3, sizes[i * 7 % 9]) for i in range(150)]
    snapshot = snapshot_of(gpu_queue("q"), *nodes, *gangs)
    limits = Limits(time_limit_s=0.3, workers=1, deterministic=True)
    policy, clock = policy_of(snapshot), time.perf_counter
    first = make_plan(snapshot, policy, limits, guard=False, baseline=False)
    monkeypatch.setattr("time.perf_counter", lambda: 50 * clock())
    second = make_plan(snapshot, policy, limits, guard=False, baseline=False)
    assert _open_tiers(first)
    assert _document(second) == _document(first)
