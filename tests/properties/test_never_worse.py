"""The answer is never worse than any plan on the way, the plan without evictions, the baseline or a shorter search."""

from __future__ import annotations

from itertools import pairwise

import pytest

from planner.encode.prepared import prepare
from planner.problem.limits import Limits
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.simulate.baseline import verified_run
from planner.testing.random_elastic import elastic_case
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import RandomCase, random_case
from planner.testing.random_topology import evicting_topology_case, topology_case
from planner.testing.recorded_plans import (
    is_worse,
    plan_and_offers,
    started_again,
    values_of,
    without_evictions,
)

WORK = 3.0
"""Deterministic work of a search."""
CASES = [
    *(random_case(seed, "small") for seed in range(40_000, 40_004)),
    *(evicting_case(seed) for seed in range(40_000, 40_006)),
    evicting_case(1064),  # nodes that are full in every way
    *(topology_case(seed) for seed in range(40_000, 40_003)),
    *(evicting_topology_case(seed) for seed in range(40_000, 40_004)),
    *(elastic_case(seed, evicting=True) for seed in range(40_000, 40_003)),
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_nothing_that_is_known_to_be_better_is_thrown_away(case: RandomCase) -> None:
    snapshot, policy = case.snapshot, case.policy
    limits = Limits(WORK, workers=1, deterministic=True)
    plan, offers = plan_and_offers(snapshot, policy, limits)
    assert offers
    tiers = plan.certificate.tiers
    assert [found for values in offers if (found := is_worse(tiers, values))] == []
    prepared = prepare(snapshot, policy, exact_least)
    if policy.evict:
        other, _ = plan_and_offers(snapshot, without_evictions(policy), limits)
        stays = values_of(snapshot, policy, prepared.problem, started_again(prepared, other))
        assert stays is not None
        assert is_worse(tiers, stays) == ""
    greedy = verified_run(snapshot, policy, prepared.ruled)
    if greedy is not None and not greedy.victims:
        assert is_worse(tiers, greedy.tiers) == ""


@pytest.mark.parametrize("seed", range(40_100, 40_104))
def test_a_longer_search_is_no_worse_than_a_shorter_one(seed: int) -> None:
    case = evicting_case(seed)
    found = []
    for work in (0.5, 2.0, 8.0):
        limits = Limits(work, workers=1, deterministic=True)
        found.append(plan_and_offers(case.snapshot, case.policy, limits)[0].certificate.tiers)
    for shorter, longer in pairwise(found):
        assert is_worse(longer, {one.name: one.value for one in shorter}) == ""
