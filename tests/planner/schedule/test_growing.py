"""Pods above the minimum of a gang that starts fill what is free to the end of its run."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest

from models.effective import EffectivePolicy
from models.lending import DemandCurve, LendingLimits, PoolLending
from models.plan import PlanResult
from models.queues import Queue
from models.resources import Resources
from models.schedule import ScheduledGang
from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import GPU, HOUR, cluster, hours, node, running, spec, waiting
from planner.usecases.inputs.checked_input import read_checked
from planner.verify.check import verify

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)
Night = tuple[PlanResult, Snapshot, EffectivePolicy]


def _elastic(name: str, pods: int, minimum: int, runtime: str) -> Gang:
    return dataclasses.replace(waiting(name, 1, runtime, pods=pods), min_member=minimum)


def _night(
    snapshot: Snapshot, policy: EffectivePolicy, limits: LendingLimits | None = None
) -> Night:
    options = ScheduleOptions(horizon_s=4 * HOUR, bucket_s=HOUR, limits=LIMITS)
    return make_schedule(snapshot, policy, limits, options, guard=False), snapshot, policy


def _entry(result: PlanResult, name: str = "el") -> ScheduledGang:
    assert result.schedule is not None
    return next(one for one in result.schedule.gangs if one.name == name)


def _growth(result: PlanResult, name: str = "el") -> list[tuple[int, int, int]]:
    return [(one.start_bucket, one.end_bucket, one.pods) for one in _entry(result, name).grows]


def test_eight_pods_alone_on_eight_gpus_do_not_stay_two(shared: Path) -> None:
    folder = shared / "cases" / "faults"
    given = read_checked([str(folder / "z5.json")], policy_file=folder / "z2.pol.yaml")
    options = ScheduleOptions(horizon_s=12 * HOUR, limits=LIMITS)
    result = make_schedule(given.snapshot, given.policy, None, options, guard=False)
    entry = _entry(result)
    assert entry.gpus == 2
    assert [(one.pods, one.gpus, one.gpu_seconds) for one in entry.grows] == [(6, 6, 12 * HOUR)]
    assert result.schedule is not None
    assert result.schedule.growth_gpu_seconds == 12 * HOUR
    assert verify(given.snapshot, given.policy, result).violations == ()


def _with_service() -> Night:
    """A service holds one of 8 GPUs and needs five from the third hour on."""
    snapshot, policy = cluster(
        (node("n0"),),
        (_elastic("el", 8, 2, "3h"),),
        policy={"services": [{"name": "chat", "selector": {"app": "chat"}}]},
    )
    chat = Pod("svc", "chat-0", spec(1), node="n0", phase="Running", labels={"app": "chat"})
    held = (1, 1, 5, 5)
    pool = PoolLending(pool="p", owned_gpus=8, lendable_gpus=(7, 7, 3, 3), slow_gpus=(7, 7, 3, 3))
    limits = LendingLimits(
        edges=hours(4).edges,
        deadline_s=60,
        maximal_grace_s=60,
        pools=(pool,),
        demand=(DemandCurve(service="chat", pool="p", forecast=held, held=held),),
    )
    snapshot = dataclasses.replace(snapshot, pods=(*snapshot.pods, chat))
    return _night(snapshot, policy, limits)


def test_nothing_grows_past_a_return() -> None:
    result, snapshot, policy = _with_service()
    assert _growth(result) == [(0, 3, 1)]
    assert verify(snapshot, policy, result).violations == ()


def test_it_grows_when_something_ends_and_keeps_the_queue_limit() -> None:
    room = running("other", 4, "1h", "n0")
    queue = Queue("q", capability=Resources({GPU: 7}))
    made = cluster((node("n0"),), (_elastic("el", 8, 2, "3h"),), (room,), (queue,))
    result, snapshot, policy = _night(*made)
    assert _growth(result) == [(0, 3, 1), (1, 3, 4)]  # 7 of the queue: 4 + 2 + 1, then 2 + 1 + 4
    assert verify(snapshot, policy, result).violations == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"pods": 7, "gpus": 7},
        {"end_bucket": 4},
        {"gpu_seconds": 5},
        {"node": "n9"},
        {"gpus": 1},
        {"requests": Resources({GPU: 1})},
    ],
)
def test_a_wrong_growth_is_found(wrong: dict[str, object]) -> None:
    result, snapshot, policy = _night(*cluster((node("n0"),), (_elastic("el", 8, 2, "3h"),)))
    entry, schedule = _entry(result), result.schedule
    assert _growth(result) == [(0, 3, 6)]
    assert schedule is not None
    changed = entry.model_copy(update={"grows": (entry.grows[0].model_copy(update=wrong),)})
    schedule = schedule.model_copy(update={"gangs": (changed,)})
    result = result.model_copy(update={"schedule": schedule})
    assert verify(snapshot, policy, result).violations


def test_growth_that_others_need_is_found() -> None:
    """The same GPUs twice: the growth of one gang where another runs."""
    gangs = (_elastic("el", 8, 4, "3h"), waiting("other", 4, "3h"))
    result, snapshot, policy = _night(*cluster((node("n0"),), gangs))
    assert _growth(result) == []
    alone, _, _ = _night(*cluster((node("n0"),), gangs[:1]))
    schedule = result.schedule
    assert schedule is not None
    told = tuple(
        one.model_copy(update={"grows": _entry(alone).grows}) if one.name == "el" else one
        for one in schedule.gangs
    )
    result = result.model_copy(update={"schedule": schedule.model_copy(update={"gangs": told})})
    assert verify(snapshot, policy, result).violations


@pytest.mark.parametrize("seed", range(20))
def test_growth_is_verified_on_random_nights(seed: int) -> None:
    rng = random.Random(seed)
    nodes = tuple(node(f"n{n}", rng.choice((4, 8))) for n in range(rng.randint(1, 3)))
    gangs = tuple(
        _elastic(
            f"g{n}", (pods := rng.randint(1, 8)), rng.randint(1, pods), f"{rng.randint(1, 3)}h"
        )
        for n in range(rng.randint(1, 4))
    )
    model = rng.choice(("capacity", "proportion"))
    runs = (running("r", rng.randint(1, 4), "1h", "n0"),)
    made = cluster(nodes, gangs, runs, policy={"queue_model": model})
    result, snapshot, policy = _night(*made)
    assert verify(snapshot, policy, result).violations == ()
