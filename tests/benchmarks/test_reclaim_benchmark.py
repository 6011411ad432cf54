from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.reclaim import Harm, ReclaimRow, main, measure
from benchmarks.reclaim_clusters import EIGHT, LAYOUTS, Layout, make_snapshot
from benchmarks.reclaim_tables import HEAD, reclaim_table


def test_whole_nodes_come_back_with_the_fewest_victims_proved() -> None:
    row = measure("uniform", 50, time_limit_s=30.0, workers=1)
    assert (row.ours.gangs, row.ours.pods) == (40, 40)
    assert row.bounds[:2] == (40, 40)
    assert row.ours == row.greedy
    assert row.started == (True, True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_cluster_is_full_and_no_node_holds_too_much(layout: Layout) -> None:
    snapshot = make_snapshot(20, layout)
    gpus: Counter[str] = Counter()
    for pod in snapshot.pods:
        if pod.node:
            gpus[pod.node] += pod.spec.request.amount("nvidia.com/gpu")
    assert set(gpus.values()) == {EIGHT}
    assert len(gpus) == 20
    sizes = {gang.min_member for gang in snapshot.gangs if gang.queue == "lent"}
    assert sizes == {1} if layout == "uniform" else max(sizes) > 1


def test_fragmented_jobs_cost_less_than_a_greedy_choice_takes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = measure("fragmented", 40, time_limit_s=20.0, workers=1)
    assert row.started == (True, True)
    ours = row.ours.gangs, row.ours.pods, row.ours.lost_gpu_s
    assert ours <= (row.greedy.gangs, row.greedy.pods, row.greedy.lost_gpu_s)
    assert row.bounds == ours
    assert main(["--nodes", "10", "--layout", "scattered", "--time-limit", "10"]) == 0
    told = capsys.readouterr().out
    assert "greedy" in told
    assert "gangs_given_up" in told


def test_the_table_shows_bounds_and_what_did_not_start() -> None:
    ours, greedy = Harm(3, 20, 36_000), Harm(11, 25, 720_000)
    row = ReclaimRow("fragmented", 200, 170, 1.2, ours, (3, 18, None), greedy, 0.1, (True, True))
    none = ReclaimRow("scattered", 60, 50, 1, Harm(0, 0, 0), (0, 0, 0), greedy, 1, (False, True))
    lines = list(reclaim_table([row, none]))
    assert lines[2].count("|") == lines[4].count("|") == len(HEAD) + 1
    assert (
        lines[4] == "| fragmented | 200 | 170 | 1.20 | 3 (3) | 11 | 20 (18) | 25 | 10 (–) | 200 |"
    )
    assert "| none | 11 |" in lines[5]
