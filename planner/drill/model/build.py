"""The whole model of a drill, and what a solution means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.drill.model.constraints import CONSTRAINTS
from planner.drill.model.objective import back_by, drill_tiers
from planner.drill.model.variables import DrillVariables, create_drill_variables
from planner.model.evictions import harm_definitions
from planner.problem.drill import DrillProblem
from planner.problem.linear import LinearModel, TierGoal


@dataclass(frozen=True)
class DrillModel:
    """A built model with its tiers."""

    problem: DrillProblem
    model: LinearModel
    variables: DrillVariables
    tiers: tuple[TierGoal, ...]

    def nothing(self) -> tuple[int, ...]:
        """The solution in which nobody leaves and nothing is promised."""
        return (0,) * self.model.size

    def back_by(self, second: int) -> TierGoal:
        """The goal of the curve at a second."""
        return back_by(self.problem, self.variables, second)

    def seconds(self) -> tuple[int, ...]:
        """All seconds at which some pod may get room, ascending."""
        return tuple(sorted({second for _, _, second in self.variables.placed}))

    def settle(self, values: list[int]) -> None:
        """Give every variable that only counts others its least value: a search may leave it above."""
        one, evictions = self.variables, self.variables.evictions
        for kind, column in one.reclaimed.items():
            values[column] = sum(values[c] * pods for c, pods in evictions.by_kind[kind])
        hit = {
            (evictions.victims.domains[one.groups[group].nodes[0]],)
            for (_, group), (column, _) in evictions.pods.items()
            if values[column]
        }
        for key, column in evictions.domains.items():
            values[column] = int(key in hit)
        used = {second for (_, _, second), column in one.placed.items() if values[column]}
        for second, column in one.late.items():
            values[column] = int(second in used)
        if one.last is not None:
            values[one.last] = max(used & one.late.keys(), default=0)

    def places(self, values: Sequence[int]) -> dict[tuple[int, int, int], int]:
        """(need, node, second) to pods that get room."""
        return {key: values[c] for key, c in self.variables.placed.items() if values[c]}

    def leaving(self, values: Sequence[int]) -> dict[tuple[int, int], int]:
        """(kind, node) to pods that leave."""
        return {
            (kind, self.variables.groups[group].nodes[0]): values[column] * pods
            for (kind, group), (column, pods) in self.variables.evictions.pods.items()
            if values[column]
        }


def build_drill(problem: DrillProblem) -> DrillModel:
    """Variables, rows and tiers."""
    model = LinearModel()
    variables = create_drill_variables(model, problem)
    for post in CONSTRAINTS:
        post(model, problem, variables)
    harm_definitions(model, variables.evictions, variables.groups)
    tiers = drill_tiers(model, problem, variables)
    return DrillModel(problem, model, variables, tuple(tiers))
