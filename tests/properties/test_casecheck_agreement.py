"""The conformance checker beside the checkout accepts the plans, and so does the reader its objects."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.testing.kube_objects import kube_objects
from planner.testing.problems import policy_of
from planner.testing.random_gpu_kinds import random_gpu_kinds
from planner.testing.random_preferences import random_preferences
from planner.testing.random_snapshots import RandomCase, random_case

PlanOf = Callable[..., PlanResult]


@pytest.fixture(scope="session")
def check(shared: Path) -> Callable[[RandomCase, PlanResult], list[str]]:
    tools = shared / "tools"
    if not (tools / "casecheck").is_dir():
        pytest.skip("the conformance checker beside the checkout is absent")
    sys.path.insert(0, str(tools))
    try:
        from casecheck.document import check_document, plan_from_document
        from casecheck.model import Snapshot as CheckedSnapshot
        from casecheck.runner import invariant_violations
        from casecheck.situation import Policy as CheckedPolicy
        from casecheck.situation import Situation as CheckedSituation
    finally:
        sys.path.remove(str(tools))

    def violations(case: RandomCase, plan: PlanResult) -> list[str]:
        document: dict[str, Any] = json.loads(plan.model_dump_json(by_alias=True))
        document["verification"] = document.get("verification") or {"violations": []}
        snapshot = CheckedSnapshot(kube_objects(case.snapshot))
        policy = CheckedPolicy(
            queue_model=case.policy.queue_model,
            hierarchy=case.policy.hierarchy,
            nodegroup=case.policy.nodegroup,
            revocable_zones=dict(case.policy.policy.revocable_zones or {}) or None,
            now=case.policy.now,
        )
        parsed = plan_from_document(snapshot, document)
        situation = CheckedSituation(snapshot, policy, parsed)
        found = [*invariant_violations(situation), *check_document(document, situation)]
        return [str(one) for one in found]

    return violations


@pytest.mark.parametrize("batch", range(2))
def test_tiny_plans_pass_the_checker(
    batch: int, plan_of: PlanOf, check: Callable[[RandomCase, PlanResult], list[str]]
) -> None:
    for seed in range(4000 + batch * 20, 4020 + batch * 20):
        case = random_case(seed)
        assert check(case, plan_of(case.snapshot, case.policy)) == [], case.name


@pytest.mark.parametrize("make", [random_gpu_kinds, random_preferences])
def test_plans_with_every_kind_of_gpu_and_with_preferences_pass_the_checker(
    make: Callable[[int], Snapshot],
    plan_of: PlanOf,
    check: Callable[[RandomCase, PlanResult], list[str]],
) -> None:
    for seed in range(200, 220):
        snapshot = make(seed)
        case = RandomCase(f"{make.__name__}-{seed}", snapshot, policy_of(snapshot))
        assert check(case, plan_of(case.snapshot, case.policy)) == [], case.name


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_small_plans_pass_the_checker(
    seed: int, plan_of: PlanOf, check: Callable[[RandomCase, PlanResult], list[str]]
) -> None:
    case = random_case(seed, "small")
    assert check(case, plan_of(case.snapshot, case.policy)) == [], case.name
