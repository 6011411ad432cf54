"""What is prepared for the formulation equals what the enumeration derives from the rules."""

from __future__ import annotations

import pytest

from planner.testing.oracle.situation import Situation
from planner.testing.oracle.start_tiers import StartTiers
from planner.testing.random_snapshots import random_case

prepared_module = pytest.importorskip("planner.encode.prepared")
standings_module = pytest.importorskip("planner.encode.eligibility")
alone = pytest.importorskip("planner.capacity.fits_alone")
exact = pytest.importorskip("planner.search.exact.least_need_by_cpsat")
exact_fit = pytest.importorskip("planner.search.exact.fit_by_cpsat")
presolve = pytest.importorskip("planner.search.stages.presolve.startable")
fit = pytest.importorskip("planner.capacity.fit")

BATCHES, PER_BATCH = 4, 40
OVERLAPPING = (176, 617, 776, 850, 1101, 1303)
"""Roles or subgroups whose minima overlap: greedy counting was once wrong here."""


@pytest.mark.parametrize("batch", range(BATCHES))
def test_minima_ranks_and_coverage_equal_the_enumeration(batch: int) -> None:
    extra = OVERLAPPING if batch == 0 else ()
    for seed in (*range(batch * PER_BATCH, (batch + 1) * PER_BATCH), *extra):
        case = random_case(seed)
        situation = Situation(case.snapshot, case.policy)
        prepared = prepared_module.prepare(case.snapshot, case.policy, exact.exact_least)
        problem = prepared.problem
        demand_of = {problem.gang_names[one.gang]: one for one in problem.demands}
        number = {problem.gang_names[one.gang]: i for i, one in enumerate(problem.demands)}
        for name, view in situation.waiting.items():
            usable = bool(view.minimal) and situation.shares.open_for_work(view.queue)
            assert (name in demand_of) == usable, (case.name, name)
            if usable:
                least = [view.least_request.amount(one) for one in problem.dimensions[:-1]]
                found = demand_of[name].minimum
                assert found == (*least, view.least_pods), (case.name, name)
                quick = alone.quick_fit(problem, demand_of[name], fit.Room(problem))
                assert quick in (None, name in situation.startable), (case.name, name)
        if case.policy.policy.objective == "throughput":
            continue
        # Running gangs of whose waiting pods one more fits count for the ranks of the others.
        alike = [
            i
            for i in presolve.startable_demands(problem, exact_fit.exact_fit)
            if problem.demands[i].ready
        ]
        begins = [number[n] for n in situation.startable]
        found = standings_module.standings(prepared, [*begins, *alike])
        assert {
            problem.gang_names[problem.demands[one.demand].gang]: (one.tier_class, one.rank)
            for one in found
            if one.tier_class
        } == {
            name: (place.tier_class, place.rank)
            for name, place in StartTiers(situation).places.items()
        }, case.name
