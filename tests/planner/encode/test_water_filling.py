"""Volcano's proportion plugin: deserved by weight, capped by request and ceiling, lifted to the guarantee."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from planner.encode.water_filling import Claim, water_filling, whole_limit

GPU = "nvidia.com/gpu"
Shares = dict[str, dict[str, Fraction]]


def _claim(
    name: str, request: int, *, weight: int = 1, ceiling: int = 100, guarantee: int = 0
) -> Claim:
    return Claim(name, weight, {GPU: request}, {GPU: ceiling}, {GPU: guarantee})


def _gpus(total: int, *claims: Claim) -> dict[str, Fraction]:
    return {name: share[GPU] for name, share in water_filling({GPU: total}, claims).items()}


def test_everybody_is_met_where_there_is_enough() -> None:
    assert _gpus(16, _claim("a", 6), _claim("b", 8)) == {"a": 6, "b": 8}


def test_a_shortage_is_divided_by_weight() -> None:
    assert _gpus(12, _claim("a", 50), _claim("b", 50, weight=3)) == {"a": 3, "b": 9}


def test_shares_are_exact_fractions() -> None:
    assert _gpus(8, *(_claim(name, 50) for name in "abc")) == dict.fromkeys("abc", Fraction(8, 3))


def test_what_a_modest_queue_leaves_goes_to_the_others_by_weight() -> None:
    # First round 4, 4, 8 of 16; a needs 1, so 3 are left for b and c: 1 and 2.
    found = _gpus(16, _claim("a", 1), _claim("b", 50), _claim("c", 50, weight=2))
    assert found["a"] == 1
    assert found["b"] == pytest.approx(5, abs=1e-6)
    assert found["c"] == pytest.approx(10, abs=1e-6)


def test_a_ceiling_stops_a_queue_and_the_rest_flows_on() -> None:
    found = _gpus(10, _claim("a", 50, ceiling=2), _claim("b", 50))
    assert found["a"] == 2
    assert whole_limit(found["b"]) == 8


def test_a_guarantee_is_kept_even_without_a_request() -> None:
    found = _gpus(8, _claim("a", 0, guarantee=3), _claim("b", 50))
    assert found["a"] == 3
    assert whole_limit(found["b"]) == 5


def test_a_queue_met_in_one_dimension_only_stays_in_the_round() -> None:
    claims = [
        Claim("a", 1, {"cpu": 1000, GPU: 8}, {"cpu": 9000, GPU: 8}, {}),
        Claim("b", 1, {"cpu": 9000, GPU: 0}, {"cpu": 9000, GPU: 8}, {}),
    ]
    shares = water_filling({"cpu": 8000, GPU: 8}, claims)
    assert shares["a"]["cpu"] == 1000
    assert whole_limit(shares["b"]["cpu"]) == 7000
    assert whole_limit(shares["a"][GPU]) == 8
    assert shares["b"][GPU] == 0


@pytest.mark.parametrize("claims", [[], [_claim("a", 5, weight=0)]])
def test_nobody_to_fill_is_no_fault(claims: list[Claim]) -> None:
    assert _gpus(8, *claims) == {claim.name: 0 for claim in claims}


@pytest.mark.parametrize(
    ("share", "whole"),
    [
        (Fraction(0), 0),
        (Fraction(5), 5),
        (Fraction(2998, 1000), 2),
        (Fraction(2999999, 1000000), 3),
        (Fraction(3 * 10**12), 3 * 10**12 + 3000),
    ],
)
def test_a_limit_process_that_stops_a_hair_below_counts_as_whole(
    share: Fraction, whole: int
) -> None:
    assert whole_limit(share) == whole


@pytest.fixture(scope="module")
def checked(shared: Path) -> Callable[..., Shares]:
    tools = shared / "tools"
    if not (tools / "casecheck" / "volcano_queues.py").is_file():
        pytest.skip("the conformance checker beside the checkout is absent")
    sys.path.insert(0, str(tools))
    try:
        from casecheck.volcano_queues import water_fill
    finally:
        sys.path.remove(str(tools))
    found: Callable[..., Shares] = water_fill
    return found


def _random_claims(rng: Random, total: Mapping[str, int]) -> list[Claim]:
    def amounts(most: float) -> dict[str, int]:
        return {
            name: int(rng.random() * most * amount)
            for name, amount in total.items()
            if rng.random() < 0.8
        }

    return [
        Claim(
            f"q{place}",
            rng.choice((1, 1, 2, 5, 30)),
            amounts(1.0),
            {name: int(amount * rng.choice((0.3, 1, 1))) for name, amount in total.items()},
            amounts(0.15) if rng.random() < 0.4 else {},
        )
        for place in range(rng.randint(1, 6))
    ]


def test_random_fillings_agree_with_the_checker(checked: Callable[..., Shares]) -> None:
    for seed in range(150):
        rng = Random(seed)
        total = {
            "cpu": rng.randrange(1000, 10**6),
            "memory": rng.randrange(10**12),
            GPU: rng.randrange(300),
        }
        claims = _random_claims(rng, total)
        queues: list[Any] = [
            SimpleNamespace(name=c.name, weight=c.weight, guarantee=c.guarantee) for c in claims
        ]
        wanted = checked(
            total, queues, {c.name: c.request for c in claims}, {c.name: c.ceiling for c in claims}
        )
        found = water_filling(total, claims)
        for name, share in wanted.items():
            for dimension, amount in share.items():
                assert abs(found[name][dimension] - amount) <= 1 + amount / 10**9, (
                    seed,
                    name,
                    dimension,
                )
                assert whole_limit(found[name][dimension]) == whole_limit(amount), (seed, name)
