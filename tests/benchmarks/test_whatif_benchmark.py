"""The benchmark of what-if runs on a small cluster and tells every edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import whatif
from benchmarks.generate import generate, write
from benchmarks.spec import ClusterSpec


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cluster") / "small.json"
    write(generate(ClusterSpec(nodes=24, gangs=8, queues=2)), path)
    return path


def test_every_edit_gets_a_row(cluster: Path) -> None:
    rows = list(whatif.measure_edits(cluster, effort_s=0.1, workers=1))
    assert len(rows) == 8
    assert {row.judgement for row in rows[1:]} <= {"better", "worse", "same", "undecided"}
    assert all(row.seconds > 0 and row.gpus > 0 for row in rows)
    table = list(whatif.edit_table(rows))
    assert len(table) == 10
    assert "weight=9" in "".join(table)


def test_a_sweep_is_one_row(cluster: Path) -> None:
    row = whatif.measure_sweep(cluster, points=4, jobs=1, effort_s=0.0)
    assert (row.points, row.failed) == (4, 0)
    assert "| small | 4 | 1 |" in "\n".join(whatif.sweep_table([row]))
