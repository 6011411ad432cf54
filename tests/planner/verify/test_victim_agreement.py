"""The verifier and the conformance cases' own checker judge random evictions alike, pod by pod and queue by queue."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from verify_evictions import evicting_export, evicting_plan, evicting_policy

from models.effective import EffectivePolicy, resolve_policy
from models.plan import PlanResult, RuleViolation
from models.policy import Policy
from models.readers import read_snapshot
from models.rules import RuleId
from models.snapshot import Snapshot
from planner.verify.check import verify
from planner.verify.document_gangs import fitting_decisions
from planner.verify.standing import RankedState

_TOOLS = Path(__file__).resolve().parents[3].parent / "shared" / "tools"
pytestmark = pytest.mark.skipif(
    not (_TOOLS / "casecheck").is_dir(), reason="the conformance checker is not beside the project"
)
_VICTIM_RULES = (
    RuleId.NO_EVICTION,
    RuleId.VICTIM_PROTECTED,
    RuleId.VICTIM_CAUSE,
    RuleId.VICTIM_ENTITLEMENT,
    RuleId.GUARANTEE_KEPT,
    RuleId.DISRUPTION_BUDGET,
)
_SHAPE_RULES = (
    RuleId.GANG_READY,
    RuleId.ROLE_MINIMUM,
    RuleId.SUBGROUP_COMPLETE,
    RuleId.POD_SUPPLY,
)


@pytest.fixture(scope="module")
def casecheck() -> dict[str, ModuleType]:
    sys.path.insert(0, str(_TOOLS))
    try:
        from casecheck import document, model, runner, situation
    finally:
        sys.path.remove(str(_TOOLS))
    return {"document": document, "model": model, "runner": runner, "situation": situation}


class _Both:
    """One export, policy and plan, read by the product and by the checker."""

    def __init__(self, seed: int, folder: Path, tools: dict[str, ModuleType]) -> None:
        rnd = Random(f"evictions/{seed}")
        raw = evicting_policy(rnd)
        items = evicting_export(rnd, hierarchy=bool(raw.get("hierarchy")))
        path = folder / f"{seed}.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        self.snapshot: Snapshot = read_snapshot([path])
        path.unlink()
        self.policy: EffectivePolicy = resolve_policy(self.snapshot, Policy.model_validate(raw))
        self.plan: PlanResult = evicting_plan(rnd, self.snapshot)
        theirs: Any = tools["model"].Snapshot(items)
        document = self.plan.model_dump(mode="json", by_alias=True)
        plan = tools["document"].plan_from_document(theirs, {**document, "verification": {}})
        policy = tools["situation"].Policy.from_mapping(raw)
        self.situation: Any = tools["situation"].Situation(theirs, policy, plan)
        self.found = verify(self.snapshot, self.policy, self.plan).violations
        self.theirs = tools["runner"].invariant_violations(self.situation)


def _ours(found: tuple[RuleViolation, ...]) -> set[str]:
    names = (one.object for one in found if one.rule in _VICTIM_RULES)
    return {name.replace("/", " ", 1).lower() for name in names}


_quick = settings(
    max_examples=250,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@_quick
@given(seed=st.integers(0, 2**32))
def test_same_victims_are_refused(
    seed: int, tmp_path: Path, casecheck: dict[str, ModuleType]
) -> None:
    both = _Both(seed, tmp_path, casecheck)
    theirs = {one.subject.lower() for one in both.theirs if one.rule == "I7"}
    assert _ours(both.found) == theirs, (both.found, [str(one) for one in both.theirs])
    broken = any(one.rule in _SHAPE_RULES for one in both.found)
    assert broken == any(one.rule == "I3" for one in both.theirs)


@_quick
@given(seed=st.integers(0, 2**32))
def test_same_decisions(seed: int, tmp_path: Path, casecheck: dict[str, ModuleType]) -> None:
    both = _Both(seed, tmp_path, casecheck)
    state = RankedState(both.snapshot, both.policy, both.plan)
    for gang in both.snapshot.gangs:
        wanted = casecheck["document"].fitting_decisions(
            both.situation.snapshot.gang(gang.full_name), both.situation
        )
        assert fitting_decisions(state, gang) == wanted


def test_random_evictions_are_of_all_sorts(
    tmp_path: Path, casecheck: dict[str, ModuleType]
) -> None:
    """The comparison means something: every rule is broken at times, and legal evictions occur."""
    seen: Counter[str] = Counter()
    for seed in range(400):
        both = _Both(seed, tmp_path, casecheck)
        state = RankedState(both.snapshot, both.policy, both.plan)
        broken = {one.rule for one in both.found}
        seen.update(broken)
        refused = {one.object for one in both.found if one.rule in _VICTIM_RULES}
        for pod in state.reading.evicted.values():
            if f"pod/{pod.full_name}" not in refused:
                seen.update(list(state.causes.of(pod)))
    assert all(seen[rule] for rule in _VICTIM_RULES if rule != RuleId.NO_EVICTION), seen
    assert seen["preempt"] >= 5
    assert seen["reclaim"] >= 5
