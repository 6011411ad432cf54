"""The conformance cases without evictions: what must run runs in every best set, what must wait waits in all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from models.effective import resolve_policy
from models.policy import Policy
from models.readers import read_snapshot
from planner.testing.oracle.best_vector import best_sets
from planner.testing.oracle.situation import Situation


@pytest.mark.parametrize("name", [f"vs{number:02}" for number in (1, 2, 3, 4, 5, 8)])
def test_best_sets_satisfy_the_case(name: str, shared: Path) -> None:
    folder = shared / "cases" / "volcano"
    if not (folder / f"{name}.yaml").is_file():
        pytest.skip("the conformance cases beside the checkout are absent")
    case: dict[str, Any] = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    assert case["policy"]["evict"] == []
    snapshot = read_snapshot([folder / case["snapshot"]])
    policy = resolve_policy(snapshot, Policy.model_validate(case["policy"]))
    situation = Situation(snapshot, policy)
    expected = {key: value for one in case["expect"] for key, value in one.items()}
    for best in best_sets(situation):
        assert set(expected.get("runs", ())) <= best
        assert not set(expected.get("waits", ())) & best
