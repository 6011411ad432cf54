"""Evictions for pods that share GPU cards: every plan is verified, and as good as trying everything."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, shares, snapshot_of, work
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan

MILLIS = (250, 300, 400, 500, 600, 700)


def _plan(snapshot: Snapshot, *evict: str) -> PlanResult:
    policy = policy_for(snapshot, "capacity", evict=evict)
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    return make_plan(snapshot, policy, limits, guard=False)


def _decided(plan: PlanResult) -> dict[str, str]:
    return {entry.name: entry.decision for entry in plan.gangs}


def _on_card(one: Work, card: int) -> Work:
    marks = {"gangplan.io/gpu-index": str(card)}
    pods = tuple(replace(pod, annotations={**pod.annotations, **marks}) for pod in one.pods)
    return replace(one, pods=pods)


def _cluster(seed: int) -> tuple[Snapshot, list[tuple[int, int]], int, int]:
    """One node with two cards, running shares (size, card) of priority 0, one waiting gang of priority 10."""
    rng = Random(f"cards/{seed}")
    running, left = [], [1000, 1000]
    for _ in range(rng.randint(2, 5)):
        size = rng.choice(MILLIS)
        card = next((c for c in rng.sample((0, 1), 2) if left[c] >= size), None)
        if card is not None:
            left[card] -= size
            running.append((size, card))
    asked, pods = rng.choice((500, 600, 700, 900)), rng.choice((1, 1, 2))
    works = [
        _on_card(shares(f"low{i}", 1, size, nodes=("n1",)), card)
        for i, (size, card) in enumerate(running)
    ]
    comer = shares("comer", pods, asked, priority=10)
    snapshot = snapshot_of(gpu_node("n1", 2), gpu_queue("q"), *works, comer)
    return snapshot, running, asked, pods


def _fits(stays: list[tuple[int, int]], asked: int, pods: int) -> bool:
    """Whether so many shares fit beside those that stay on their cards."""
    left = [1000 - sum(size for size, on in stays if on == card) for card in (0, 1)]
    return sum(room // asked for room in left) >= pods


@pytest.mark.parametrize("seed", range(12))
def test_a_share_that_waits_starts_with_the_fewest_victims(seed: int) -> None:
    snapshot, running, asked, pods = _cluster(seed)
    plan = _plan(snapshot, "preempt")
    assert plan.verification is not None
    assert plan.verification.violations == ()
    least = next(
        count
        for count in range(len(running) + 1)
        if any(
            _fits([one for i, one in enumerate(running) if i not in gone], asked, pods)
            for gone in combinations(range(len(running)), count)
        )
    )
    assert _decided(plan)["comer"] == "start"
    assert plan.summary.pods_evicted == least


@pytest.mark.parametrize("seed", range(12))
def test_bounds_with_shares_hold(seed: int) -> None:
    snapshot, *_ = _cluster(seed)
    plan = _plan(snapshot, "preempt", "reclaim")
    for one in plan.certificate.tiers:
        if one.bound is not None:
            assert one.bound >= one.value if one.sense == "max" else one.bound <= one.value


def test_a_whole_gpu_and_a_share_trade_places() -> None:
    low = _on_card(work("low", 1, 1, nodes=("n1",)), 0)
    share = _on_card(shares("share", 1, 500, nodes=("n1",)), 1)
    high = shares("high", 2, 800, priority=9)
    snapshot = snapshot_of(gpu_node("n1", 2), gpu_queue("q"), low, share, high)
    plan = _plan(snapshot, "preempt")
    assert _decided(plan)["high"] == "start"
    assert plan.verification is not None
    assert plan.verification.violations == ()
