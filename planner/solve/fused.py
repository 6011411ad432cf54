"""Two neighbouring tiers as one goal."""

from __future__ import annotations

from collections.abc import Sequence

from planner.problem.linear import Expression, TierGoal

FUSED_RANGE = 10**7
"""Largest value of two tiers solved as one; far inside the range in which floats are exact."""


def fused_goal(pair: Sequence[TierGoal]) -> TierGoal | None:
    """GPUs and the gangs after them as one goal, ``(ideal of the next + 1) * tier + next``; None for other pairs."""
    if len(pair) < 2:
        return None
    one, two = pair
    weight = two.ideal + 1
    plain = one.name.endswith(".gpus") and two.name.endswith(".gangs")
    if not plain or one.ideal * weight + two.ideal > FUSED_RANGE:
        return None
    terms: dict[int, int] = {}
    for column, factor in zip(one.expression.columns, one.expression.coefficients, strict=True):
        terms[column] = terms.get(column, 0) + factor * weight
    for column, factor in zip(two.expression.columns, two.expression.coefficients, strict=True):
        terms[column] = terms.get(column, 0) + factor
    expression = Expression(tuple(terms), tuple(terms.values()))
    return TierGoal(one.name, "max", one.unit, expression, one.ideal * weight + two.ideal)
