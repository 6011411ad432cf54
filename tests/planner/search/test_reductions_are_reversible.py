"""Classes of nodes and gangs give the values of the model that has every node and every gang for itself."""

from __future__ import annotations

import pytest

from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.problem.limits import Limits
from planner.reduce.gang_classes import gang_classes
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.random_snapshots import RandomCase, random_case

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


def _plan(case: RandomCase, *, aggregate: bool) -> tuple[Outcome, int]:
    """The outcome, and how many groups and classes the model has."""
    prepared = prepare(case.snapshot, case.policy, exact_least)
    placed_in = standings(prepared, startable_demands(prepared.problem, exact_fit))
    classes = gang_classes(prepared.problem, placed_in, aggregate=aggregate)
    settings = SearchSettings(limits=LIMITS, aggregate=aggregate)
    outcome = PlacementSearch(prepared.problem, classes, settings).run()
    return outcome, len(classes) + outcome.groups


@pytest.mark.parametrize("batch", range(3))
def test_reduced_and_unreduced_models_agree_in_every_tier(batch: int) -> None:
    smaller = 0
    for seed in range(7000 + 12 * batch, 7012 + 12 * batch):
        case = random_case(seed, "twins")
        reduced, size = _plan(case, aggregate=True)
        whole, full_size = _plan(case, aggregate=False)
        assert reduced.proved, case.name
        assert whole.proved, case.name
        assert [(one.goal.name, one.value) for one in reduced.tiers] == [
            (one.goal.name, one.value) for one in whole.tiers
        ], case.name
        smaller += size < full_size
    assert smaller >= 4, "most of these snapshots have equal nodes or gangs"
