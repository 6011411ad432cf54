"""Models that count over domains, cut short: what was relaxed keeps its bounds, and there is a plan beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from planner.problem.limits import Limits
from planner.problem.linear import TierGoal
from planner.reduce import partition as cells
from planner.reduce.disaggregate import Assignment
from planner.search import placement_search, search_steps
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.stages.dive import topology_diving as in_domains
from planner.search.stages.relax.relax_and_round import Inside
from planner.solve.generated import GeneratedBounds
from planner.solve.relaxed_chain import RelaxedChain
from planner.testing.by_hand import gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.problems import classes_of, prepared_of


@dataclass
class _Found:
    """What a search returned, and what it sent before."""

    plan: Outcome
    sent: list[Outcome]


def _planned() -> _Found:
    """Three leaves of two whole nodes; gangs of three pods of four GPUs leave room for one pod of four per leaf."""
    nodes = [gpu_node(f"{name}{number}") for name in "abc" for number in range(2)]
    leaves = [leaf(name, f"{name}0", f"{name}1") for name in "abc"]
    gangs = [together(work(f"g{number}", 3, 4)) for number in range(4)]
    gangs += [work(f"one{number}", 1, 4, priority=1) for number in range(2)]
    gangs += [together(work("pair", 2, 2, priority=1))]
    prepared = prepared_of(snapshot_of(*nodes, *leaves, gpu_queue("q"), *gangs))
    settings = SearchSettings(Limits(time_limit_s=600.0, workers=1))
    sent: list[Outcome] = []
    search = PlacementSearch(prepared.problem, classes_of(prepared), settings, publish=sent.append)
    return _Found(search.run(), sent)


def _holds(plan: Outcome, best: Outcome) -> None:
    """Every bound is there, and none denies the best plan where both are equal above."""
    assert all(tier.bound is not None for tier in plan.tiers)
    for one, other in zip(plan.tiers, best.tiers, strict=True):
        assert one.bound is not None
        assert not one.goal.is_worse(one.bound, other.value), one.goal.name
        if one.value != other.value:
            break


def _not_below(plan: Outcome, greedy: Outcome) -> None:
    for one, other in zip(plan.tiers, greedy.tiers, strict=True):
        assert not one.goal.is_worse(one.value, other.value), one.goal.name
        if one.value != other.value:
            break


def _ends_well(best: Outcome) -> None:
    """What is found now has bounds that hold, as has what was sent second, and is not below the first plan."""
    found = _planned()
    _holds(found.plan, best)
    _holds(found.sent[1], best)
    _not_below(found.plan, found.sent[0])


def test_relaxations_that_end_anywhere_leave_bounds_and_a_plan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    best = _planned().plan
    extend = RelaxedChain.extend
    for most in range(8):

        def cut(chain: RelaxedChain, goal: TierGoal, *, seconds: float, most: int = most) -> bool:
            return len(chain.steps) < most and extend(chain, goal, seconds=seconds)

        monkeypatch.setattr(RelaxedChain, "extend", cut)
        _ends_well(best)


def test_ways_that_take_too_long_are_done_without_from_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The plan that was sent first has bounds before the relaxation is rounded."""
    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    best = _planned().plan
    bound = GeneratedBounds.bound
    for most in range(4):
        calls: list[str] = []

        def cut(
            relaxation: GeneratedBounds,
            goal: TierGoal,
            *,
            seconds: float,
            most: int = most,
            calls: list[str] = calls,
        ) -> int | None:
            calls.append(goal.name)
            return bound(relaxation, goal, seconds=seconds) if len(calls) <= most else None

        monkeypatch.setattr(GeneratedBounds, "bound", cut)
        _ends_well(best)
        assert len(calls) > most


def test_a_first_plan_that_stays_gets_its_bounds_from_relaxations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Prices of pins tell little of a plan that lacks much: its late tiers had no bound worth the name."""
    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    monkeypatch.setattr(search_steps, "in_domains", lambda *given, **other: Assignment({}))
    certified = placement_search.certified
    given: list[float] = []

    def record(*args: Any, seconds: float, **other: Any) -> Any:
        given.append(seconds)
        return certified(*args, seconds=seconds, **other)

    monkeypatch.setattr(placement_search, "certified", record)
    _planned()
    assert given[0] == 0 < given[-1]


def test_ways_are_followed_though_the_last_tier_is_never_relaxed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The solution of the tier before is the one to follow; where a relaxation was broken off there is none."""
    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    extend = RelaxedChain.extend
    asked: list[Inside | None] = []
    followed = search_steps.in_domains

    def record(*given: Any, inside: Inside | None = None, **other: Any) -> Assignment:
        asked.append(inside)
        return followed(*given, inside=inside, **other)

    def cut(chain: RelaxedChain, goal: TierGoal, *, seconds: float) -> bool:
        return goal.name != "rest.2.gangs" and extend(chain, goal, seconds=seconds)

    monkeypatch.setattr(search_steps, "in_domains", record)
    monkeypatch.setattr(RelaxedChain, "extend", cut)
    found = _planned()
    assert any(tier.goal.name == "rest.2.gangs" for tier in found.plan.tiers)
    assert asked
    assert asked[0] is not None


def test_late_gangs_of_high_ranks_still_take_the_place_of_lower_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is relaxed then, but plans without this step lost a gang of the first rank, and so to a greedy one."""
    asked: list[bool] = []

    def record(*given: object, **other: object) -> Assignment:
        *_, assignment, _, stopped = given
        assert callable(stopped)
        asked.append(stopped())
        assert isinstance(assignment, Assignment)
        return assignment

    def none(*given: object, **other: object) -> None:
        asked.append(True)

    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    monkeypatch.setattr(in_domains, "displaced", record)
    monkeypatch.setattr(in_domains, "vertex_start", none)
    monkeypatch.setattr(PlacementSearch, "_late", lambda search: True)
    _planned()
    assert asked[0] is False
