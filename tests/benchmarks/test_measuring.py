from __future__ import annotations

import sys

from benchmarks.describe import describe
from benchmarks.generate import generate, write
from benchmarks.index_model import solve_index_model
from benchmarks.measure import Measured, gangplan, run_measured
from benchmarks.spec import ClusterSpec
from benchmarks.tables import IndexRow, PlanRow, index_table, plan_table
from models.effective import resolve_policy
from models.readers import read_snapshot
from planner.simulate.baseline import scheduler_run
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work

DESCRIPTION = describe(generate(ClusterSpec(nodes=4, gangs=3, queues=2)))
DOCUMENT = {
    "summary": {"gpusAfter": 30, "gangsStarted": 4},
    "snapshot": {"nodeClasses": 3},
    "certificate": {
        "status": "OPTIMAL",
        "stages": {"read": 0.5, "solve": 2.25},
        "tiers": [
            {"name": "covered.1.gpus", "value": 10, "bound": 10, "gap": 0.0},
            {"name": "rest.1.gpus", "value": 20, "bound": 21, "gap": 0.05},
            {"name": "rest.1.gangs", "value": 3, "bound": 5, "gap": 0.67},
            {"name": "packing", "value": 3, "bound": None, "gap": None},
        ],
    },
    "baseline": {"gpusAfter": 24, "gangsStarted": 4},
}


def row(**changes: object) -> PlanRow:
    values = {
        "name": "tiny",
        "megabytes": 1.5,
        "description": DESCRIPTION,
        "measured": Measured(3.25, 512.0, 0, ""),
        "report_kib": 90,
        "document": DOCUMENT,
        **changes,
    }
    return PlanRow(**values)


def test_the_index_model_is_exact_on_a_tiny_cluster():
    gangs = [work("a", 3, created=1), work("b", 2, created=2), work("c", 2, created=3)]
    snapshot = snapshot_of(gpu_node("n1", 4), gpu_queue("q"), *gangs)
    found = solve_index_model(snapshot, resolve_policy(snapshot), seconds=5, workers=1)
    assert (found.gpus, found.bound, found.gap) == (4, 4, 0)
    assert found.columns == 3


def test_the_index_model_keeps_queue_limits():
    gangs = [work(f"g{index}", 2) for index in range(3)]
    running = work("r", 1, nodes=("n1",))
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q", capability=5), running, *gangs)
    assert solve_index_model(snapshot, resolve_policy(snapshot), seconds=5, workers=1).gpus == 4


def test_greedy_never_beats_the_index_model(tmp_path):
    path = tmp_path / "c.json"
    write(generate(ClusterSpec(nodes=12, gangs=12, queues=3, seed=9)), path)
    snapshot = read_snapshot([path])
    policy = resolve_policy(snapshot)
    index = solve_index_model(snapshot, policy, seconds=10, workers=1)
    run = scheduler_run(snapshot, policy)
    minima = sum(
        gang.min_member
        * max(spec.request.amount("nvidia.com/gpu") for spec in specs_of(gang, snapshot))
        for gang in snapshot.gangs
        if gang.full_name in {one.gang for one in run.placements} and not gang.role_minimum
    )
    assert index.gpus is not None
    assert minima <= index.bound


def specs_of(gang, snapshot):
    return [pod.spec for pod in snapshot.pods_of(gang)] or [one.spec for one in gang.templates]


def test_a_run_is_measured_and_its_failure_told(tmp_path):
    log = tmp_path / "log"
    good = run_measured([sys.executable, "-c", "x = bytearray(30_000_000)"], log)
    assert good.exit_code == 0
    assert good.errors == ""
    assert good.peak_mib > 30
    assert 0 < good.seconds < 60
    bad = run_measured([sys.executable, "-c", "import sys; sys.exit('no room')"], log)
    assert (bad.exit_code, bad.errors.strip()) == (1, "no room")
    assert gangplan("plan")[1:] == ["-m", "planner.cli", "plan"]


def test_tables_show_worst_gaps_and_ratios():
    text = "\n".join(plan_table([row()]))
    assert "| tiny | 3.2 | 512 | 90 | read 0.5, solve 2.2 |" in text
    assert "| tiny | OPTIMAL | 5.00 % | 2 | 30 | 24 | 1.250 | 4 | 4 | 1.000 |" in text


def test_a_missing_bound_is_not_hidden():
    tiers = [{"name": "rest.1.gpus", "value": 20, "bound": None, "gap": None}]
    certificate = {**DOCUMENT["certificate"], "tiers": tiers}
    assert row(document={**DOCUMENT, "certificate": certificate}).worst_gap(".gpus") is None


def test_a_failed_run_is_named_and_has_no_numbers():
    failed = row(document={}, failed="error: no", measured=Measured(1.0, 10.0, 5, "error: no"))
    text = "\n".join(plan_table([failed]))
    assert "**tiny failed** (exit code 5): `error: no`" in text
    assert "OPTIMAL" not in text


def test_the_index_table_compares_gpus():
    one = IndexRow(50, 998, 16, 0.25, 20.0, Measured(2.0, 99.0, 0, ""), DOCUMENT)
    none = IndexRow(200, 20_000, None, None, 20.0, Measured(2.0, 99.0, 5, ""), {})
    text = "\n".join(index_table([one, none]))
    assert "| 50 × 50 | 998 | 16 | 25.00 % | 20.0 | 10 | 0.00 % | 2.0 | 0.625 |" in text
    assert "| 200 × 200 | 20,000 | none in time | – | 20.0 | failed | – | 2.0 | – |" in text
