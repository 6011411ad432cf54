"""Where time is short, bounds come from a relaxation without ways: no tier of GPUs is left with what prices tell."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from planner.reduce import partition as cells
from planner.reduce.disaggregate import Assignment
from planner.runtime import concurrent as meanwhile
from planner.search.search_steps import SearchSteps
from planner.search.stages.bound import tier_bounds as certified
from planner.search.stages.relax import compact_bounds as plain_bounds
from planner.search.stages.relax.compact_bounds import PlainBounds, hurried
from planner.solve.relaxed_chain import RelaxedChain
from planner.testing.crowded_leaves import searched


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, int]]:
    """Models count over domains, plans lack the first gang of the first rank, and what is proved first is kept."""
    found: list[Mapping[str, int]] = []
    fill, first = SearchSteps._fill, certified._gpus_first

    def exactly(self: SearchSteps, assignment: Assignment, *, exact: bool) -> None:
        if exact:
            fill(self, assignment, exact=exact)
            ranked = (index for one in self.classes for index in one.demands)
            del assignment.pods[next(index for index in ranked if index in assignment.pods)]

    def told(*given: object) -> Mapping[str, int]:
        found.append(first(*given))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    monkeypatch.setattr(SearchSteps, "_fill", exactly)
    monkeypatch.setattr(SearchSteps, "_displaced", lambda self, built, plan, values: plan)
    monkeypatch.setattr(certified, "_gpus_first", told)
    return found


@pytest.mark.parametrize(("workers", "cores"), [(1, 2), (2, 2), (2, 1)])
def test_bounds_without_ways_hold_and_lack_no_tier_of_gpus(
    missing: list[Mapping[str, int]], monkeypatch: pytest.MonkeyPatch, workers: int, cores: int
) -> None:
    chains: list[RelaxedChain] = []
    chain = PlainBounds.chain

    def kept(self: PlainBounds) -> RelaxedChain:
        chains.append(chain(self))
        return chains[-1]

    monkeypatch.setattr(PlainBounds, "chain", kept)
    for module in (plain_bounds, meanwhile):
        monkeypatch.setattr(module, "usable_cores", lambda: cores)
    patient = searched(workers)
    assert not missing
    monkeypatch.setattr(plain_bounds, "hurried", lambda *given: True)
    plan = searched(workers)
    assert [tier.value for tier in plan.tiers] == [tier.value for tier in patient.tiers]
    assert any(missing)
    # Beforehand only where that costs no time.
    assert bool(chains[0].steps) == (workers > 1 and cores > 1)
    for one, other in zip(plan.tiers, patient.tiers, strict=True):
        if one.goal.name.endswith(".gpus"):
            assert one.bound is not None
            assert other.bound is not None
            assert one.bound >= other.bound >= one.value


def test_a_chain_that_went_on_without_ways_is_solved_again_itself(
    missing: list[Mapping[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    extended = RelaxedChain.extend_all
    cuts: list[int] = []

    def cut(self: RelaxedChain, goals: object, **named: object) -> bool:
        """Ways are too slow for the last tier of GPUs."""
        given = list(goals)  # type: ignore[call-overload]
        if self.relaxation.name == "highs-lp" and not self.steps:
            extended(self, given[:-2], **named)  # type: ignore[arg-type]
            cuts.append(len(given))
            return False
        return extended(self, given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(RelaxedChain, "extend_all", cut)
    monkeypatch.setattr(plain_bounds, "hurried", lambda *given: True)
    plan = searched(1)
    assert cuts
    assert all(tier.bound is not None for tier in plan.tiers if tier.goal.name.endswith(".gpus"))


def test_time_is_short_where_placing_and_proving_take_longer_than_what_is_left() -> None:
    assert hurried(5.0, 7.0)
    assert not hurried(5.0, 13.0)
    assert not hurried(5.0, float("inf"))
