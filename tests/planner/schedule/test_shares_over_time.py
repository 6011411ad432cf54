"""Shares under ``proportion``: what is asked for in a bucket is what runs or waits then in this schedule."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from models.plan import PlanResult
from models.queues import Queue
from planner.problem.limits import Limits
from planner.schedule import search
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import cluster, node, running, waiting
from planner.testing.tiny_horizons import TinyGang, TinyHorizon, best_values, loan_limits, world
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.inputs.lending import LendingSource

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)
SHARES = {"queue_model": "proportion"}
QUEUES = (Queue("q", weight=1), Queue("r", weight=1))


def _make(snapshot, policy, *, buckets: int = 6) -> PlanResult:
    options = ScheduleOptions(horizon_s=3600 * buckets, bucket_s=3600, limits=LIMITS)
    return make_schedule(snapshot, policy, None, options, guard=False)


def _starts(result: PlanResult) -> dict[str, int]:
    assert result.schedule is not None
    return {
        gang.name: gang.runs[0].start_bucket
        for gang in result.schedule.gangs
        if gang.status == "starts"
    }


def test_who_waits_for_a_running_gang_of_its_queue_starts_when_it_ends(shared: Path) -> None:
    """Its request was taken out at its earliest possible end, so it never started."""
    folder = shared / "cases" / "faults"
    given = read_checked([str(folder / "s5.json")], policy_file=folder / "s5.pol.yaml")
    result = make_schedule(
        given.snapshot, given.policy, None, ScheduleOptions(horizon_s=86_400, limits=LIMITS)
    )
    assert result.schedule is not None
    (entry,) = [gang for gang in result.schedule.gangs if gang.name == "next"]
    assert entry.starts_at == "2026-11-20T22:00:00Z"


def test_a_queue_may_use_at_night_what_a_service_asks_for_by_day(shared: Path) -> None:
    folder = shared / "cases" / "faults"
    files = ["t1.nodes.json", "t1.job.yaml", "s6.svc.json"]
    given = read_checked([str(folder / one) for one in files], policy_file=folder / "s6.pol.yaml")
    result = make_schedule(
        given.snapshot,
        given.policy,
        LendingSource(given.snapshot, given.policy.policy),
        ScheduleOptions(horizon_s=86_400, limits=LIMITS),
    )
    assert result.schedule is not None
    (entry,) = [gang for gang in result.schedule.gangs if gang.status == "starts"]
    assert (entry.starts_at, entry.gpus) == ("2026-11-20T22:00:00Z", 32)


def test_two_queues_that_want_everything_wait_for_each_other() -> None:
    """So does Volcano; the reason names the share and what would change it."""
    gangs = (waiting("a", 8, "1h", queue="q"), waiting("b", 8, "1h", queue="r"))
    result = _make(*cluster((node("n0"),), gangs, queues=QUEUES, policy=SHARES))
    assert _starts(result) == {}
    assert result.schedule is not None
    for entry in result.schedule.gangs:
        assert [reason.code for reason in entry.reasons] == ["quota"]
        assert "share of queue" in entry.reasons[0].message
        assert "weight" in entry.fixes[0]
    heavier = (Queue("q", weight=1000), Queue("r", weight=1))
    assert _starts(_make(*cluster((node("n0"),), gangs, queues=heavier, policy=SHARES))) == {}


def test_who_is_not_submitted_yet_asks_for_nothing() -> None:
    """Before 23:00 only q asks, afterwards both, and then r alone."""
    late = {"gangplan.io/earliest-start": "2026-09-15T23:00:00Z"}
    gangs = (
        waiting("a", 8, "2h", queue="q"),
        waiting("b", 8, "1h", queue="r", marks=late),
    )
    result = _make(*cluster((node("n0"),), gangs, queues=QUEUES, policy=SHARES))
    assert _starts(result) == {"a": 1, "b": 3}


@pytest.mark.parametrize("large", [False, True])
def test_a_share_that_shrinks_ends_no_run(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr(search, "WHOLE_COLUMNS", 0)
    late = {"gangplan.io/earliest-start": "2026-09-15T22:00:00Z"}
    gangs = (
        waiting(
            "a", 8, "4h", queue="q", marks={"gangplan.io/earliest-start": "2026-09-15T21:00:00Z"}
        ),
        waiting("b", 4, "1h", queue="r", marks=late),
    )
    runs = (running("r", 4, "1h", "n0", queue="q"),)
    result = _make(*cluster((node("n0"),), gangs, runs, QUEUES, SHARES))
    assert _starts(result) == {"a": 1, "b": 5}


def _tiny(seed: int) -> TinyHorizon:
    """Plain horizons, and every third with leaves, every second with a service that lends GPUs."""
    rng = random.Random(seed)
    hours = rng.randint(3, 5)
    nodes = tuple(rng.choice((4, 8)) for _ in range(rng.randint(1, 3) + (seed % 3 == 0)))
    leaves = tuple(place // 2 for place in range(len(nodes))) if seed % 3 == 0 else ()
    gangs = [
        TinyGang(
            f"g{number}",
            rng.choice("qr"),
            rng.choice((1, 1, 2, 3)),
            rng.choice((1, 2, 3, 4)),
            rng.randint(1, 3),
            rng.choice((0, 0, 10)),
            rng.choice((0, 0, 1)),
            leaf=bool(leaves) and rng.random() < 0.6,
        )
        for number in range(rng.randint(1, 4))
    ]
    if rng.random() < 0.5:
        gangs.append(TinyGang("run", rng.choice("qr"), 1, 4, rng.randint(1, 3), where=0))
    proportion = rng.random() < 0.7
    amounts = (1, 1, 3) if proportion else (None, 4, 6)
    queues = {name: rng.choice(amounts) for name in "qr"}
    service: tuple[tuple[int, int], ...] = ()
    kept: tuple[int, ...] = ()
    if seed % 2 and len(nodes) > 1:
        size = rng.choice((1, 2))
        spots = [rng.randrange(1, len(nodes)) for _ in range(rng.randint(1, 4))]
        service = tuple((place, size) for place in spots if spots.count(place) * size <= 4)
        owned = sum(gpus for _, gpus in service)
        kept = (owned, *(rng.randint(0, owned) for _ in range(hours - 1)))
    return TinyHorizon(hours, nodes, tuple(gangs), queues, proportion, leaves, service, kept)


@pytest.mark.parametrize("seed", range(25))
def test_tiny_horizons_have_the_value_that_enumeration_finds(seed: int) -> None:
    compare(_tiny(seed))


def compare(tiny: TinyHorizon) -> None:
    """The schedule's tiers have the best values of all schedules, and bounds say so."""
    value, _ = best_values(tiny)
    snapshot, policy = world(tiny)
    options = ScheduleOptions(horizon_s=3600 * tiny.hours, bucket_s=3600, limits=LIMITS)
    result = make_schedule(snapshot, policy, loan_limits(tiny), options, guard=False)
    told = [t for t in result.certificate.tiers if t.name.endswith((".gpu_hours", ".delay"))]
    found = tuple(t.value // 3600 if t.sense == "max" else -t.value // 3600 for t in told)
    assert found == value
    assert all(t.bound == t.value for t in told)
    assert result.schedule is not None
    starts = [gang for gang in result.schedule.gangs if gang.status == "starts"]
    assert all(run.nodes for gang in starts for run in gang.runs)
