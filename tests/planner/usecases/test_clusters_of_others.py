"""Clusters that this project did not make: what once was thrown away, refused or broke a limit on them."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.usecases.inputs.checked_input import CheckedInput, read_checked
from planner.usecases.inputs.plan_documents import read_plan
from planner.usecases.planning import make_plan

SHARED = Path(__file__).resolve().parents[4] / "shared"
FAULTS, GENERATOR = SHARED / "cases" / "faults", SHARED / "tools" / "gen_snapshot.py"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not GENERATOR.exists(), reason="the generator is not beside the checkout"),
]
LIMITS = Limits(5.0, workers=1, deterministic=True)


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gen_snapshot", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _given(folder: Path, options: str, **policy: Any) -> CheckedInput:
    """A generated cluster under queue model capacity."""
    file, keys = folder / "snapshot.json", folder / "policy.yaml"
    keys.write_text(json.dumps({"queue_model": "capacity", "evict": [], **policy}))
    before = sys.argv
    try:
        sys.argv = ["gen_snapshot", *options.split(), str(file)]
        _generator().main()
    finally:
        sys.argv = before
    return read_checked([file], policy_file=keys, assignments=())


def _plan(given: CheckedInput, limits: Limits = LIMITS, **more: Any) -> PlanResult:
    plan = make_plan(given.snapshot, given.policy, limits, guard=False, fixes=False, **more)
    assert plan.violations == ()
    return plan


def _tier(plan: PlanResult, name: str) -> int:
    return next(one.value for one in plan.certificate.tiers if one.name == name)


@pytest.mark.slow
def test_no_limit_of_a_queue_is_broken(tmp_path: Path) -> None:
    """The plan used 1,566 GPUs of a queue with a limit of 1,564 and was withheld."""
    options = "--nodes 2500 --gangs 1000 --queues 20 --busy 0.5 --seed 70613"
    refused: list[PlanResult] = []
    _plan(_given(tmp_path, options), on_refused=refused.append, baseline=False)
    assert refused == []


@pytest.mark.slow
def test_a_gang_that_its_own_queue_keeps_out_does_not_cost_the_plan(tmp_path: Path) -> None:
    """One gang of 32 GPUs was missing from the rounded plan, and 1,620 GPUs stayed open."""
    options = "--nodes 2500 --gangs 1000 --queues 20 --busy 0.5 --seed 512"
    plan = _plan(_given(tmp_path, options), baseline=False)
    assert _tier(plan, "covered.2.gpus") >= 3_034
    assert plan.summary.gpus_after > 18_423


def test_what_is_left_of_a_plan_does_not_replace_a_better_one(tmp_path: Path) -> None:
    """The first tier was 1,125 although the greedy plan had 44, its bound."""
    options = "--nodes 40 --gangs 24 --queues 4 --leaf 8 --spine 3 --seed 711 --busy 0.85 --flat"
    given = _given(tmp_path, options, evict=["preempt", "reclaim"])
    plan = _plan(given, Limits(1.5, workers=1, deterministic=True))
    assert _tier(plan, "covered.1.shortfall") == 44


def test_an_earlier_plan_of_the_same_cluster_is_never_lost() -> None:
    """It was withheld, because pods that went back to their nodes left room for a gang."""
    given = read_checked([FAULTS / "snap500.json.gz"], policy_file=None, assignments=())
    earlier = read_plan(FAULTS / "plan500.json.gz")
    refused: list[PlanResult] = []
    plan = _plan(given, previous=earlier, on_refused=refused.append, baseline=False)
    assert refused == []
    assert plan.summary.gpus_after >= earlier.summary.gpus_after
    assert plan.summary.gangs_started >= earlier.summary.gangs_started
