"""The same input and seed give the same document."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from models.plan import PlanResult
from planner.testing.random_snapshots import random_case


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_seconds(one)
            for key, one in value.items()
            if key not in ("seconds", "stages")
        }
    if isinstance(value, list):
        return [_without_seconds(one) for one in value]
    return value


def _document(plan: PlanResult) -> str:
    return json.dumps(_without_seconds(json.loads(plan.model_dump_json(by_alias=True))))


@pytest.mark.parametrize(("seed", "size"), [(5000, "tiny"), (5001, "tiny"), (3, "small")])
def test_planning_twice_gives_the_same_document(
    seed: int, size: str, plan_of: Callable[..., PlanResult]
) -> None:
    case = random_case(seed, size)
    first = plan_of(case.snapshot, case.policy, seed=1)
    assert _document(plan_of(case.snapshot, case.policy, seed=1)) == _document(first)
