"""Exports taken one after the other hold the same objects in differing copies; the plan must stand all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planner.problem.limits import Limits
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.planning import make_plan
from planner.verify.check import verify

COPIES = 20


def _export(folder: Path, name: str, version: int) -> None:
    nodes: list[dict[str, Any]] = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": f"n{index:02}",
                "resourceVersion": str(version),
                "labels": {"taken": name},
            },
            "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "10"}},
        }
        for index in range(COPIES)
    ]
    folder.joinpath(f"{name}.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes})
    )


def test_many_conflicting_copies_are_summed_up_and_the_plan_is_verified(tmp_path: Path) -> None:
    # Before, the document summed the findings up, but the verifier looked for every one: the plan was withheld.
    _export(tmp_path, "early", 1)
    _export(tmp_path, "late", 2)
    given = read_checked([tmp_path])
    assert len(given.snapshot.findings) == COPIES
    told = [one for one in given.findings if one.code == "conflicting_copies"]
    assert [one.object for one in told] == [f"{COPIES} objects"]
    result = make_plan(given.snapshot, given.policy, Limits(), findings=given.findings, guard=False)
    assert result.verification is not None
    assert not result.verification.violations


def test_a_document_that_hides_findings_is_still_told(tmp_path: Path) -> None:
    _export(tmp_path, "early", 1)
    _export(tmp_path, "late", 2)
    given = read_checked([tmp_path])
    plan = make_plan(given.snapshot, given.policy, Limits(), findings=given.findings, guard=False)
    part = plan.snapshot.model_copy(update={"findings": ()})
    found = verify(given.snapshot, given.policy, plan.model_copy(update={"snapshot": part}))
    assert len([one for one in found.violations if one.object == "snapshot/findings"]) == COPIES
