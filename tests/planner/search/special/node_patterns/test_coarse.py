"""Many kinds of pods counted as few: what they are rounded to, plans that fit, bounds that hold."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from planner.problem.placement import PlacementProblem, Standing
from planner.reduce.gang_classes import gang_classes
from planner.reduce.node_groups import Grouping
from planner.search.special.node_patterns import coarse, problem
from planner.search.special.node_patterns.bound import pattern_bound
from planner.search.special.node_patterns.problem import PatternProblem, pattern_problem
from planner.search.special.node_patterns.search import pattern_plan
from planner.testing.by_hand import gpu_node, gpu_queue, shares, snapshot_of, work
from planner.testing.problems import prepared_of


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("up", [True, False])
def test_steps_are_on_the_safe_side(seed: int, up: bool) -> None:
    rng = Random(seed)
    full = rng.choice((1000, 32_768, 977))
    amounts = np.array([rng.randint(1, full) for _ in range(50)] + [full])
    steps, whole = coarse.few_steps(amounts, full, up=up)
    assert steps[-1] == whole
    assert (steps >= 1).all()
    assert ((steps * full >= amounts * whole) if up else (steps * full <= amounts * whole)).all()


def test_what_is_apart_stays_apart_and_like_comes_to_like(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coarse, "FEW_KINDS", 4)
    asks = np.array([[1, 10], [1, 11], [9, 10], [9, 11], [1, 10]])
    found = coarse.grouped(asks, np.array([0, 0, 0, 0, 1]), np.ones(5, dtype=np.int64), up=True)
    assert len(set(found)) == 4
    assert found[0] != found[2]
    assert list(found).count(found[4]) == 1


def _problem(seed: int) -> PlacementProblem:
    rng = Random(seed)
    nodes = [gpu_node(f"n{i}", rng.choice((2, 4)), cpu_milli=16_000) for i in range(4)]
    pods = [shares(f"s{i}", 1, rng.randint(20, 990)) for i in range(60)]
    pods += [work(f"w{i}", 1, rng.choice((1, 2))) for i in range(6)]
    return prepared_of(snapshot_of(*nodes, gpu_queue("q"), *pods)).problem


def _both(seed: int) -> tuple[PatternProblem, PatternProblem]:
    problem = _problem(seed)
    classes = gang_classes(problem, [Standing(i, "rest", 1) for i in range(len(problem.demands))])
    groups = Grouping(problem).uniform()
    found = [pattern_problem(problem, classes, groups, up=up) for up in (True, False)]
    assert found[0] is not None
    assert found[1] is not None
    return found[0], found[1]


@pytest.mark.parametrize("seed", range(6))
def test_rounded_plans_fit_and_rounded_bounds_hold(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exact bound lies between: above every rounded plan, below the rounded bound."""
    monkeypatch.setattr(problem, "MOST_CELLS", 10**9)
    exact = pattern_bound(_both(seed)[0], lambda share: False, 1.0).value
    monkeypatch.setattr(problem, "MOST_CELLS", 0)
    monkeypatch.setattr(coarse, "FEW_KINDS", 12)
    up, down = _both(seed)
    assert up.rounded
    assert (up.asks[up.kind] >= down.asks[down.kind]).all()
    assert (up.supply == down.supply).all()
    plan = pattern_plan(up, 20.0, lambda: False, below=down)
    worth = dict(zip(up.shapes, map(int, up.worth), strict=True))
    placed = sum(worth[shape] * pods for shape, _, pods in plan.spots)
    assert 0 < placed <= exact <= plan.bound
    sizes: dict[int, int] = {}
    for shape, node, pods in plan.spots:
        sizes[node] = sizes.get(node, 0) + worth[shape] * pods
    cards = {node: int(up.gpus[t]) for t, nodes in enumerate(up.nodes) for node in nodes}
    assert all(sizes[node] <= cards[node] for node in sizes)


def test_few_kinds_are_not_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problem, "MOST_CELLS", 1000 * 66)
    up, down = _both(0)
    assert not up.rounded
    assert (up.asks == down.asks).all()
    assert (up.on_cards * 1000 == up.value * up.whole).all()
