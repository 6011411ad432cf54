"""Patterns against trying everything: the bound holds, plans keep within nodes and cards, large ones come close."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.capacity.cards.card_packing import Piece, pack_cards
from planner.problem.meter import Meter
from planner.problem.placement import PlacementProblem, Standing
from planner.reduce.gang_classes import gang_classes
from planner.reduce.node_groups import Grouping
from planner.search.special.node_patterns.bound import pattern_bound
from planner.search.special.node_patterns.fewest import least_used
from planner.search.special.node_patterns.node_fill import NodeFill, balanced, made_to_fit
from planner.search.special.node_patterns.pricing import Pricer
from planner.search.special.node_patterns.problem import PatternProblem, pattern_problem
from planner.search.special.node_patterns.search import pattern_plan
from planner.search.stages.special.pattern_start import pattern_start
from planner.testing.by_hand import Work, gpu_node, gpu_queue, shares, snapshot_of, work
from planner.testing.problems import prepared_of

FULL = 1000
KINDS = ((0, 250), (0, 400), (0, 600), (0, 700), (1, 0), (2, 0))
"""(whole GPUs, milli-GPU of a share)."""


def problem_of(nodes: list[tuple[int, int]], pods: list[tuple[int, int]]) -> PlacementProblem:
    """Nodes by (GPUs, CPUs); gangs of one pod by (kind, CPUs), with a share so that cards are shared."""
    machines = [gpu_node(f"n{i}", g, cpu_milli=1000 * c) for i, (g, c) in enumerate(nodes)]
    made: list[Work] = [shares("always", 1, 250)]
    for index, (kind, cpus) in enumerate(pods):
        gpus, milli = KINDS[kind]
        one = shares(f"g{index}", 1, milli) if milli else work(f"g{index}", 1, gpus)
        made.append(_with_cpus(one, cpus))
    return prepared_of(snapshot_of(*machines, gpu_queue("q"), *made)).problem


def _with_cpus(one: Work, cpus: int) -> Work:
    from models.resources import Resources

    pods = tuple(
        replace(
            pod,
            spec=replace(pod.spec, request=Resources({**pod.spec.request, "cpu": 1000 * cpus})),
        )
        for pod in one.pods
    )
    return replace(one, pods=pods)


def patterns_of(problem: PlacementProblem) -> PatternProblem:
    standing = [Standing(index, "rest", 1) for index in range(len(problem.demands))]
    classes = gang_classes(problem, standing)
    found = pattern_problem(problem, classes, Grouping(problem).uniform())
    assert found is not None
    return found


def most_gpus(problem: PlacementProblem) -> int:
    """The most milli-GPU that any placement of the pods on nodes reaches, by trying all."""
    table = problem.cards
    assert table is not None
    shapes = [demand.items[0].shape for demand in problem.demands]
    best = 0
    for choice in product(range(-1, len(problem.node_names)), repeat=len(shapes)):
        value = sum(
            int(problem.shape_gpus[s]) for s, n in zip(shapes, choice, strict=True) if n >= 0
        )
        if value > best and all(_holds(problem, shapes, choice, n) for n in set(choice) - {-1}):
            best = value
    return best


def _holds(
    problem: PlacementProblem, shapes: list[int], choice: tuple[int, ...], node: int
) -> bool:
    table = problem.cards
    assert table is not None
    mine = [s for s, n in zip(shapes, choice, strict=True) if n == node]
    if (problem.requests[mine].sum(axis=0) > problem.free[node]).any():
        return False
    free = [tuple(row) for row in table.free[node].tolist()]
    pieces = [
        Piece(int(table.count[s]), (tuple(table.need[s, 0].tolist()),) * len(free)) for s in mine
    ]
    real = [i for i, kind in enumerate(table.kind[node]) if kind >= 0]
    cut = [Piece(one.cards, tuple(one.needs[i] for i in real)) for one in pieces]
    return pack_cards([free[i] for i in real], cut) is not None


def fewest_gpus(problem: PlacementProblem, placed: int) -> int:
    """The least GPUs of used nodes over all placements of so many milli-GPU."""
    shapes = [demand.items[0].shape for demand in problem.demands]
    found = []
    for choice in product(range(-1, len(problem.node_names)), repeat=len(shapes)):
        gpus = [problem.shape_gpus[s] for s, n in zip(shapes, choice, strict=True) if n >= 0]
        nodes = set(choice) - {-1}
        if sum(gpus) >= placed and all(_holds(problem, shapes, choice, n) for n in nodes):
            found.append(sum(int(problem.node_gpus[n]) for n in nodes))
    return min(found)


NODES = st.lists(st.tuples(st.integers(1, 2), st.integers(2, 8)), min_size=1, max_size=2)
PODS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=5)


@settings(max_examples=15, deadline=None)
@given(NODES, PODS)
def test_bound_is_no_less_than_the_best_and_plans_no_more(nodes, pods) -> None:
    problem = problem_of(nodes, pods)
    patterns = patterns_of(problem)
    best = most_gpus(problem)
    plan = pattern_plan(patterns, 1.0, lambda: False)
    assert plan.bound >= best
    placed = sum(int(problem.shape_gpus[shape]) * n for shape, _, n in plan.spots)
    assert placed <= best
    for node in {spot[1] for spot in plan.spots}:
        mine = [shape for shape, at, n in plan.spots if at == node for _ in range(n)]
        assert _holds(problem, mine, (node,) * len(mine), node)


@settings(max_examples=15, deadline=None)
@given(NODES, PODS)
def test_no_plan_of_as_many_gpus_uses_fewer_nodes_than_the_bound(nodes, pods) -> None:
    problem = problem_of(nodes, pods)
    patterns = patterns_of(problem)
    few = pattern_plan(patterns, 1.0, lambda: False).fewest
    least = fewest_gpus(problem, few.placed)
    assert few.gpus <= least
    assert sum(pods for _, _, pods in few.spots) in (0, patterns.supply.sum())
    used = {node for _, node, _ in few.spots}
    for node in used:
        mine = [shape for shape, at, n in few.spots if at == node for _ in range(n)]
        assert _holds(problem, mine, (node,) * len(mine), node)
    if used:
        assert sum(int(problem.node_gpus[node]) for node in used) >= least


def test_all_pods_go_to_the_fewest_nodes() -> None:
    problem = problem_of([(2, 8)] * 12, [(1, 1), (2, 1)] * 8)  # 400 and 600 on one card
    few = pattern_plan(patterns_of(problem), 2.0, lambda: False).fewest
    assert few.gpus == 10_000  # 16 pods and one of 250 milli-GPU: more than 8 cards
    assert len({node for _, node, _ in few.spots}) == 5


def test_cards_in_use_hold_some_of_what_is_placed() -> None:
    patterns = patterns_of(problem_of([(2, 8)] * 3, [(4, 1)] * 6))
    spots = [(shape, 0, int(n)) for shape, n in zip(patterns.shapes, patterns.supply, strict=True)]
    assert least_used(patterns, spots).gpus == 8_000  # 6.25 GPUs, whole nodes of 2
    busy = replace(patterns, gpus=np.zeros_like(patterns.gpus))
    assert least_used(busy, spots).gpus == 0


def test_prices_of_patterns_are_those_of_the_best_pattern() -> None:
    problem = patterns_of(problem_of([(2, 5)], [(1, 1), (2, 2), (3, 3), (4, 1), (5, 2)]))
    worth = problem.value.astype(np.float64)[None, :]
    down = Pricer(problem, down=True).price(worth, [0], {})[0]
    # 400 and 600 on one card, a whole one beside it, within 5 CPUs.
    assert down.value == 2000
    assert sum(problem.value[kind] * n for kind, n in down.pattern.items()) == 2000
    dear = Pricer(problem, down=True).price(worth, [0], {0: np.full(problem.room.shape[1], 1e9)})
    assert (dear[0].value, dear[0].pattern) == (0.0, {})


def test_a_pattern_is_made_to_fit_and_filled_up() -> None:
    problem = patterns_of(problem_of([(2, 4)], [(1, 1), (2, 2), (3, 3), (4, 1)]))
    worth = problem.value.astype(np.float64)
    every = dict.fromkeys(range(len(problem.value)), 9)
    found = made_to_fit(problem, 0, every, worth)
    assert problem.fits(0, found)
    assert all(n <= problem.wanted[0, kind] for kind, n in found.items())
    node = NodeFill(problem, 0)
    assert all(node.put(kind) for kind, n in found.items() for _ in range(n))
    assert not (
        node.fitting() & (problem.wanted[0] > 0) & ~np.isin(range(len(worth)), [*found])
    ).any()


def test_balanced_packing_uses_targets_only() -> None:
    problem = patterns_of(problem_of([(2, 8), (2, 8)], [(1, 1), (2, 2), (3, 3), (4, 1)]))
    targets = problem.wanted[0].copy()
    before = targets.copy()
    used: Counter[int] = Counter()
    for pattern in balanced(problem, 0, targets, 2.0):
        assert problem.fits(0, pattern)
        used.update(pattern)
    assert [used[kind] for kind in range(len(before))] == (before - targets).tolist()


@pytest.mark.parametrize("pods", [60])
def test_many_pods_come_close_to_the_bound(pods: int) -> None:
    problem = problem_of(
        [(4, 16)] * 5 + [(2, 8)] * 4, [(i * 7 % 6, 1 + i % 3) for i in range(pods)]
    )
    patterns = patterns_of(problem)
    plan = pattern_plan(patterns, 2.0, lambda: False)
    placed = sum(int(problem.shape_gpus[shape]) * n for shape, _, n in plan.spots)
    assert 0.95 * plan.bound <= placed <= plan.bound <= 28 * FULL


@pytest.mark.parametrize("most", [0.02, 0.2])
def test_no_clock_ends_patterns_where_work_is_counted(
    monkeypatch: pytest.MonkeyPatch, most: float
) -> None:
    """Before, a busy machine priced fewer patterns, and the plan was another one."""

    def no_clock() -> float:
        raise AssertionError("a clock was looked at")

    monkeypatch.setattr("time.perf_counter", no_clock)
    nodes, pods = [(4, 16)] * 5 + [(2, 8)] * 4, [(i * 7 % 6, 1 + i % 3) for i in range(60)]
    found = []
    for _ in range(2):
        meter, patterns = Meter(deterministic=True), patterns_of(problem_of(nodes, pods))
        plan = pattern_plan(patterns, most, lambda: False, meter=meter)
        found.append((plan.spots, plan.bound, plan.fewest, meter.work))
    assert found[0] == found[1]
    assert 0 < meter.work < most + 2.5  # whole numbers have one unit at least, twice


def test_a_smaller_limit_of_work_ends_patterns_sooner() -> None:
    nodes, pods = [(4, 16)] * 5 + [(2, 8)] * 4, [(i * 7 % 6, 1 + i % 3) for i in range(60)]
    used = []
    for most in (0.001, 10.0):
        meter = Meter(deterministic=True)
        pattern_plan(patterns_of(problem_of(nodes, pods)), most, lambda: False, meter=meter)
        used.append(meter.work)
    assert used[0] < used[1]


def test_a_stopped_search_still_gives_a_bound() -> None:
    patterns = patterns_of(problem_of([(2, 8)], [(1, 1), (2, 2)]))
    bound = pattern_bound(patterns, lambda share: True, 0.0)
    assert bound.value >= 1250


def test_few_pods_are_left_to_the_usual_model() -> None:
    problem = problem_of([(2, 8)], [(1, 1)])
    standing = [Standing(index, "rest", 1) for index in range(len(problem.demands))]
    classes = gang_classes(problem, standing)
    groups = Grouping(problem).uniform()
    assert pattern_start(problem, classes, groups, 1.0, lambda: False, 0) is None
