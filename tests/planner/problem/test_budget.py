"""The time limit runs from the start of reading to the written answer."""

from __future__ import annotations

import pytest

from planner.problem.budget import CLOSING_RATIO, CLOSING_S, EXPLAINING, LEAST_SHARE, Budget
from planner.problem.limits import Limits


class Clock:
    """Seconds that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_search_has_what_reading_explaining_and_closing_leave() -> None:
    clock = Clock()
    budget = Budget(Limits(time_limit_s=20.0), began=100.0, clock=clock)
    clock.now = 103.0
    budget.prepared()
    closing = CLOSING_S + 3.0 * CLOSING_RATIO
    assert budget.for_search(explaining=False).time_limit_s == pytest.approx(17.0 - closing)
    assert budget.for_search(explaining=True).time_limit_s == pytest.approx(
        17.0 - closing - 20.0 * EXPLAINING
    )
    clock.now = 120.0 - closing - 0.1
    assert not budget.explaining_over()
    clock.now = 120.0 - closing + 0.1
    assert budget.explaining_over()


def test_a_search_that_begins_too_late_still_has_a_tenth() -> None:
    clock = Clock()
    budget = Budget(Limits(time_limit_s=5.0), began=100.0, clock=clock)
    clock.now = 106.0
    budget.prepared()
    assert budget.for_search(explaining=True).time_limit_s == pytest.approx(5.0 * LEAST_SHARE)
    assert budget.explaining_over()


def test_a_solver_that_does_not_stop_is_ended_soon_after_the_limit() -> None:
    budget = Budget(Limits(time_limit_s=60.0, guard_grace_s=5.0))
    assert budget.for_search(explaining=False).guard_grace_s == 3.0
    assert Budget(Limits(time_limit_s=5.0)).for_search(explaining=False).guard_grace_s == 1.0


def test_deterministic_limits_know_no_clock() -> None:
    clock = Clock()
    limits = Limits(time_limit_s=5.0, deterministic=True)
    budget = Budget(limits, began=0.0, clock=clock)
    budget.prepared()
    assert budget.for_search(explaining=True) == limits
    assert not budget.explaining_over()
