"""Whole schedules of small clusters: what starts when, loans, reservations, maintenance, splits, reasons, stability."""

from __future__ import annotations

import dataclasses

import pytest

from models.findings import InputError
from models.plan import PlanResult
from models.queues import Queue
from models.resources import Resources
from models.selectors import Taint
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule, schedule_horizon
from planner.testing.timed import GPU, START, cluster, hours, lending, node, running, waiting

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)
SAVED = {"gangplan.io/checkpoint-interval": "30m", "gangplan.io/restart-cost": "5m"}


def _make(world, demand=None, *, buckets=6, previous=None) -> PlanResult:
    options = ScheduleOptions(
        horizon_s=3600 * buckets, bucket_s=3600, exact_buckets=2, previous=previous, limits=LIMITS
    )
    return make_schedule(*world, demand, options, guard=False)


def _runs(result: PlanResult, name: str, status: str = "starts") -> list[tuple[int, int]]:
    assert result.schedule is not None
    found = [g for g in result.schedule.gangs if g.name == name and g.status == status]
    return [(run.start_bucket, run.end_bucket) for gang in found for run in gang.runs]


def _entry(result: PlanResult, name: str):
    assert result.schedule is not None
    return next(g for g in result.schedule.gangs if g.name == name and g.status != "running")


def test_a_gang_starts_when_a_running_one_has_ended() -> None:
    result = _make(cluster((node("n0"),), (waiting("a", 8, "2h"),), (running("r", 4, "2h", "n0"),)))
    assert _runs(result, "r", "running") == [(0, 2)]
    assert _runs(result, "a") == [(2, 4)]
    assert result.verification is not None
    assert not result.verification.violations
    entry = next(gang for gang in result.gangs if gang.name == "a")
    assert entry.decision == "wait"
    assert [reason.code for reason in entry.reasons] == ["scheduled_later"]


def test_work_that_fits_now_is_placed_on_a_node() -> None:
    result = _make(cluster((node("n0"),), (waiting("a", 8, "2h"), waiting("b", 8, "1h"))))
    placed = [gang.name for gang in result.gangs if gang.decision == "start"]
    assert len(placed) == 1
    assert _runs(result, placed[0])[0][0] == 0
    assert {_runs(result, "a")[0][0], _runs(result, "b")[0][0]} in ({0, 1}, {0, 2})


def test_back_fill_does_not_move_a_reserved_start() -> None:
    """A small gang of lower rank runs before the large one only if it ends in time."""
    runs = (running("r", 4, "2h", "n0"),)
    large = waiting("large", 8, "2h", priority=10)
    for runtime, expected in (("2h", (0, 2)), ("3h", (4, 6))):
        small = waiting("small", 4, runtime)
        result = _make(cluster((node("n0"),), (large, small), runs))
        assert _runs(result, "large") == [(2, 4)]
        assert _runs(result, "small")[0][0] == expected[0]
        assert result.schedule is not None
        backfilled = [one for one in result.schedule.reservations if one.gang == "ns/large"]
        assert bool(backfilled) is (runtime == "2h")
    alone = _make(cluster((node("n0"),), (large,), runs))
    assert _runs(alone, "large") == [(2, 4)]


def test_a_gang_that_cannot_stop_ends_before_its_loan_does() -> None:
    horizon = hours(6)
    limits = lending(horizon, "p", 8, (8, 8, 8, 0, 0, 0))
    fits = _make(cluster((node("n0"),), (waiting("a", 8, "3h"),)), limits)
    assert _runs(fits, "a") == [(0, 3)]
    assert fits.schedule is not None
    loan = fits.schedule.loans[0]
    assert (loan.gpus, loan.start_bucket, loan.end_bucket, loan.slack_s) == (8, 0, 3, 0)
    long = _make(cluster((node("n0"),), (waiting("a", 8, "4h"),)), limits)
    assert _runs(long, "a") == []
    assert "time_window" in {reason.code for reason in _entry(long, "a").reasons}


def test_saved_work_stops_for_the_peak_and_goes_on_afterwards() -> None:
    horizon = hours(6)
    limits = lending(horizon, "p", 8, (8, 8, 0, 0, 8, 8))
    result = _make(cluster((node("n0"),), (waiting("a", 8, "3h", marks=SAVED),)), limits)
    assert _runs(result, "a") == [(0, 2), (4, 6)]
    entry = _entry(result, "a")
    assert entry.work_gpu_seconds == 8 * 3 * 3600
    assert entry.lost_gpu_seconds == 8 * 300


def test_running_work_leaves_a_loan_in_time_and_what_may_not_leave_is_counted() -> None:
    horizon = hours(4)
    limits = lending(horizon, "p", 8, (8, 8, 0, 0))
    gone = _make(cluster((node("n0"),), (), (running("r", 8, "9h", "n0"),)), limits, buckets=4)
    assert _runs(gone, "r", "running") == [(0, 2)]
    assert gone.certificate.tiers[0].value == 0
    gang, pod = running("r", 8, "9h", "n0", marks={"volcano.sh/preemptable": "false"})
    kept = dataclasses.replace(pod, annotations={"volcano.sh/preemptable": "false"})
    stays = _make(cluster((node("n0"),), (), ((gang, kept),)), limits, buckets=4)
    assert _runs(stays, "r", "running") == [(0, 4)]
    assert stays.certificate.tiers[0].name == "missed_returns"
    assert stays.certificate.tiers[0].value == 8 * 2 * 3600
    assert stays.summary.missed_returns == 8 * 2 * 3600
    assert stays.summary.sentence.startswith("8 GPUs of p are missing from 2026-09-15T22:00:00Z")
    assert "ns/r may not be stopped" in stays.summary.sentence
    assert "all back" not in stays.summary.sentence
    assert stays.schedule is not None
    assert [loan.slack_s for loan in stays.schedule.loans] == [-2 * 3600]


def test_pods_that_leave_too_slowly_get_the_slow_limit_only() -> None:
    horizon = hours(3)
    limits = lending(horizon, "p", 8, (8, 8, 8), slow=(0, 0, 0))
    quick = waiting("quick", 8, "1h", grace=10)
    slow = waiting("slow", 8, "1h", grace=60)
    assert _runs(_make(cluster((node("n0"),), (quick,)), limits, buckets=3), "quick") == [(0, 1)]
    assert _runs(_make(cluster((node("n0"),), (slow,)), limits, buckets=3), "slow") == []


def test_maintenance_and_reservations_keep_gangs_away() -> None:
    window = {"from": "2026-09-15T21:00:00Z", "to": "2026-09-15T22:00:00Z"}
    gangs = (waiting("a", 8, "2h"),)
    away = {"maintenance": [{"nodes": ["n0"], **window}]}
    assert _runs(_make(cluster((node("n0"),), gangs, policy=away)), "a") == [(2, 4)]
    kept = {"reservations": [{"pool": "p", "queue": "other", **window}]}
    queues = (Queue("q"), Queue("other"))
    world = cluster((node("n0"),), gangs, queues=queues, policy=kept)
    assert _runs(_make(world), "a") == [(2, 4)]
    own = {"reservations": [{"pool": "p", "queue": "q", **window}]}
    assert _runs(_make(cluster((node("n0"),), gangs, policy=own)), "a") == [(0, 2)]


def test_queue_limits_hold_in_every_bucket() -> None:
    queues = (Queue("q", capability=Resources({GPU: 4})),)
    gangs = (waiting("a", 4, "2h"), waiting("b", 4, "2h"))
    result = _make(cluster((node("n0"),), gangs, queues=queues))
    assert sorted((_runs(result, "a")[0], _runs(result, "b")[0])) == [(0, 2), (2, 4)]
    never = _make(cluster((node("n0"),), (waiting("c", 8, "1h"),), queues=queues))
    assert {reason.code for reason in _entry(never, "c").reasons} == {"quota"}
    assert _entry(never, "c").fixes == ("raise the limit of queue q by 4 nvidia.com/gpu",)


def test_preferences_are_said_to_be_left_out() -> None:
    avoided = dataclasses.replace(node("n0"), taints=(Taint("slow", "PreferNoSchedule"),))
    for nodes, said in (((avoided, node("n1")), True), ((node("n0"), node("n1")), False)):
        result = _make(cluster(nodes, (waiting("a", 8, "1h"),)))
        assert result.schedule is not None
        assert any("only prefer" in note for note in result.schedule.notes) is said


def test_deadlines_come_before_all_work() -> None:
    marks = {"gangplan.io/deadline": "2026-09-15T21:00:00Z"}
    gangs = (waiting("big", 8, "6h", priority=10), waiting("due", 4, "1h", marks=marks))
    result = _make(cluster((node("n0"),), gangs))
    assert _runs(result, "due") == [(0, 1)]
    assert _runs(result, "big")[0][0] == 1
    late = waiting("late", 4, "2h", marks=marks)
    missed = _make(cluster((node("n0"),), (late,)))
    assert [reason.code for reason in _entry(missed, "late").reasons] == ["deadline"]
    assert {t.name: t.value for t in missed.certificate.tiers}["missed_deadlines"] == 1


def test_an_earlier_schedule_is_kept_among_equals() -> None:
    gangs = (waiting("a", 8, "1h"), waiting("b", 8, "1h"))
    first = _make(cluster((node("n0"),), gangs))
    again = _make(cluster((node("n0"),), gangs), previous=first)
    assert [_runs(first, n) for n in "ab"] == [_runs(again, n) for n in "ab"]
    assert {t.name: t.value for t in again.certificate.tiers}["kept_starts"] == 2


def test_estimated_durations_give_a_range() -> None:
    gang, pod = running("r", 8, "", "n0")
    gang = dataclasses.replace(gang, annotations={})
    policy = {"durations": {"history": {"ns": ["1h", "2h", "4h"]}, "quantile": 0.6}}
    world = cluster((node("n0"),), (waiting("a", 8, "1h"),), ((gang, pod),), policy=policy)
    entry = _entry(_make(world), "a")
    assert entry.starts_at == "2026-09-15T22:00:00Z"
    assert (entry.earliest, entry.latest) == ("2026-09-15T22:00:00Z", "2026-09-16T00:00:00Z")


def test_what_does_not_pack_is_cut_and_scheduled_later() -> None:
    """Eight GPUs are free, four on each of two nodes: a pod of eight waits until one node is empty."""
    runs = (running("r", 4, "2h", "n0"), running("s", 4, "3h", "n1"))
    result = _make(cluster((node("n0"), node("n1")), (waiting("a", 8, "1h"),), runs))
    assert _runs(result, "a") == [(2, 3)]


def test_a_schedule_needs_a_time() -> None:
    _, policy = cluster((node("n0"),), (waiting("a", 8, "1h"),))
    with pytest.raises(InputError, match="set `now`"):
        schedule_horizon(dataclasses.replace(policy, now=""), ScheduleOptions())
    assert schedule_horizon(policy, ScheduleOptions()).start == START
