"""The example scenarios of the documentation suit the sample cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.effective import resolve_policy
from models.readers import read_snapshot
from planner.samples import sample_path
from planner.usecases.whatif.files import read_scenario, read_sweep
from planner.usecases.whatif.sweep import check_sweep

FOLDER = Path(__file__).resolve().parents[4] / "docs" / "scenarios"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_examples_apply_to_the_sample(path: Path) -> None:
    snapshot = read_snapshot([sample_path("demo")])
    policy = resolve_policy(snapshot)
    if path.stem.endswith(".sweep"):
        sweep = read_sweep(path)
        check_sweep(snapshot, policy, sweep)
        assert sweep.size > 10
        return
    scenario = read_scenario(path)
    assert scenario.applied(snapshot, policy).snapshot.digest != snapshot.digest
    assert scenario.description
