"""Bounds found while gangs are gathered are those found after it, and hold for the plan that comes of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from planner.model.build import BuiltModel
from planner.reduce import partition as cells
from planner.reduce.disaggregate import Assignment
from planner.runtime import concurrent as meanwhile
from planner.search.outcome import Outcome
from planner.search.search_steps import SearchSteps
from planner.search.stages.bound import concurrent_bounds as certified_ahead
from planner.search.stages.bound.tier_bounds import certified
from planner.solve.tiers import TierResult
from planner.testing.crowded_leaves import searched


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


def _proved(plan: Outcome) -> Sequence[tuple[str, int, int | None]]:
    return [(tier.goal.name, tier.value, tier.bound) for tier in plan.tiers]


def test_a_second_core_changes_no_value_and_no_bound(beside: list[str]) -> None:
    alone = searched(1)
    assert not beside
    both = searched(2)
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
    alone = searched(1)
    assert _proved(searched(2)) == _proved(alone)
    assert beside == ["meanwhile"]
