"""Cases in which several rules meet: decisions known by hand, the enumeration, the verifier and the outside checker."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.effective import EffectivePolicy, resolve_policy
from models.plan import PlanResult
from models.policy import Policy
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.testing import mixed_cases, mixed_policies
from planner.testing.kube_objects import kube_objects
from planner.testing.mixed_parts import CASES, Mixed
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.usecases.planning import make_plan

Check = Callable[[Snapshot, EffectivePolicy, PlanResult], list[str]]
MODULES = (mixed_cases, mixed_policies)  # importing them registers their cases
EVICT = ((), ("preempt",), ("reclaim",), ("preempt", "reclaim"))


def _policy(case: Mixed, **other: object) -> EffectivePolicy:
    keys = {"queue_model": "capacity", "hierarchy": False, **case.policy, **other}
    return resolve_policy(case.snapshot, Policy.model_validate(keys))


def _plan(case: Mixed, policy: EffectivePolicy) -> PlanResult:
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    return make_plan(case.snapshot, policy, limits, guard=False)


@pytest.fixture(scope="module")
def check(shared: Path) -> Check:
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

    def violations(snapshot: Snapshot, policy: EffectivePolicy, plan: PlanResult) -> list[str]:
        document: dict[str, Any] = json.loads(plan.model_dump_json(by_alias=True))
        checked = CheckedSnapshot(kube_objects(snapshot))
        keys = CheckedPolicy(
            queue_model=policy.queue_model,
            hierarchy=policy.hierarchy,
            evict=list(policy.evict),
            ancestor_reclaim_level=policy.policy.ancestor_reclaim_level,
            pdb=policy.pdb,
            nodegroup=policy.nodegroup,
            revocable_zones=dict(policy.policy.revocable_zones or {}) or None,
            now=policy.now,
        )
        situation = CheckedSituation(checked, keys, plan_from_document(checked, document))
        found = [*invariant_violations(situation), *check_document(document, situation)]
        return [str(one) for one in found]

    return violations


@pytest.mark.parametrize("name", CASES)
def test_decisions_are_those_worked_out_by_hand(name: str) -> None:
    case = CASES[name]()
    decided = {entry.name: entry.decision for entry in _plan(case, _policy(case)).gangs}
    assert {gang: decided[gang] for gang in case.decisions} == case.decisions


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_the_enumeration(name: str) -> None:
    case = CASES[name]()
    for evict in EVICT:
        policy = _policy(case, evict=evict)
        plan = _plan(case, policy)
        assert plan.verification is not None
        assert plan.verification.violations == (), evict
        assert disagreements(plan.certificate.tiers, best_vector(case.snapshot, policy)) == [], (
            evict
        )


@pytest.mark.parametrize("name", CASES)
def test_the_outside_checker_accepts_the_plans(name: str, check: Check) -> None:
    case = CASES[name]()
    for evict in EVICT:
        for model in ("capacity", "proportion"):
            if model == "proportion" and case.policy.get("hierarchy"):
                continue
            policy = _policy(case, evict=evict, queue_model=model)
            assert check(case.snapshot, policy, _plan(case, policy)) == [], (evict, model)
