"""Small clusters of pods without GPUs are packed and proved."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from benchmarks.small_clusters import Shape, instance
from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.planning import make_plan


def _plan(
    folder: Path, shape: Shape, seed: int, *, deterministic: bool = False, seconds: float = 10.0
) -> PlanResult:
    path = folder / "cluster.json"
    path.write_text(json.dumps(instance(Random(seed), shape)), "utf-8")
    given = read_checked([path])
    limits = Limits(time_limit_s=seconds, workers=1, deterministic=deterministic)
    return make_plan(given.snapshot, given.policy, limits, guard=False, fixes=False)


@pytest.mark.parametrize("usage", [0.90, 1.05])
def test_a_small_cluster_is_proved_in_every_tier(tmp_path: Path, usage: float) -> None:
    plan = _plan(tmp_path, Shape(4, 8, 2, usage), 3)
    assert [tier.name for tier in plan.certificate.tiers if tier.bound != tier.value] == []
    assert plan.certificate.status == "OPTIMAL"
    assert plan.baseline is not None
    assert plan.summary.gangs_started >= plan.baseline.gangs_started
    assert "solve.packing" in plan.certificate.stage_seconds()
    assert not plan.verification.violations


def test_all_pods_never_fit_where_they_ask_for_all_there_is(tmp_path: Path) -> None:
    plan = _plan(tmp_path, Shape(8, 4, 1, 1.00), 1)
    tiers = {tier.name: tier for tier in plan.certificate.tiers}
    assert tiers["covered.1.gangs"].bound < 32
    assert plan.summary.gangs_started < 32


def test_counted_work_gives_one_plan(tmp_path: Path) -> None:
    shape = Shape(8, 8, 4, 1.05)
    one, other = (_plan(tmp_path, shape, 5, deterministic=True) for _ in range(2))
    assert one.gangs == other.gangs
    assert one.certificate.tiers == other.certificate.tiers


def test_what_packing_leaves_open_is_not_searched_again(tmp_path: Path) -> None:
    plan = _plan(tmp_path, Shape(32, 8, 1, 1.00), 2, seconds=0.4)
    open_tiers = [tier.name for tier in plan.certificate.tiers if tier.bound != tier.value]
    assert open_tiers == ["covered.1.gangs"]
    assert "solve.solve" not in plan.certificate.stage_seconds()
    assert plan.certificate.status == "FEASIBLE"
    assert plan.baseline is not None
    assert plan.summary.gangs_started >= plan.baseline.gangs_started


@pytest.mark.parametrize("seed", [75, 267])
def test_one_more_pod_is_refuted_where_it_would_leave_next_to_nothing(
    tmp_path: Path, seed: int
) -> None:
    # 124 of 128 pods have room by their sums, but no nodes are filled so full by those that may be left out.
    plan = _plan(tmp_path, Shape(32, 4, 1, 1.05), seed)
    assert [tier.name for tier in plan.certificate.tiers if tier.bound != tier.value] == []
    assert plan.summary.gangs_started == 123
