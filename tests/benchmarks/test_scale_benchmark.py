"""The scale benchmark makes equal problems from equal settings, whose plans are right."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import scale, scale_table
from benchmarks.scale_problem import scale_problem
from benchmarks.spec import ClusterSpec
from planner.reduce.disaggregate import Assignment


def test_equal_settings_give_equal_problems() -> None:
    spec = ClusterSpec(nodes=60, gangs=40, queues=5)
    one, placed_in = scale_problem(spec)
    other, again = scale_problem(spec)
    assert one.demands == other.demands
    assert np.array_equal(one.free, other.free)
    assert placed_in == again
    assert {standing.tier_class for standing in placed_in} == {"covered", "rest"}
    assert len(one.node_names) == 60
    assert len(one.demands) == 40
    assert (one.free >= 0).all()
    assert any((room >= 0).any() for room in one.queue_room.values()), "some queues have caps"


@pytest.mark.parametrize("way", [[], ["--snapshot"]])
def test_a_small_run_tells_stages_bounds_and_no_faults(
    way: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--nodes", "40", "--gangs", "20", "--queues", "4", "--time-limit", "20"]
    assert scale.main([*arguments, *way]) == 0
    told = capsys.readouterr().out
    assert "| search |" in told
    assert "faults 0" in told
    assert "| covered.1 |" in told
    assert ("| read |" in told) == bool(way)


def test_the_report_has_a_row_per_size_beside_a_greedy_walk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scale_table, "QUICK", ((40, 20, 4),))
    _, _, head, line, row = scale_table.scale_table(False, 1)
    assert head.count("|") == line.count("|") == row.count("|")
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:2] == ["40", "20"]
    told = dict(zip(scale_table.HEAD, cells, strict=True))
    assert told["faults"] == "0"
    assert float(told["ratio"]) > 0
    assert {size[0] for size in scale_table.FULL} >= {10_000, 100_000}


def test_pods_beyond_the_room_of_a_node_are_a_fault() -> None:
    problem, _ = scale_problem(ClusterSpec(nodes=20, gangs=10, queues=2))
    full = int(np.argmin(problem.free[:, 0]))
    demand = next(n for n, one in enumerate(problem.demands) if one.gpus)
    item = next(
        i for i, one in enumerate(problem.demands[demand].items) if problem.shape_gpus[one.shape]
    )
    wrong = Assignment({demand: {item: [(full, 1_000)]}})
    assert scale.faults(problem, wrong) >= 1
    assert scale.faults(problem, Assignment({})) == 0
