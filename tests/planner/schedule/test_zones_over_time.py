"""Revocable zones in a schedule: windows open and close, work is out before they close."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.cluster import Node
from models.plan import PlanResult
from models.workloads import Gang
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule, schedule_horizon
from planner.testing.timed import cluster, node, running, waiting

ZONE = "volcano.sh/revocable-zone"
ACROSS = {"revocable_zones": {"z": "22:00-01:00"}}
"""Buckets 2, 3 and 4 of the hours from 20:00 UTC."""


def in_zone(name: str) -> Node:
    found = node(name)
    return replace(found, labels={**found.labels, ZONE: "z"})


def marked(gang: Gang) -> Gang:
    templates = (replace(one, annotations={ZONE: "*"}) for one in gang.templates)
    return replace(gang, templates=tuple(templates))


def make(nodes, gangs, runs=(), policy=ACROSS, hours: int = 8) -> PlanResult:
    options = ScheduleOptions(
        horizon_s=3600 * hours,
        bucket_s=3600,
        exact_buckets=3,
        limits=Limits(time_limit_s=20.0, workers=1, deterministic=True),
    )
    result = make_schedule(
        *cluster(nodes, gangs, runs, policy=policy), options=options, guard=False
    )
    assert result.verification is not None
    assert not result.verification.violations
    return result


def runs_of(result: PlanResult, name: str) -> list[tuple[int, int]]:
    assert result.schedule is not None
    [found] = [one for one in result.schedule.gangs if one.name == name]
    return [(run.start_bucket, run.end_bucket) for run in found.runs]


def test_work_waits_for_a_window_across_midnight_and_fits_into_it() -> None:
    result = make((in_zone("n0"),), (marked(waiting("a", 8, "2h")), marked(waiting("b", 8, "1h"))))
    assert sorted(runs_of(result, "a") + runs_of(result, "b")) in (
        [(2, 3), (3, 5)],
        [(2, 4), (4, 5)],
    )


def test_work_longer_than_the_window_does_not_start() -> None:
    result = make((in_zone("n0"),), (marked(waiting("long", 8, "4h")),))
    assert runs_of(result, "long") == []


def test_saved_work_stops_when_the_window_closes_and_goes_on_the_next_day() -> None:
    saved = {"gangplan.io/checkpoint-interval": "30m", "gangplan.io/restart-cost": "0s"}
    result = make((in_zone("n0"),), (marked(waiting("long", 8, "4h", marks=saved)),), hours=30)
    assert runs_of(result, "long") == [(2, 5), (26, 27)]


def test_pods_without_the_mark_stay_out_of_the_zone() -> None:
    result = make((in_zone("n0"), node("n1")), (waiting("a", 8, "1h"), waiting("b", 8, "1h")))
    assert sorted(runs_of(result, "a") + runs_of(result, "b")) == [(0, 1), (1, 2)]


def test_running_work_is_out_when_the_zone_closes() -> None:
    policy = {"revocable_zones": {"z": "18:00-22:00"}}
    nodes = (in_zone("n0"),)
    result = make(nodes, (), (running("r", 8, "5h", "n0"),), policy)
    assert result.schedule is not None
    [entry] = [one for one in result.schedule.gangs if one.status == "running"]
    assert [(run.start_bucket, run.end_bucket) for run in entry.runs] == [(0, 2)]
    assert "zone closes" in entry.reasons[0].message


def test_a_zone_that_is_closed_now_ends_running_work_after_the_first_bucket() -> None:
    result = make((in_zone("n0"),), (), (running("r", 8, "5h", "n0"),))
    assert result.schedule is not None
    [entry] = [one for one in result.schedule.gangs if one.status == "running"]
    assert [(run.start_bucket, run.end_bucket) for run in entry.runs] == [(0, 1)]


@pytest.mark.parametrize(
    ("window", "edges"),
    [
        ("22:30-01:15", {9000, 18900}),
        ("00:00-24:00", set()),
        ("21:00-20:30", {1800, 3600}),
        ("nonsense", set()),
    ],
)
def test_openings_are_edges_of_the_grid(window: str, edges: set[int]) -> None:
    _, policy = cluster((in_zone("n0"),), (), policy={"revocable_zones": {"z": window}})
    options = ScheduleOptions(horizon_s=8 * 3600, bucket_s=7200)
    grid = schedule_horizon(policy, options)
    clock = set(schedule_horizon(cluster((node("n"),), ())[1], options).edges)
    assert {edge - grid.start for edge in set(grid.edges) - clock} == {
        one for one in edges if one % 7200
    }


def test_a_zone_without_a_window_never_takes_work() -> None:
    result = make(
        (in_zone("n0"),),
        (marked(waiting("a", 8, "1h")),),
        policy={"revocable_zones": {"y": "00:00-24:00"}},
    )
    assert runs_of(result, "a") == []
