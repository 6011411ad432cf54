"""Tiers of a drill: most GPUs in time, most in the end, the last one early, least harm, all of them early."""

from __future__ import annotations

from planner.drill.model.variables import DrillVariables, Terms
from planner.model.harm import harm_tiers
from planner.problem.drill import DrillProblem
from planner.problem.linear import Expression, LinearModel, TierGoal

IN_TIME, BACK, LAST, WAITING = "back_in_time", "back", "last_second", "gpu_seconds_waited"


def back_by(problem: DrillProblem, variables: DrillVariables, second: int | None) -> TierGoal:
    """Most GPUs back by a second (None: in the end)."""
    name = BACK if second is None else IN_TIME
    return TierGoal(name, "max", "GPUs", _expression(variables.back(problem, second)), problem.gpus)


def drill_tiers(
    model: LinearModel, problem: DrillProblem, variables: DrillVariables
) -> list[TierGoal]:
    """All tiers, highest first; adds the variable of the last late second."""
    waited = [
        (column, problem.needs[need].gpus * second)
        for (need, _, second), column in variables.placed.items()
        if second
    ]
    return [
        back_by(problem, variables, problem.deadline),
        back_by(problem, variables, None),
        TierGoal(LAST, "min", "s", _expression(_last_late(model, problem, variables)), 0),
        *harm_tiers(variables.evictions),
        TierGoal(WAITING, "min", "GPU-seconds", _expression(waited), 0),
    ]


def _last_late(model: LinearModel, problem: DrillProblem, variables: DrillVariables) -> Terms:
    """The last second after the deadline at which a pod gets room, 0 where all are in time.

    w_t: some pod gets room at t; ``x_snt <= most w_t``, and the last second L satisfies ``L >= t w_t``.
    """
    late: dict[int, list[int]] = {}
    for (_, _, second), column in variables.placed.items():
        if second > problem.deadline:
            late.setdefault(second, []).append(column)
    if not late:
        return []
    last = variables.last = model.variable(0, max(late))
    for second, columns in sorted(late.items()):
        used = variables.late[second] = model.variable(0, 1)
        for column in columns:
            model.at_most([(column, 1), (used, -model.upper[column])], 0, LAST)
        model.at_most([(used, second), (last, -1)], 0, LAST)
    return [(last, 1)]


def _expression(terms: Terms) -> Expression:
    kept = [(column, factor) for column, factor in terms if factor]
    return Expression(tuple(column for column, _ in kept), tuple(factor for _, factor in kept))
