"""Changes of the snapshot whose effect on the tier values is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from models.plan import PlanResult
from models.resources import CPU, MEMORY, PODS, Resources
from models.snapshot import Snapshot
from planner.testing.oracle.best_vector import best_vector
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.start_tiers import StartTiers, as_score
from planner.testing.random_nodes import GIB, GPU
from planner.testing.random_snapshots import RandomCase, random_case
from planner.testing.variants import created_apart, renamed, reordered, useless_node, with_node

PlanOf = Callable[..., PlanResult]
SEEDS = range(2000, 2012)


def _tiers(plan: PlanResult) -> dict[str, int]:
    return {tier.name: tier.value for tier in plan.certificate.tiers}


@pytest.mark.parametrize("part", range(3))
def test_order_names_and_useless_nodes_change_no_tier(part: int, plan_of: PlanOf) -> None:
    for seed in SEEDS[part::3]:
        case = random_case(seed)
        original = created_apart(case.snapshot)
        wanted = _tiers(plan_of(original, case.policy))
        for changed in (
            reordered(original, seed),
            renamed(original, seed),
            with_node(original, useless_node()),
        ):
            assert _tiers(plan_of(changed, case.policy)) == wanted, case.name


@pytest.mark.parametrize("seed", range(420, 436))
def test_the_enumeration_itself_does_not_depend_on_order_or_names(seed: int) -> None:
    case = random_case(seed)
    original = created_apart(case.snapshot)
    wanted = best_vector(original, case.policy)
    assert best_vector(reordered(original, seed), case.policy) == wanted
    assert best_vector(renamed(original, seed), case.policy) == wanted
    assert best_vector(with_node(original, useless_node()), case.policy) == wanted


def test_small_clusters_do_not_depend_on_order_or_names(plan_of: PlanOf) -> None:
    case = random_case(7, "small", "proportion")
    original = created_apart(case.snapshot)
    wanted = _tiers(plan_of(original, case.policy))
    assert _tiers(plan_of(reordered(original, 1), case.policy)) == wanted
    assert _tiers(plan_of(renamed(original, 1), case.policy)) == wanted


def _larger(snapshot: Snapshot) -> Snapshot:
    amounts = Resources({CPU: 16000, MEMORY: 64 * GIB, PODS: 20, GPU: 4})
    node = replace(useless_node("n-new"), allocatable=amounts, capacity=amounts)
    return with_node(snapshot, node)


def _standing(case: RandomCase) -> tuple[object, ...]:
    """What has to stay fixed: limits, entitlements, startable set, classes and ranks."""
    situation = Situation(case.snapshot, case.policy)
    dimensions = (GPU, CPU, MEMORY)
    shares = [
        (situation.shares.limit(queue.name, one), situation.shares.deserved(queue.name, one))
        for queue in case.snapshot.queues
        for one in dimensions
    ]
    return (shares, StartTiers(situation).places)


def test_one_node_more_is_never_worse_where_standings_stay(plan_of: PlanOf) -> None:
    held = 0
    for seed in range(3000, 3030):
        case = random_case(seed, queue_model="hierarchy")
        larger = replace(case, snapshot=_larger(case.snapshot))
        if _standing(case) != _standing(larger):
            continue
        held += 1
        before = best_vector(case.snapshot, case.policy)
        after = best_vector(larger.snapshot, larger.policy)
        assert list(after) == list(before), case.name
        assert as_score(after) >= as_score(before), case.name
        if held <= 4:
            planned = _tiers(plan_of(larger.snapshot, larger.policy))
            assert as_score(planned) >= as_score(_tiers(plan_of(case.snapshot, case.policy)))
    assert held >= 5
