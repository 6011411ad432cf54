"""Gang tables tell for how long GPUs have not worked, where that was measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from models.plan import PlanResult
from models.snapshot import PodUse
from planner.problem.limits import Limits
from planner.report.csv_frames import plan_frames
from planner.report.plan_report import plan_report
from planner.report.plan_view import PlanView
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan

PLACES: Any = ("table", "wide", "page")


def plan(*, measured: bool) -> PlanResult:
    """Two GPUs, held by an idle gang and one that works; an urgent gang takes that of the idle one."""
    found = snapshot_of(
        gpu_node("n1", 2),
        gpu_queue("a", deserved=2),
        work("idle", queue="a", nodes=("n1",), created=1),
        work("busy", queue="a", nodes=("n1",), created=0),
        work("urgent", queue="a", priority=100, created=2),
    )
    pods = {one.gang: one.full_name for one in found.pods}
    use = (PodUse(pods["ml/busy"], 7200, 900, 0, 0), PodUse(pods["ml/idle"], 7200, 250, 5400, 5400))
    if measured:
        found = replace(found, use=tuple(sorted(use, key=lambda one: one.pod)))
    policy = policy_for(found, "capacity", evict=("preempt",), harm=("idle", "gangs"))
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    return make_plan(found, policy, limits, guard=False)


def decided(result: PlanResult, place: Any) -> list[dict[str, str]]:
    """Rows of the tables that tell decisions, by heading."""
    return [
        dict(zip([column.heading for column in table.columns], row, strict=True))
        for section in plan_report(result).sections(place, 10)
        for table in section.tables
        if "DECISION" in [column.heading for column in table.columns]
        for row in table.rows
    ]


def test_a_gang_that_is_evicted_tells_how_long_it_was_idle() -> None:
    result = plan(measured=True)
    for place in PLACES:
        told = {row["GANG"]: row["IDLE FOR"] for row in decided(result, place)}
        assert told["ml/idle"] == "1 h 30 min", place
        assert told.get("ml/urgent", "-") == "-"
    gangs = plan_frames(PlanView(result))["gangs"].set_index("gang")
    assert gangs.loc["ml/idle", ["idle_seconds", "worked_permille"]].tolist() == [5400, 250]
    assert gangs.loc["ml/busy", ["idle_seconds", "worked_permille"]].tolist() == [0, 900]
    assert gangs.loc["ml/urgent", ["idle_seconds", "worked_permille"]].isna().all()


def test_tables_of_what_was_not_measured_have_no_such_column() -> None:
    result = plan(measured=False)
    for place in PLACES:
        rows = decided(result, place)
        assert rows
        assert all("IDLE FOR" not in row for row in rows)
    assert plan_frames(PlanView(result))["gangs"]["idle_seconds"].isna().all()
