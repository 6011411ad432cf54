"""Schedules of random clusters pass the independent check: any queue model, roles, subgroups, loans, both searches."""

from __future__ import annotations

import dataclasses
import random

import pytest

from models.horizon import Horizon
from models.lending import LendingLimits, PoolLending
from models.pools import pool_of
from planner.problem.limits import Limits
from planner.schedule import search
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.random_snapshots import random_case

NOW = "2026-09-15T20:00:00Z"
OPTIONS = ScheduleOptions(
    horizon_s=5 * 3600,
    bucket_s=3600,
    exact_buckets=2,
    limits=Limits(time_limit_s=5.0, workers=1, deterministic=True),
)


def _world(seed: int):
    case, rng = random_case(seed, "tiny"), random.Random(seed)
    gangs = []
    for gang in case.snapshot.gangs:
        marks = dict(gang.annotations)
        if rng.random() < 0.8:
            marks["gangplan.io/runtime"] = rng.choice(("1h", "90m", "3h", "7h"))
        if rng.random() < 0.3:
            marks["gangplan.io/checkpoint-interval"] = "30m"
        gangs.append(dataclasses.replace(gang, annotations=marks))
    snapshot = dataclasses.replace(case.snapshot, gangs=tuple(gangs), as_of=NOW)
    policy = dataclasses.replace(case.policy, now=case.policy.now or NOW)
    names = ("nvidia.com/gpu", "amd.com/gpu")
    pools = sorted({pool_of(node, policy.policy.gpu_models, names) for node in snapshot.nodes})
    return snapshot, policy, pools, rng


def _lending(pools: list[str], rng: random.Random, horizon: Horizon) -> LendingLimits | None:
    found = []
    for pool in pools:
        if rng.random() < 0.5:
            owned = rng.randrange(1, 9)
            lendable = tuple(rng.randrange(owned + 1) for _ in range(horizon.count))
            slow = tuple(rng.randrange(one + 1) for one in lendable)
            found.append(
                PoolLending(pool=pool, owned_gpus=owned, lendable_gpus=lendable, slow_gpus=slow)
            )
    return LendingLimits(edges=horizon.edges, pools=tuple(found)) if found else None


@pytest.mark.parametrize("seed", range(8))
def test_a_random_schedule_passes_the_check(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:
        monkeypatch.setattr(search, "WHOLE_COLUMNS", 0)
    snapshot, policy, pools, rng = _world(seed)
    result = make_schedule(
        snapshot, policy, lambda horizon: _lending(pools, rng, horizon), OPTIONS, guard=False
    )
    assert result.verification is not None
    assert result.verification.violations == ()
    assert result.schedule is not None
    waiting = {gang.full_name for gang in result.gangs if gang.decision in ("wait", "start")}
    told = {gang.full_name for gang in result.schedule.gangs}
    assert waiting <= told
    for gang in result.schedule.gangs:
        assert gang.status != "waits" or gang.reasons


def test_the_same_input_gives_the_same_document() -> None:
    snapshot, policy, _, _ = _world(3)
    one, two = (make_schedule(snapshot, policy, None, OPTIONS, guard=False) for _ in range(2))
    fixed = {"seconds": 0.0, "stages": ()}
    texts = []
    for result in (one, two):
        tiers = tuple(t.model_copy(update={"seconds": 0.0}) for t in result.certificate.tiers)
        plain = result.certificate.model_copy(update={**fixed, "tiers": tiers})
        texts.append(result.model_copy(update={"certificate": plain}).model_dump_json())
    assert texts[0] == texts[1]
