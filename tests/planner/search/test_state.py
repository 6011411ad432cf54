"""The owner of the incumbent: plans only replace it where they are better and keep every rule; bounds stay."""

from __future__ import annotations

from planner.problem.linear import Expression, TierGoal
from planner.reduce.disaggregate import Assignment
from planner.search.outcome import Outcome
from planner.search.state import SearchState, compare
from planner.solve.tiers import TierResult

SHORTFALL = TierGoal("covered.1.shortfall", "min", "points", Expression(), 0)
GPUS = TierGoal("covered.1.gpus", "max", "GPU", Expression(), 99)
GANGS = TierGoal("covered.1.gangs", "max", "gangs", Expression(), 99)


def outcome(plan: int, *tiers: tuple[int, int | None]) -> Outcome:
    """A plan that is told by its number, with (value, bound) of shortfall, GPUs and gangs."""
    goals = (SHORTFALL, GPUS, GANGS)
    results = (
        TierResult(goal, value, bound, 0.0, "test")
        for goal, (value, bound) in zip(goals, tiers, strict=False)
    )
    return Outcome(Assignment({plan: {}}), tuple(results), 1, 1, 1)


def values(state: SearchState) -> list[tuple[int, int | None]]:
    assert state.best is not None
    return [(one.value, one.bound) for one in state.best.tiers]


def test_the_first_tier_decides() -> None:
    good, more = outcome(1, (5, None), (10, None)), outcome(2, (6, None), (90, None))
    assert compare(good.tiers, more.tiers) == 1
    assert compare(more.tiers, good.tiers) == -1
    assert compare(good.tiers, good.tiers) == 0


def test_a_worse_plan_never_replaces_and_its_bounds_are_kept() -> None:
    state = SearchState()
    assert state.offer(outcome(1, (5, None), (10, None)), "construct")
    assert state.offer(outcome(2, (6, 4), (90, 90)), "solve")
    assert state.best is not None
    assert state.best.assignment == Assignment({1: {}})
    # The bound of GPUs was proved beside a worse shortfall: with less of it there may be no more.
    assert values(state) == [(5, 4), (10, 90)]


def test_a_bound_beside_a_better_value_above_says_nothing() -> None:
    state = SearchState()
    state.offer(outcome(1, (5, 4), (10, 12)), "solve")
    state.offer(outcome(2, (4, 4), (3, None)), "solve")
    assert values(state) == [(4, 4), (3, 12)]
    other = SearchState()
    other.offer(outcome(1, (5, None), (10, 40), (2, None)), "solve")
    other.prove(outcome(2, (5, 4), (30, 30), (7, 7)).tiers, "bound")
    # The gangs were counted for 30 GPUs; with 10 there may be more of them.
    assert values(other) == [(5, 4), (10, 30), (2, None)]


def test_a_plan_that_breaks_a_rule_is_refused() -> None:
    state = SearchState(admits=lambda plan: 2 not in plan.pods)
    state.offer(outcome(1, (5, None), (10, None)), "construct")
    assert not state.offer(outcome(2, (1, None), (90, None)), "solve")
    assert state.refused == 1
    assert values(state)[0] == (5, None)
    assert [one.assignment for one in state.incumbents] == [Assignment({1: {}})]


def test_equal_plans_change_only_where_ties_are_asked_for() -> None:
    state = SearchState()
    state.offer(outcome(1, (5, None)), "construct")
    state.offer(outcome(2, (5, None)), "baseline", ties=False)
    assert state.best is not None
    assert state.best.assignment == Assignment({1: {}})
    state.offer(outcome(3, (5, None)), "ties")
    assert state.best.assignment == Assignment({3: {}})


def test_the_log_tells_the_first_tier_that_a_step_changed() -> None:
    state = SearchState()
    state.offer(outcome(1, (5, None), (10, None)), "construct")
    state.offer(outcome(2, (5, None), (12, 14)), "solve")
    first, second = state.log
    assert (first.stage, first.tier, first.value_before, first.value_after) == (
        "construct",
        "covered.1.shortfall",
        None,
        5,
    )
    assert (second.tier, second.value_before, second.value_after, second.bound_after) == (
        "covered.1.gpus",
        10,
        12,
        14,
    )
