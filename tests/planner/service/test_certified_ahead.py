"""Bounds found while gangs are gathered are those found after it, and hold for the plan that comes of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from planner.formulations.placement.build import BuiltModel
from planner.prepare import cells
from planner.prepare.disaggregate import Assignment
from planner.problem.limits import Limits
from planner.service import certified_ahead, meanwhile
from planner.service.certified import certified
from planner.service.outcome import Outcome, SearchSettings
from planner.service.placement_search import PlacementSearch
from planner.service.search_steps import SearchSteps
from planner.solve.tiers import TierResult
from planner.testing.by_hand import gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.problems import classes_of, prepared_of


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Models count over domains, the first plan is empty, there are two cores, and threads that certify are named."""
    names: list[str] = []
    fill = SearchSteps._fill

    def told(built: BuiltModel, *given: Any, **named: Any) -> tuple[TierResult, ...]:
        names.append(threading.current_thread().name)
        return certified(built, *given, **named)

    def exactly(self: SearchSteps, assignment: Assignment, *, exact: bool) -> None:
        if exact:
            fill(self, assignment, exact=exact)

    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    monkeypatch.setattr(SearchSteps, "_fill", exactly)
    monkeypatch.setattr(meanwhile, "usable_cores", lambda: 2)
    monkeypatch.setattr(certified_ahead, "certified", told)
    return names


def _planned(workers: int) -> Outcome:
    """Leaves of two whole nodes; gangs of three pods of four GPUs, and of pairs that find their nodes taken."""
    nodes = [gpu_node(f"{name}{number}") for name in "abcd" for number in range(2)]
    leaves = [leaf(name, f"{name}0", f"{name}1") for name in "abcd"]
    gangs = [together(work(f"g{number}", 3, 4)) for number in range(4)]
    gangs += [work(f"one{number}", 1, 4, priority=1) for number in range(3)]
    gangs += [together(work(f"pair{number}", 2, 2, priority=1)) for number in range(3)]
    prepared = prepared_of(snapshot_of(*nodes, *leaves, gpu_queue("q"), *gangs))
    settings = SearchSettings(Limits(time_limit_s=600.0, workers=workers))
    return PlacementSearch(prepared.problem, classes_of(prepared), settings).run()


def _proved(plan: Outcome) -> Sequence[tuple[str, int, int | None]]:
    return [(tier.goal.name, tier.value, tier.bound) for tier in plan.tiers]


def test_a_second_core_changes_no_value_and_no_bound(beside: list[str]) -> None:
    alone = _planned(1)
    assert not beside
    both = _planned(2)
    assert beside == ["meanwhile"]
    assert _proved(both) == _proved(alone)
    assert both.assignment == alone.assignment
    assert all(tier.bound is not None for tier in both.tiers)


def test_a_plan_that_starts_others_once_gathered_has_bounds_of_its_own(
    beside: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gathered = SearchSteps._gathered

    def without_one(self: SearchSteps, filled: Assignment) -> Assignment:
        found = gathered(self, filled)
        last = max(found.pods)
        return Assignment({index: spots for index, spots in found.pods.items() if index != last})

    monkeypatch.setattr(SearchSteps, "_gathered", without_one)
    alone = _planned(1)
    assert _proved(_planned(2)) == _proved(alone)
    assert beside == ["meanwhile"]
