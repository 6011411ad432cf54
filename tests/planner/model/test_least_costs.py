"""What domain tiers cost at least beside the GPUs and gangs that start, without a model."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from planner.encode.prepared import prepare
from planner.problem.least_cost import Kind, LeastCost
from planner.problem.limits import Limits
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.bound.tier_bounds import certified
from planner.testing.problems import built_of
from planner.testing.random_topology import topology_case
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=30.0, workers=1, deterministic=True)


def _cheapest(kinds: tuple[Kind, ...], gpus: int, gangs: int) -> int | None:
    """Every number of every kind, tried."""
    found = [
        sum(n * one.cost for n, one in zip(numbers, kinds, strict=True))
        for numbers in itertools.product(*(range(one.count + 1) for one in kinds))
        if sum(n * one.gpus for n, one in zip(numbers, kinds, strict=True)) >= gpus
        and sum(numbers) >= gangs
    ]
    return min(found, default=None)


@pytest.mark.parametrize("seed", range(40))
def test_no_choice_of_gangs_costs_less(seed: int) -> None:
    draw = Random(seed)
    kinds = tuple(
        Kind(draw.randint(1, 3), draw.randint(0, 9), draw.choice([0, 1, 5, 12])) for _ in range(4)
    )
    least = LeastCost("rest.1", kinds)
    tight = 0
    for gpus, gangs in itertools.product(range(0, 60, 3), range(8)):
        bound = least.beside({"rest.1.gpus": gpus, "rest.1.gangs": gangs})
        best = _cheapest(kinds, gpus, gangs)
        assert best is None or bound <= best
        tight += best is not None and bound == best > 0
    assert tight


def test_tiers_of_other_gangs_cost_nothing() -> None:
    least = LeastCost("rest.1", (Kind(2, 8, 3),))
    assert least.beside({"covered.1.gpus": 16}) == 0
    assert least.beside({"rest.1.gpus": 9}) == 4, "3 for a gang, and an eighth of 3, rounded up"


def test_domain_tiers_that_no_time_is_left_for_are_bounded() -> None:
    """Bounds made without a model are not above what the best plan reaches, and most say something."""
    said = counted = 0
    for seed in range(40):
        case = topology_case(seed)
        tiers = make_plan(case.snapshot, case.policy, LIMITS, guard=False).certificate.tiers
        built = built_of(prepare(case.snapshot, case.policy, exact_least))
        assert [goal.name for goal in built.tiers] == [tier.name for tier in tiers]
        vector = [tier.value for tier in tiers]
        for one in certified(built, (), vector, workers=1, seconds=0.0):
            if one.goal.name.startswith("domains."):
                assert one.bound is not None
                assert one.bound <= one.value, case.name
                counted += one.value > 0
                said += one.bound > 0
    assert said > counted / 2 > 5
