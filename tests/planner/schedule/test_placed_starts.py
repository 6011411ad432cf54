"""A start is promised where its pods have nodes for the whole run, in every bucket."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import cluster, hours, lending, node, running, waiting
from planner.usecases.inputs.checked_input import read_checked

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


def _make(world, demand=None, *, buckets: int = 6) -> PlanResult:
    options = ScheduleOptions(
        horizon_s=3600 * buckets, bucket_s=3600, exact_buckets=1, limits=LIMITS
    )
    return make_schedule(*world, demand, options, guard=False)


def _starts(result: PlanResult) -> dict[str, int]:
    assert result.schedule is not None
    return {g.name: g.runs[0].start_bucket for g in result.schedule.gangs if g.status == "starts"}


def test_a_gang_that_needs_a_leaf_starts_when_a_leaf_is_free(shared: Path) -> None:
    """Two free nodes of different leaves were called sure at 22:00; no leaf has two before 15:00."""
    given = read_checked([str(shared / "cases" / "faults" / "z11.json")])
    options = ScheduleOptions(horizon_s=86_400, limits=LIMITS)
    result = make_schedule(given.snapshot, given.policy, None, options, guard=False)
    assert result.schedule is not None
    (entry,) = [gang for gang in result.schedule.gangs if gang.name == "topo"]
    assert entry.starts_at == "2026-11-21T15:00:00Z"
    assert [on.pods for on in entry.runs[0].nodes] == [1, 1]
    assert all(tier.bound == tier.value for tier in result.certificate.tiers)


def test_free_halves_of_two_nodes_hold_no_pod_of_a_whole_one() -> None:
    """At 21:00 eight GPUs are free, four on each node; at 22:00 a node is."""
    runs = (
        running("a", 4, "1h", "n0"),
        running("b", 4, "2h", "n0"),
        running("c", 4, "1h", "n1"),
        running("d", 4, "4h", "n1"),
    )
    result = _make(cluster((node("n0"), node("n1")), (waiting("whole", 8, "1h"),), runs))
    assert _starts(result) == {"whole": 2}
    assert result.schedule is not None
    (entry,) = [gang for gang in result.schedule.gangs if gang.name == "whole"]
    assert [on.node for on in entry.runs[0].nodes] == ["n0"]


def test_a_run_keeps_its_nodes_and_no_service_comes_back_to_them() -> None:
    """Eight GPUs are lent for three hours; a gang that may not be stopped and needs four hours takes own ones."""
    keep = {"volcano.sh/preemptable": "false"}
    gang = waiting("long", 8, "4h")
    templates = tuple(dataclasses.replace(one, annotations=keep) for one in gang.templates)
    gang = dataclasses.replace(gang, templates=templates, annotations={**gang.annotations, **keep})
    world = cluster((node("n0"), node("n1")), (gang,), (running("r", 8, "1h", "n1"),))
    result = _make(world, lending(hours(6), "p", 8, (0, 8, 8, 8, 0, 0)))
    assert _starts(result) == {"long": 1}
    assert result.schedule is not None
    (entry,) = [one for one in result.schedule.gangs if one.name == "long"]
    places = {p.node for p in result.schedule.service_places if p.end_bucket == 6}
    assert {on.node for on in entry.runs[0].nodes}.isdisjoint(places)


def test_pods_that_pack_only_in_one_way_are_packed() -> None:
    """Six and two on each node: whoever puts both small gangs on one node leaves no room for the second large one."""
    gangs = (
        waiting("a", 6, "2h"),
        waiting("b", 6, "2h"),
        waiting("c", 2, "2h"),
        waiting("d", 2, "2h"),
    )
    result = _make(cluster((node("n0"), node("n1")), gangs))
    assert set(_starts(result).values()) == {0}
