"""``plan --previous``: the earlier document is read before the search, and faults in it are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.plan import PlanResult

Gangplan = Callable[..., Any]
Replace = Callable[[Callable[..., PlanResult]], None]
MakePlan = Callable[..., PlanResult]


def test_the_earlier_plan_reaches_the_planner(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path, tmp_path: Path
) -> None:
    given: list[PlanResult | None] = []

    def plan(*arguments: object, previous: PlanResult | None = None, **options: object) -> Any:
        given.append(previous)
        return a_plan()

    planned(plan)
    earlier = tmp_path / "earlier.json"
    earlier.write_text(a_plan().model_dump_json(by_alias=True), "utf-8")
    assert gangplan("plan", snapshot_file, "--previous", earlier).exit_code == 0
    assert gangplan("plan", snapshot_file).exit_code == 0
    assert given == [a_plan(), None]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "cannot be read"),
        ("", "is empty"),
        ("kind: Snapshot", "is not a plan document"),
        ("kind: PlanResult\ngangs: 3", "does not fit a plan document"),
    ],
)
def test_no_plan_document_is_an_input_error(
    gangplan: Gangplan, snapshot_file: Path, tmp_path: Path, text: str | None, told: str
) -> None:
    earlier = tmp_path / "earlier.yaml"
    if text is not None:
        earlier.write_text(text, "utf-8")
    done = gangplan("plan", snapshot_file, "--previous", earlier)
    assert done.exit_code == 3
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_effort_belongs_to_an_earlier_plan(gangplan: Gangplan, snapshot_file: Path) -> None:
    done = gangplan("plan", snapshot_file, "--effort", "3s")
    assert done.exit_code == 2
    assert "--effort needs --previous" in done.stderr
