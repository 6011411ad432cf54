from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from models.plan import (
    Certificate,
    GangEntry,
    NodeEntry,
    PlanResult,
    PodGroupEntry,
    QueueEntry,
    Reason,
    Summary,
    Tier,
    Verification,
)
from models.resources import Resources


def _document() -> PlanResult:
    pods = PodGroupEntry(role="worker", action="place", node="n1", count=2, names=("ml/a-0",))
    gang = GangEntry(namespace="ml", name="a", min_member=2, decision="start", pods=(pods,))
    waiting = GangEntry(
        namespace="ml",
        name="b",
        decision="wait",
        reasons=(
            Reason(code="quota", message="8 GPUs over", data={"queue": "eval", "missing": 8}),
        ),
    )
    tier = Tier(name="covered.1.gpus", sense="max", unit="GPUs", value=2, bound=2, gap=0.0)
    return PlanResult(
        summary=Summary(sentence="1 gang starts", gpus_after=2),
        certificate=Certificate(status="OPTIMAL", tiers=(tier,), properties="proved"),
        verification=Verification(rules=13),
        gangs=(gang, waiting),
        queues=(QueueEntry(name="eval", limit=Resources({"nvidia.com/gpu": 0})),),
        nodes=(NodeEntry(name="n1", node_class="c1", allocatable=Resources({"memory": 2**40})),),
    )


def test_json_uses_the_names_of_the_contract():
    raw = json.loads(_document().model_dump_json())
    assert (raw["schemaVersion"], raw["kind"]) == (1, "PlanResult")
    assert raw["summary"]["gpusAfter"] == 2
    assert raw["gangs"][0]["minMember"] == 2
    assert raw["gangs"][0]["pods"][0]["fromNode"] is None
    assert raw["nodes"][0]["class"] == "c1"
    assert raw["certificate"]["tiers"][0]["conditional"] is False
    assert raw["verification"] == {"violations": [], "rules": 13, "undecided": []}


def test_the_document_comes_back_from_json_unchanged():
    document = _document()
    again = PlanResult.model_validate_json(document.model_dump_json())
    assert again == document
    assert isinstance(again.queues[0].limit, Resources)
    assert again.gangs[0].full_name == "ml/a"


def test_a_listed_zero_limit_and_large_amounts_survive():
    again = PlanResult.model_validate_json(_document().model_dump_json())
    assert again.queues[0].limit == {"nvidia.com/gpu": 0}
    assert again.nodes[0].allocatable == {"memory": 2**40}


def test_further_fields_of_later_versions_are_kept():
    raw = json.loads(_document().model_dump_json())
    raw["drill"] = {"steps": [1]}
    raw["gangs"][0]["color"] = "blue"
    again = json.loads(PlanResult.model_validate(raw).model_dump_json())
    assert again["drill"] == {"steps": [1]}
    assert again["gangs"][0]["color"] == "blue"


def test_nothing_proved_is_null_and_never_zero():
    raw = json.loads(Tier(name="x", sense="min", unit="gangs", value=3).model_dump_json())
    assert (raw["bound"], raw["gap"]) == (None, None)


def test_a_hand_written_document_may_leave_almost_everything_out():
    gang = {"namespace": "ml", "name": "a", "decision": "wait"}
    document = PlanResult.model_validate({"kind": "PlanResult", "gangs": [gang]})
    assert document.verification is None
    assert document.gangs[0].pods == ()


@pytest.mark.parametrize(
    "raw",
    [
        {"gangs": [{"namespace": "ml", "name": "a", "decision": "maybe"}]},
        {"gangs": [{"namespace": "ml", "decision": "wait"}]},
        {"certificate": {"status": "FINE"}},
        {"certificate": {"tiers": [{"name": "x", "sense": "up", "unit": "u", "value": 1}]}},
        {"certificate": {"tiers": [{"name": "x", "sense": "max", "unit": "u", "value": 1.5}]}},
        {"queues": [{"name": "q", "limit": {"cpu": 0.5}}]},
        {"summary": {"gpusAfter": "many"}},
    ],
)
def test_what_is_no_plan_document_is_refused(raw):
    with pytest.raises(ValidationError):
        PlanResult.model_validate(raw)


def test_parts_are_frozen():
    with pytest.raises(ValidationError):
        _document().summary.gpus_after = 3
