"""Plans made without a model: legal, never worse than nothing, and better after moves."""

from __future__ import annotations

from benchmarks.reclaim_clusters import make_snapshot
from models.entries import gang_entries
from models.plan import PlanResult
from models.rules import RuleId
from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.encode.victims.victims import possible_victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import gang_classes
from planner.reduce.pod_placements import placements
from planner.search.construct.victim_needed import NeededVictims
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.evict.greedy_victims import GreedyVictims
from planner.search.stages.evict.victim_checks import PlanCheck
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import RandomCase, policy_for
from planner.verify.check import verify

ASIDE = {RuleId.DOCUMENT, RuleId.NO_UNDOING}
"""Not decided here: the document, and what happens in the next round."""


def _broken(case: RandomCase) -> tuple[set[str], Assignment]:
    prepared = prepare(case.snapshot, case.policy, exact_least)
    victims = possible_victims(prepared)
    if victims is None:
        return set(), Assignment({})
    problem = prepared.problem
    startable = startable_demands(problem, exact_fit, victims)
    apart = {gang.demand for gang in victims.gangs}
    classes = gang_classes(problem, standings(prepared, startable, victims), apart=apart)
    check = PlanCheck(problem, victims, classes, NeededVictims(problem, victims, classes))
    maker = GreedyVictims(problem, victims, classes, check, lambda: False, {})
    plan = maker.plan(Assignment({}))
    entries = gang_entries(case.snapshot, placements(problem, plan), evicted=plan.evicted)
    found = verify(case.snapshot, case.policy, PlanResult(gangs=entries)).violations
    return {one.rule for one in found} - ASIDE, plan


def test_random_plans_are_legal_and_some_evict() -> None:
    evicting = 0
    for seed in range(40):
        case = evicting_case(seed)
        broken, plan = _broken(case)
        assert broken == set(), case.name
        evicting += bool(plan.evicted)
    assert evicting >= 4


def test_moves_cost_fewer_gangs_than_the_first_plan() -> None:
    snapshot = make_snapshot(30, "scattered", seed=4)
    case = RandomCase("scattered", snapshot, policy_for(snapshot, "capacity", evict=("reclaim",)))
    prepared = prepare(snapshot, case.policy, exact_least)
    victims = possible_victims(prepared)
    assert victims is not None
    problem = prepared.problem
    classes = gang_classes(
        problem, standings(prepared, startable_demands(problem, exact_fit, victims), victims)
    )
    check = PlanCheck(problem, victims, classes, NeededVictims(problem, victims, classes))
    maker = GreedyVictims(problem, victims, classes, check, lambda: False, {})
    first = maker.plan(Assignment({}))
    better = maker.improved(first, seed=1)
    assert better is not None
    assert check.fault(better) is None
    gangs = [
        len({snapshot.pod_by_name[name].gang for name in plan.evicted}) for plan in (first, better)
    ]
    assert gangs[1] <= gangs[0]
    assert set(better.pods) == set(first.pods)
    assert maker.improved(Assignment({}), seed=1) is None
