"""Gangs that a relaxation leaves out take the room of those that it starts in part and that do not start."""

from __future__ import annotations

from planner.problem.linear import LinearModel
from planner.search.stages.relax.relax_and_round import (
    VertexStart,
    few_lowered,
    narrowed,
    opened_columns,
)
from planner.search.stages.round.widened_rounding import wider_start
from planner.solve.backend import SolveLimits
from planner.solve.relaxed_chain import relaxed_in_order
from planner.solve.rounding import fractional, rounded, window
from planner.solve.tiers import TierResult
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import built_of, prepared_of

LIMITS = SolveLimits(seconds=20.0, workers=1, deterministic=True)


def test_a_smaller_gang_takes_what_a_gang_started_in_part_leaves() -> None:
    """Beside a pod of a higher rank three nodes hold two of one gang's three pods, or both pods of another gang."""
    parts = (
        *(gpu_node(f"n{number}", 4) for number in range(3)),
        gpu_queue("q", deserved=4),
        work("one", 1, 4, priority=1),
        work("three", 3, 4),
        work("two", 2, 4),
    )
    built = built_of(prepared_of(snapshot_of(*parts)))
    columns = zip(built.form.classes, built.form.variables.starts, strict=True)
    two = next(column for one, column in columns if one.example.gpus == 8)
    assert two is not None
    upper = list(built.model.upper)
    upper[two] = 0
    passed_over = LinearModel(built.model.lower, upper, built.model.rows)
    chain = relaxed_in_order(passed_over, built.tiers, seconds=20.0, workers=1)
    assert chain is not None
    guide = chain.values
    split = fractional(guide)
    assert split.any()
    near = window(built.model, guide, opened_columns(built, split), few_lowered(built, split))
    values = rounded(built.model, built.tiers, *narrowed(built, *near), LIMITS)
    assert values is not None
    values = built.tight(values)
    assert sum(built.started(values)) == 1
    start = VertexStart(values, chain, guide=guide)
    reached = [(goal, goal.expression.value(values)) for goal in built.tiers]
    ideal = [TierResult(goal, value, goal.ideal, 0.0, "") for goal, value in reached]
    for tiers in (), ideal:
        found = wider_start(built, start, tiers, LIMITS, lambda: False)
        assert found is not None
        assert sum(built.started(found.values)) == 2
        assert found.values[two] == 1
    closed = [TierResult(goal, value, value, 0.0, "") for goal, value in reached]
    assert wider_start(built, start, closed, LIMITS, lambda: False) is None
