"""Steps of a search leave the plans that it knows as they are."""

from __future__ import annotations

from planner.problem.limits import Limits
from planner.reduce.disaggregate import Assignment
from planner.search.outcome import SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import classes_of, prepared_of


def test_completing_a_solution_does_not_change_the_plan_that_it_comes_from() -> None:
    """Elastic pods once came into both, so that the plan held more than its nodes have room for."""
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), work("x", 4, 1, minimum=2))
    prepared = prepared_of(snapshot)
    settings = SearchSettings(limits=Limits(time_limit_s=20, workers=1))
    search = PlacementSearch(prepared.problem, classes_of(prepared), settings)
    known = Assignment({0: {0: [(0, 2)]}})
    built = search.model()
    values = plan_values(built, known)
    search._known = (values, known)
    goal = next(tier for tier in built.tiers if tier.name.endswith(".gangs"))
    search._complete(built, values, goal, None)
    assert search._known[1].pods == {0: {0: [(0, 2), (0, 2)]}}
    assert known.pods == {0: {0: [(0, 2)]}}
