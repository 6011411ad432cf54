"""Plans against what Volcano's own scheduler did on the same clusters: pods bound and evicted of every gang."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.effective import resolve_policy
from models.policy import parse_policy
from models.readers import read_snapshot
from planner.problem.limits import Limits
from planner.usecases.planning import make_plan

pytestmark = pytest.mark.shared
FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "volcano_runs"
NO_MODEL = (
    *("d05", "d12", "d18", "d24", "d30", "d33", "d34", "d35", "d38", "d39", "d42", "d44", "d45"),
    *(
        "d51",
        "d61",
        "e03",
        "e04",
        "e06",
        "e07",
        "e08",
        "e09",
        "e10",
        "e11",
        "e12",
        "e13",
        "e14",
        "e32",
    ),
)
"""Runs in which Volcano does something silly (README of the runs)."""


def _outcomes() -> dict[str, Any]:
    path = FOLDER / "outcomes.json"
    return json.loads(path.read_text()) if path.exists() else {}


@pytest.mark.parametrize("name", sorted(n for n in _outcomes() if n[:3] not in NO_MODEL))
def test_pods_per_gang_agree(name: str, shared: Path) -> None:
    folder = shared / "data" / "volcano_runs"
    snapshot = read_snapshot([folder / f"{name}.json"])
    raw = yaml.safe_load((folder / f"{name}.policy.yaml").read_text())
    policy = resolve_policy(snapshot, parse_policy(raw, source=name))
    plan = make_plan(snapshot, policy, Limits(workers=1, deterministic=True), guard=False)
    found = {
        one.full_name: {
            action: sum(pod.count for pod in one.pods if pod.action == action)
            for action in ("place", "evict")
        }
        for one in plan.gangs
    }
    for gang, run in _outcomes()[name]["runs"]["helm"]["gangs"].items():
        expected = {"place": run["bound"], "evict": run["evicted"]}
        assert found.get(gang, {"place": 0, "evict": 0}) == expected, gang
