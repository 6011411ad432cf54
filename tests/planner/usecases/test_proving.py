"""``verify`` refutes what a forged document claims, names what it does not prove, and never crashes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.effective import resolve_policy
from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.testing.tiny_night import tiny_export
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.planning import make_plan
from planner.usecases.verification import check_plan, verify_plan
from planner.verify.check import CHECKS

LIMITS = Limits(time_limit_s=5.0, workers=1, deterministic=True)
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, PlanResult]:
    path = tmp_path_factory.mktemp("proving") / "cluster.json"
    path.write_text(tiny_export("2026-09-15T20:00:00Z"), encoding="utf-8")
    snapshot = read_inputs([path])
    policy = resolve_policy(snapshot, None, None)
    return snapshot, policy, make_plan(snapshot, policy, LIMITS, guard=False)


def _sentence(document: dict[str, Any]) -> None:
    text = document["summary"]["sentence"]
    document["summary"]["sentence"] = text.replace(text.split(" ")[0], "77", 1)


def _queue_counter(document: dict[str, Any]) -> None:
    document["queues"][0]["gangsStarted"] += 1


def _baseline(document: dict[str, Any]) -> None:
    document["baseline"]["gangsStarted"] += 1


def _free_text(document: dict[str, Any]) -> None:
    document["summary"]["sentence"] = "All is well."


def test_an_honest_plan_is_verified_and_says_what_stays_open(planned: Any) -> None:
    snapshot, policy, plan = planned
    found = check_plan(snapshot, policy, plan, policy_from="options")
    assert found.violations == ()
    assert any("--prove" in one for one in found.not_proved)
    again = check_plan(snapshot, policy, plan, policy_from="options", prove=LIMITS)
    assert again.violations == ()
    assert not any(one.startswith("bounds of") for one in again.not_proved)


@pytest.mark.parametrize("change", [_sentence, _queue_counter, _baseline, _free_text])
def test_one_forged_figure_is_refuted(planned: Any, change: Change) -> None:
    snapshot, policy, plan = planned
    document = json.loads(plan.model_dump_json(by_alias=True))
    change(document)
    forged = PlanResult.model_validate(document)
    assert check_plan(snapshot, policy, forged, policy_from="options").violations


def test_a_check_that_cannot_be_computed_is_a_violation_and_no_crash(
    planned: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planner.verify import check as module

    def fails(_: object) -> list[Any]:
        raise KeyError("no-such-node")

    rule = next(iter(CHECKS))
    monkeypatch.setattr(module, "CHECKS", {**CHECKS, rule: fails})
    snapshot, policy, plan = planned
    (only,) = check_plan(snapshot, policy, plan, policy_from="options").violations
    assert only.rule == rule.value
    assert "cannot be checked" in only.message


def test_the_given_forged_plan(shared: Path) -> None:
    place = shared / "cases" / "faults" / "forged"
    found = verify_plan(
        [place / "snap.yaml"], place / "forged.json", policy_file=place / "pol.yaml"
    )
    objects = {one.object for one in found.violations}
    assert {"summary/sentence", "queue/q", "gang/ml/a", "tier/covered.1.shortfall"} <= objects
    assert any("changes" in one for one in found.not_proved)


def test_the_given_ghost_node(shared: Path) -> None:
    place = shared / "cases" / "faults" / "ghost-node"
    found = verify_plan(
        [place / "snapshot.json"], place / "hand.json", policy_file=place / "policy.yaml"
    )
    assert any("no-such-node does not exist" in one.message for one in found.violations)
    assert not any("cannot be checked" in one.message for one in found.violations)
