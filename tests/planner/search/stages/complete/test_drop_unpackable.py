"""Gangs whose pods find no cards are taken away."""

from __future__ import annotations

from planner.reduce.disaggregate import Assignment
from planner.search.stages.complete.drop_unpackable import without_unpacked
from planner.testing.by_hand import gpu_node, gpu_queue, shares, snapshot_of
from planner.testing.problems import prepared_of


def test_the_smallest_gang_goes_where_cards_do_not_suffice() -> None:
    """Three shares of 600, 550 and 500 on two cards: the sums fit, the cards do not."""
    snapshot = snapshot_of(
        gpu_queue("q"),
        gpu_node("n1", 2),
        gpu_node("n2", 2),
        *(shares(f"s{milli}", 1, milli) for milli in (500, 550, 600)),
    )
    problem = prepared_of(snapshot).problem
    plan = Assignment({demand: {0: [(0, 1)]} for demand in range(3)})
    without_unpacked(problem, plan)
    assert sorted(problem.demands[demand].gpus for demand in plan.pods) == [550, 600]
    spread = Assignment({0: {0: [(0, 1)]}, 1: {0: [(0, 1)]}, 2: {0: [(1, 1)]}})
    without_unpacked(problem, spread)
    assert len(spread.pods) == 3
