"""The verifier and the conformance cases' own checker judge random plans alike, rule by rule."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from verify_exports import random_export, random_placements, random_policy

from models.effective import EffectivePolicy, resolve_policy
from models.entries import gang_entries
from models.plan import GangEntry, PlanResult, PodGroupEntry, Reason
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

_INVARIANT = {
    RuleId.NODE_CAPACITY: "I1",
    RuleId.NODE_PREDICATES: "I2",
    RuleId.POD_PLACEABLE: "I2",
    RuleId.GANG_READY: "I3",
    RuleId.ROLE_MINIMUM: "I3",
    RuleId.SUBGROUP_COMPLETE: "I3",
    RuleId.POD_SUPPLY: "I3",
    RuleId.QUEUE_LIMIT: "I4",
    RuleId.QUEUE_OPEN: "I5",
    RuleId.NO_MOVE: "I7",
}


@pytest.fixture(scope="module")
def casecheck() -> dict[str, ModuleType]:
    sys.path.insert(0, str(_TOOLS))
    try:
        from casecheck import document, model, runner, situation, volcano_queues
    finally:
        sys.path.remove(str(_TOOLS))
    return {
        "document": document,
        "model": model,
        "runner": runner,
        "situation": situation,
        "queues": volcano_queues,
    }


class _Both:
    """The same export and policy, read by the product and by the checker."""

    def __init__(self, seed: int, folder: Path, tools: dict[str, ModuleType]) -> None:
        rnd = Random(seed)
        raw = random_policy(rnd)
        items = random_export(rnd, hierarchy=bool(raw.get("hierarchy")))
        _without_limit_on_the_root(items)
        path = folder / f"{seed}.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        self.snapshot: Snapshot = read_snapshot([path])
        path.unlink()
        self.policy: EffectivePolicy = resolve_policy(self.snapshot, Policy.model_validate(raw))
        self.plan = _plan(rnd, self.snapshot)
        self.their_snapshot: Any = tools["model"].Snapshot(items)
        policy = tools["situation"].Policy.from_mapping(raw)
        document = self.plan.model_dump(mode="json", by_alias=True)
        theirs = tools["document"].plan_from_document(
            self.their_snapshot, {**document, "verification": {}}
        )
        self.situation: Any = tools["situation"].Situation(self.their_snapshot, policy, theirs)


def _without_limit_on_the_root(items: list[dict[str, Any]]) -> None:
    """The shared checker reads a root as unlimited whatever it lists; what it does list is tested by hand."""
    for one in items:
        if one["kind"] == "Queue" and one["metadata"]["name"] == "root":
            one.get("spec", {}).pop("capability", None)


def _plan(rnd: Random, snapshot: Snapshot) -> PlanResult:
    placements = random_placements(rnd, snapshot)
    reason = (Reason(code="cluster_capacity", message="GPUs are missing"),)
    reasons = {gang.full_name: reason for gang in snapshot.gangs}
    entries = list(gang_entries(snapshot, placements, reasons=reasons))
    if rnd.random() < 0.2:
        entries = [_with_move(rnd, entry, snapshot) for entry in entries]
    return PlanResult(gangs=tuple(entries))


def _with_move(rnd: Random, entry: GangEntry, snapshot: Snapshot) -> GangEntry:
    items: list[PodGroupEntry] = []
    for item in entry.pods:
        if item.action == "keep" and rnd.random() < 0.5:
            where = rnd.choice(snapshot.nodes).name
            items.append(
                item.model_copy(update={"action": "move", "from_node": item.node, "node": where})
            )
        else:
            items.append(item)
    return entry.model_copy(update={"pods": tuple(items)})


_quick = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@_quick
@given(seed=st.integers(0, 2**32))
def test_same_invariants_are_broken(
    seed: int, tmp_path: Path, casecheck: dict[str, ModuleType]
) -> None:
    both = _Both(seed, tmp_path, casecheck)
    found = verify(both.snapshot, both.policy, both.plan).violations
    ours = {_INVARIANT[RuleId(one.rule)] for one in found if one.rule in _INVARIANT}
    theirs = casecheck["runner"].invariant_violations(both.situation)
    assert ours == {one.rule for one in theirs} - {"D"}, (found, [str(one) for one in theirs])


@_quick
@given(seed=st.integers(0, 2**32))
def test_same_limits_and_decisions(
    seed: int, tmp_path: Path, casecheck: dict[str, ModuleType]
) -> None:
    both = _Both(seed, tmp_path, casecheck)
    state = RankedState(both.snapshot, both.policy, both.plan)
    model = casecheck["queues"].QueueModel(both.their_snapshot, both.situation.policy)
    for name in both.their_snapshot.queues:
        for resource in ("cpu", "memory", "nvidia.com/gpu"):
            limit, theirs = state.queues.limit(name, resource), model.limit(name, resource)
            if limit is None or theirs == float("inf"):
                assert limit is None
                assert theirs == float("inf")
            else:
                assert abs(float(theirs) - limit) < 1 + theirs / 10**9
            deserved = model.deserved(name, resource)
            assert abs(float(state.queues.deserved(name, resource)) - float(deserved)) < 1
    for gang in both.snapshot.gangs:
        wanted = casecheck["document"].fitting_decisions(
            both.their_snapshot.gang(gang.full_name), both.situation
        )
        assert fitting_decisions(state, gang) == wanted


def test_random_plans_are_of_both_sorts(tmp_path: Path, casecheck: dict[str, ModuleType]) -> None:
    """The comparison means something: accepted plans that start gangs, and each invariant broken."""
    started, broken = 0, set[str]()
    for seed in range(250):
        both = _Both(seed, tmp_path, casecheck)
        violations = verify(both.snapshot, both.policy, both.plan).violations
        rules = {_INVARIANT[RuleId(one.rule)] for one in violations if one.rule in _INVARIANT}
        broken |= rules
        started += not rules and any(one.decision == "start" for one in both.plan.gangs)
    assert started >= 10
    assert broken == set(_INVARIANT.values())
