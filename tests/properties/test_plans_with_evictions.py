"""Plans with evictions on random snapshots: as good as the enumeration, and accepted by the conformance checker."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.testing.kube_objects import kube_objects
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import RandomCase
from planner.usecases.planning import make_plan


def _plan(case: RandomCase) -> PlanResult:
    return make_plan(case.snapshot, case.policy, Limits(time_limit_s=20), guard=False)


@pytest.mark.parametrize("batch", range(4))
def test_plans_are_as_good_as_the_enumeration(batch: int) -> None:
    evicting = 0
    for seed in range(batch * 12, batch * 12 + 12):
        case = evicting_case(seed)
        plan = _plan(case)
        best = best_vector(case.snapshot, case.policy)
        assert disagreements(plan.certificate.tiers, best) == [], case.name
        evicting += plan.summary.pods_evicted > 0
    assert evicting


def test_a_gang_that_becomes_ready_is_a_newcomer_with_all_its_pods() -> None:
    """Also where it may not preempt: a gang given up could take a surplus pod of it, so that the plan were undone."""
    case = evicting_case(60028)
    best = best_vector(case.snapshot, case.policy)
    assert disagreements(_plan(case).certificate.tiers, best) == [], case.name


@pytest.mark.parametrize("batch", range(3))
def test_the_checker_accepts_every_eviction(batch: int, shared: Path) -> None:
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
    for seed in range(1000 + batch * 12, 1012 + batch * 12):
        case = evicting_case(seed)
        document: dict[str, Any] = json.loads(_plan(case).model_dump_json(by_alias=True))
        snapshot = CheckedSnapshot(kube_objects(case.snapshot))
        policy = CheckedPolicy(
            queue_model=case.policy.queue_model,
            hierarchy=case.policy.hierarchy,
            evict=list(case.policy.evict),
            ancestor_reclaim_level=case.policy.policy.ancestor_reclaim_level,
            pdb=case.policy.pdb,
            nodegroup=case.policy.nodegroup,
            revocable_zones=dict(case.policy.policy.revocable_zones or {}) or None,
            now=case.policy.now,
        )
        situation = CheckedSituation(snapshot, policy, plan_from_document(snapshot, document))
        found = [*invariant_violations(situation), *check_document(document, situation)]
        assert [str(one) for one in found] == [], case.name
