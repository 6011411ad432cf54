from __future__ import annotations

import gzip

import numpy as np
import pytest

from benchmarks.loan_backlog import RESTART_S, run_backlog
from benchmarks.loan_series import is_series, load_series
from benchmarks.loans import document, main, replay


def _demand(path, days=8):
    rng = np.random.default_rng(4)
    rows = ["time,service,gpus"]
    for step in range(days * 24):
        level = 40 if 8 <= step % 24 < 20 else 4
        rows.append(f"{1_787_529_600 + 3600 * step},chat,{level + int(rng.integers(0, 4))}")
    path.write_text("\n".join(rows) + "\n")
    return path


def test_series_of_every_shape(tmp_path):
    ours = _demand(tmp_path / "d.csv")
    (one,) = load_series(ours, pool=65, peak=0.5)
    assert one.owned == 86
    replicas = tmp_path / "r.csv.gz"
    rows = "app,hour,replicas\n" + "".join(f"a,{h},2\nb,{h},{h % 3}\n" for h in range(5))
    replicas.write_bytes(gzip.compress(rows.encode()))
    whole, a, b = load_series(replicas, pool=65, peak=1.0)
    assert whole.history.gpus.tolist() == [2, 3, 4, 2, 3]
    assert (whole.part, a.part, b.owned) == (False, True, 2)
    measured = tmp_path / "m.csv"
    measured.write_text(
        "bucket_start,requests,mean_concurrency\n2024-11-19 00:00:00,0,0.5\n2024-11-19 00:05:00,4,1.0\n"
    )
    requests, busy = load_series(measured, pool=10, peak=0.6)
    assert requests.history.gpus.tolist() == [0, 6]
    assert busy.history.gpus.tolist() == [3, 6]
    table = tmp_path / "t.csv"
    table.write_text("app,role\na,HN\n")
    assert not is_series(table)
    assert is_series(replicas)


def test_gangs_leave_where_the_limit_falls_and_lose_what_no_checkpoint_kept():
    work = [(4, 7200), (4, 7200)]
    kept = run_backlog([8, 8, 4, 8], [0, 0, 0, 0], 1800, work, checkpoint_s=1800)
    lost = run_backlog([8, 8, 4, 8], [0, 0, 0, 0], 1800, work, checkpoint_s=None)
    assert kept.planned == lost.planned == 1
    assert kept.lost_gpu_s == 4 * RESTART_S
    assert lost.lost_gpu_s == 4 * (3600 + RESTART_S)
    assert kept.held_gpu_s == lost.held_gpu_s == 1800 * (8 + 8 + 4 + 8)
    surge = run_backlog([8, 8], [0, 3], 1800, work, checkpoint_s=None)
    assert (surge.surges, surge.planned, surge.worst_surge_gpus) == (1, 0, 3)
    assert surge.lost_to_surges_gpu_s == surge.lost_gpu_s == 4 * (1800 + RESTART_S)


def test_a_day_and_night_series_is_lent_by_night(tmp_path, capsys):
    path = _demand(tmp_path / "d.csv")
    assert main([str(path), "--backlog", str(tmp_path / "none.csv")]) == 0
    text = capsys.readouterr().out
    assert "| d: chat | rolling | yes |" in text
    assert "gangplan, day ahead" in text
    (series,) = load_series(path, pool=65, peak=0.7)
    found = replay(series, level=0.95, fit=0.5)
    assert found.fitted == 96
    assert found.kept("day ahead", 0.95)
    assert found.kept("rolling", 0.95)
    table = document([found], [(1, 3600)] * 9000, level=0.95, peak=0.7)
    assert "| gangplan, rolling | 3," in table  # GPU-hours held by gangs


@pytest.mark.shared
def test_the_goal_holds_on_a_real_series(shared):
    path = shared / "data" / "inference" / "gentd26_requests_5min_visible.csv.gz"
    requests = load_series(path, pool=65, peak=0.7)[0]
    found = replay(requests, level=0.95, fit=0.5)
    assert found.kept("rolling", 0.95)
    assert found.better("rolling")
    assert found.kept("day ahead", 0.95)
    assert found.better("day ahead")
