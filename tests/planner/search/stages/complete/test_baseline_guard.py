"""No plan is worth less than what a greedy scheduler would do, tier by tier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.reduce.disaggregate import Assignment
from planner.search.find_plan import PlanFinder
from planner.search.stages.complete.baseline_guard import is_better
from planner.search.state import SearchState
from planner.testing.by_hand import gpu_node, gpu_queue, shares, snapshot_of, work
from planner.testing.problems import policy_of
from planner.testing.random_snapshots import random_case
from planner.usecases import planning
from planner.usecases.planning import make_plan
from planner.verify.tiers import recompute_tiers

run = PlanFinder.run

WHOLE = (gpu_queue("q"), gpu_node("n1", 4), gpu_node("n2", 4), work("a", 3, 1), work("b", 2, 2))
SHARED = (gpu_queue("q"), gpu_node("n1", 2), shares("a", 2, 600), shares("b", 1, 400))


def _empty(finder: PlanFinder, search: Any) -> bool:
    """A search that finds nothing, with bounds that hold for every plan."""
    interrupted = run(finder, search)
    found = finder.state.best
    assert found is not None
    prepared = finder.prepared
    values = recompute_tiers(prepared.snapshot, prepared.policy, PlanResult())
    tiers = tuple(
        replace(one, value=values[one.goal.name], bound=one.goal.ideal) for one in found.tiers
    )
    finder.state = SearchState(finder.admits)
    finder.state.offer(
        replace(found, assignment=Assignment({}), tiers=tiers, maximal=False), "nothing"
    )
    return interrupted


@pytest.mark.parametrize("parts", [WHOLE, SHARED])
@pytest.mark.parametrize("deterministic", [True, False])
def test_a_search_that_finds_less_gives_way_to_the_greedy_plan(
    parts: tuple[object, ...], deterministic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot: Snapshot = snapshot_of(*parts)  # type: ignore[arg-type]
    limits = Limits(10.0, deterministic=deterministic)
    best = make_plan(snapshot, policy_of(snapshot), limits, guard=False)
    monkeypatch.setattr(PlanFinder, "run", _empty)
    plan = make_plan(snapshot, policy_of(snapshot), limits, guard=False)
    assert plan.verification is not None
    assert not plan.verification.violations
    assert {one.name for one in plan.gangs if one.decision == "start"} == {"a", "b"}
    for one, other in zip(plan.certificate.tiers, best.certificate.tiers, strict=True):
        assert one.name == other.name
        if one.name.endswith((".gpus", ".gangs")):
            assert one.value == other.value
            assert one.bound is not None
            assert one.bound >= one.value


def test_without_a_baseline_what_fits_starts_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot: Snapshot = snapshot_of(*WHOLE)
    monkeypatch.setattr(PlanFinder, "run", _empty)
    limits = Limits(10.0, deterministic=True)
    plan = make_plan(
        snapshot, policy_of(snapshot), limits, guard=False, baseline=False, fixes=False
    )
    assert {one.name for one in plan.gangs if one.decision == "start"} == {"a", "b"}


@pytest.mark.parametrize("seed", range(9100, 9112))
def test_no_plan_is_below_its_baseline(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random clusters, with and without evictions, whose search finds nothing: the plan is the greedy one or better."""
    case = random_case(seed, "tiny")
    seen: list[Any] = []
    offer = planning.offer_baseline

    def watched(finder: PlanFinder, standings: Any, greedy: Any) -> None:
        offer(finder, standings, greedy)
        seen.append((greedy, finder.state.best))

    monkeypatch.setattr(planning, "offer_baseline", watched)
    monkeypatch.setattr(PlanFinder, "run", _empty)
    make_plan(case.snapshot, case.policy, Limits(5.0, deterministic=True), guard=False)
    ((greedy, outcome),) = seen
    if greedy is not None and not greedy.victims:
        assert not is_better(greedy.tiers, outcome.tiers)
