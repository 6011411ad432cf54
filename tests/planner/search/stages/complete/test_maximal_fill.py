"""What still fits beside a plan starts, also where not everything may."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

import planner.search.stages.complete.maximal_fill as module
from planner.reduce.disaggregate import Assignment
from planner.search.outcome import Outcome
from planner.search.stages.complete.maximal_fill import last_pass

FITTING = range(6)


@dataclass
class Settings:
    tier_names: tuple[str, ...] | None = None


@dataclass
class Model:
    """Without any tier."""

    tiers: tuple[Any, ...] = ()


@dataclass
class Search:
    """A search of which some gangs, or two of them together, are not legal beside the evictions."""

    forbidden: frozenset[int]
    asked: list[frozenset[int]] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)

    def legal(self, plan: Assignment) -> bool:
        self.asked.append(frozenset(plan.pods))
        return not self.forbidden & plan.pods.keys()

    def model(self) -> Model:
        return Model()


@pytest.fixture(autouse=True)
def _room_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def filled(
        search: object, plan: Assignment, refused: frozenset[int], *, elastic: bool = True
    ) -> Assignment:
        new = {one: {0: [(one, 1)]} for one in FITTING if one not in refused}
        return Assignment(new | plan.pods, plan.evicted)

    monkeypatch.setattr(module, "_filled", filled)
    monkeypatch.setattr(module, "plan_values", lambda built, plan: ())


def started(search: Search, **options: Any) -> set[int]:
    plan = Assignment({0: {0: [(0, 1)]}}, ("default/victim",))
    outcome = last_pass(cast("Any", search), Outcome(plan, (), 0, 0, 0), **options)
    assert outcome.maximal
    assert outcome.assignment.evicted == plan.evicted
    return set(outcome.assignment.pods)


def test_everything_starts_where_it_may() -> None:
    assert started(Search(frozenset())) == set(FITTING)


def test_one_gang_that_may_not_start_holds_up_no_other() -> None:
    assert started(Search(frozenset({3}))) == set(FITTING) - {3}


def test_what_is_asked_besides_counts_too() -> None:
    both = frozenset({2, 5})
    found = started(Search(frozenset()), allowed=lambda plan: not both <= plan.pods.keys())
    assert found in (set(FITTING) - {2}, set(FITTING) - {5})


def test_gangs_that_may_wait_are_not_tried_one_by_one() -> None:
    search = Search(frozenset({3}))
    found = started(search, may_wait=lambda plan: frozenset({3, 4}))
    assert found == set(FITTING) - {3, 4}
    assert len(search.asked) == 2
