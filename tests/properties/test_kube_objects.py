"""Objects written from a snapshot are read back to the same snapshot."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from models.readers import read_snapshot
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.testing.kube_objects import kube_list, quantities
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import random_case


@pytest.mark.parametrize(("size", "seeds"), [("tiny", 30), ("twins", 10), ("small", 3)])
def test_the_reader_gives_back_the_snapshot(size: str, seeds: int, tmp_path: Path) -> None:
    for seed in range(seeds):
        case = random_case(seed, size)
        file = tmp_path / f"{seed}.json"
        file.write_text(json.dumps(kube_list(case.snapshot)), encoding="utf-8")
        found = read_snapshot([file])
        for kind in ("nodes", "queues", "priority_classes", "pods"):
            assert getattr(found, kind) == getattr(case.snapshot, kind), (case.name, kind)
        assert found.gangs == tuple(_as_read(one, case.snapshot) for one in case.snapshot.gangs)


def _as_read(gang: Gang, snapshot: Snapshot) -> Gang:
    """The reader tells of a gang whose pods have all ended that nothing more will come."""
    pods = snapshot.pods_of(gang)
    if pods and all(pod.phase in ("Succeeded", "Failed") for pod in pods):
        return replace(gang, finished=True, no_more="pods_ended")
    return gang


def test_the_reader_gives_back_marks_budgets_and_start_times(tmp_path: Path) -> None:
    for seed in range(30):
        case = evicting_case(seed)
        file = tmp_path / f"{seed}.json"
        file.write_text(json.dumps(kube_list(case.snapshot)), encoding="utf-8")
        found = read_snapshot([file])
        for kind in ("nodes", "queues", "disruption_budgets", "gangs", "pods"):
            assert getattr(found, kind) == getattr(case.snapshot, kind), (case.name, kind)


def test_quantities_are_exact() -> None:
    amounts = {"cpu": 1250, "memory": 3 * 1024**3 + 1, "nvidia.com/gpu": 0}
    assert quantities(amounts) == {"cpu": "1250m", "memory": "3221225473", "nvidia.com/gpu": "0"}
