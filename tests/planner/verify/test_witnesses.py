"""The witnesses of the conformance cases are correct plans for the verifier too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.effective import resolve_policy
from models.entries import gang_entries
from models.placement import Placement
from models.plan import PlanResult, Reason
from models.policy import Policy
from models.readers import read_snapshot
from models.snapshot import Snapshot
from planner.verify.check import verify
from planner.verify.standing import RankedState
from planner.verify.support import unmodelled_rules

_CASES = Path(__file__).resolve().parents[3].parent / "shared" / "cases" / "volcano"


def _cases() -> list[Any]:
    if not _CASES.is_dir():
        reason = "the conformance cases are not beside the project"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    found = []
    for path in sorted(_CASES.glob("*.yaml")):
        if not path.name.endswith(".snapshot.yaml"):
            case = yaml.safe_load(path.read_text(encoding="utf-8"))
            if not case["policy"].get("evict") and "witness" in case:
                found.append(pytest.param(case, id=case["id"]))
    return found


def _placements(snapshot: Snapshot, witness: Mapping[str, Any]) -> list[Placement]:
    found = []
    for name, where in (witness.get("place") or {}).items():
        pod = snapshot.pod_by_name[name]
        found.append(Placement(pod.gang, pod.role, where, 1, (name,)))
    for one in witness.get("create") or ():
        name = snapshot.gang_by_name[one["gang"]].full_name
        found.append(Placement(name, one.get("role") or "", one["node"], int(one["count"])))
    return found


@pytest.mark.parametrize("case", _cases())
def test_witness_has_no_violation(case: Mapping[str, Any]) -> None:
    snapshot = read_snapshot([_CASES / case["snapshot"]])
    policy = resolve_policy(snapshot, Policy.model_validate(case["policy"]))
    reason = (Reason(code="cluster_capacity", message="GPUs are missing"),)
    reasons = {gang.full_name: reason for gang in snapshot.gangs}
    placements = _placements(snapshot, case["witness"])
    document = PlanResult(gangs=gang_entries(snapshot, placements, reasons=reasons))
    state = RankedState(snapshot, policy, document)
    if any(unmodelled_rules(state, gang) for gang in state.touched_gangs):
        pytest.skip("the witness starts a gang with a rule that is not modelled yet")
    assert verify(snapshot, policy, document).violations == ()
