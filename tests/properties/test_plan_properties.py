"""P1-P3: no correct plan runs a waiting gang together with what runs, except what may make way for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from models.plan import PlanResult
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.start_tiers import StartTiers
from planner.testing.random_snapshots import random_case
from planner.testing.variants import asking_only

Started = Callable[[PlanResult], frozenset[str]]


@pytest.mark.parametrize("batch", range(3))
def test_enumeration_finds_no_better_company_for_a_waiting_gang(
    batch: int, plan_of: Callable[..., PlanResult], started_by: Started
) -> None:
    for seed in range(1000 + batch * 20, 1020 + batch * 20):
        case = random_case(seed)
        if case.policy.policy.objective == "throughput":
            continue
        situation = Situation(case.snapshot, case.policy)
        places = StartTiers(situation).places
        plan = plan_of(case.snapshot, case.policy)
        started = started_by(plan)
        assert situation.can_start(started), case.name
        grown = _ranks_with_elastic_pods(plan)
        for name in set(situation.startable) - started:
            queue, place = situation.startable[name].queue, places[name]
            if any(rank < place.rank for rank in grown):
                continue  # new elastic pods do not yield to gangs of ranks below theirs
            assert not situation.can_start({name, *started}), f"P3 {case.name} {name}"
            same = {n for n in started if situation.startable[n].queue == queue}
            lower = {n for n in same if places[n].rank > place.rank}
            assert not situation.can_start({name, *started - lower}), f"P1 {case.name} {name}"
            if place.tier_class == "covered" and case.policy.policy.priority_scope == "queue":
                lent = {n for n in started - same if places[n].tier_class == "rest"}
                assert not situation.can_start({name, *started - lent}), f"P2 {case.name} {name}"


def _ranks_with_elastic_pods(plan: PlanResult) -> set[int]:
    """Ranks of gangs that receive pods beyond their minimum."""
    found = set()
    for entry in plan.gangs:
        new = sum(one.count for one in entry.pods if one.action == "place")
        least = 0 if entry.decision == "grow" else max(entry.min_member, 1)
        if new > least:
            found.add(entry.rank or 0)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_planning_again_with_only_the_company_does_not_start_a_waiting_gang(
    seed: int, plan_of: Callable[..., PlanResult], started_by: Started
) -> None:
    """P3 by re-solving, on clusters too large to enumerate; limits of capacity do not depend on who asks."""
    case = random_case(seed, "small", "capacity")
    plan = plan_of(case.snapshot, case.policy)
    assert plan.certificate.properties == "proved"
    started = started_by(plan)
    waiting = [one for one in plan.gangs if one.startable and one.full_name not in started]
    for entry in waiting[:3]:
        company = {entry.full_name, *started}
        again = plan_of(asking_only(case.snapshot, company), case.policy)
        assert started_by(again) != company, (case.name, entry.full_name)
