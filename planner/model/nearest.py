"""The solution nearest to an earlier one, among those that are as good in every tier."""

from __future__ import annotations

from collections.abc import Sequence

from planner.model.build import BuiltModel
from planner.problem.linear import Expression, LinearModel, TierGoal


def nearest_goal(
    built: BuiltModel, earlier: Sequence[int], found: Sequence[int]
) -> tuple[LinearModel, TierGoal, tuple[int, ...]]:
    """The model with one column per place of the earlier solution, the pods that stay there.

    Returns the model, the goal (most pods that stay in their group), and ``found`` as a solution of that model.
    """
    model = LinearModel(list(built.model.lower), list(built.model.upper), list(built.model.rows))
    hint = list(found)
    stays = []
    for column in sorted(built.form.variables.spots.columns()):
        if earlier[column]:
            stay = model.variable(0, earlier[column])
            model.at_most([(stay, 1), (column, -1)], 0, "stays")
            stays.append(stay)
            hint.append(min(earlier[column], found[column]))
    ideal = sum(model.upper[stay] for stay in stays)
    expression = Expression(tuple(stays), (1,) * len(stays))
    return model, TierGoal("stays", "max", "pods", expression, ideal), tuple(hint)
