"""PuLP backend: HiGHS or CBC behind PuLP, as a second opinion on small and middle models."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Sequence
from typing import Any, Literal

import pulp

from models.findings import BackendError
from planner.problem.linear import INFINITE, LinearModel, RawSolution, TierGoal
from planner.solve.backend import BoundSink, Feature, Pin, SolveLimits
from planner.solve.exact_values import integer_values
from planner.solve.highs import set_global_threads


class PulpBackend:
    """Solves through PuLP; an optimal status is a proof, otherwise no bound is claimed."""

    features: frozenset[Feature] = frozenset()

    def __init__(self, solver: Literal["highs", "cbc"] = "highs") -> None:
        self.name = f"pulp-{solver}"
        self._solver = solver

    @staticmethod
    def available(solver: Literal["highs", "cbc"]) -> bool:
        """Whether the solver is installed."""
        return importlib.util.find_spec("highspy" if solver == "highs" else "cbcbox") is not None

    def solve(
        self,
        model: LinearModel,
        goal: TierGoal,
        *,
        pins: Sequence[Pin],
        limits: SolveLimits,
        hint: Sequence[int] | None = None,
        report: BoundSink | None = None,
    ) -> RawSolution:
        """Best solution of the goal."""
        started = time.perf_counter()
        sense = pulp.LpMaximize if goal.sense == "max" else pulp.LpMinimize
        problem = pulp.LpProblem("gangplan", sense)
        variables = [
            problem.add_variable(f"v{index}", low, high, cat=pulp.LpInteger)
            for index, (low, high) in enumerate(zip(model.lower, model.upper, strict=True))
        ]
        _add_rows(problem, variables, model, pins)
        problem.setObjective(
            pulp.LpAffineExpression(
                [
                    (variables[column], c)
                    for column, c in zip(
                        goal.expression.columns, goal.expression.coefficients, strict=True
                    )
                ],
                constant=goal.expression.constant,
            )
        )
        contradiction = any(not row.columns and not row.low <= 0 <= row.high for row in model.rows)
        status = pulp.LpStatusInfeasible if contradiction else _run(problem, self._solver, limits)
        seconds = time.perf_counter() - started
        if status == pulp.LpStatusInfeasible:
            return RawSolution(
                None, None, proved_infeasible=True, seconds=seconds, backend=self.name
            )
        # A variable in no row and no objective keeps no value: its lower bound is as good as any.
        values = integer_values(
            model,
            pins,
            [
                low if variable.varValue is None else variable.varValue
                for variable, low in zip(variables, model.lower, strict=True)
            ],
        )
        if status != pulp.LpStatusOptimal or values is None:
            return RawSolution(None, None, seconds=seconds, backend=self.name)
        value = goal.expression.value(values)
        # PuLP calls a solution at the time limit optimal too; only the solution's own status tells.
        proved = limits.gap == 0 and problem.sol_status == pulp.LpSolutionOptimal
        return RawSolution(
            values, value if proved else None, optimal=proved, seconds=seconds, backend=self.name
        )


def _add_rows(
    problem: pulp.LpProblem, variables: list[Any], model: LinearModel, pins: Sequence[Pin]
) -> None:
    for row in model.rows:
        if not row.columns:
            continue  # CBC reads no such row
        pairs = [(variables[v], c) for v, c in zip(row.columns, row.coefficients, strict=True)]
        expression = pulp.LpAffineExpression(pairs)
        if row.low == row.high:
            problem += expression == row.high
            continue
        problem += expression <= row.high
        if row.low != -INFINITE:
            problem += expression >= row.low
    for pin in pins:
        columns, coefficients = pin.expression.columns, pin.expression.coefficients
        pairs = [(variables[v], c) for v, c in zip(columns, coefficients, strict=True)]
        if not pairs:
            continue
        terms = pulp.LpAffineExpression(pairs)
        low, high = pin.sides
        if low is not None:
            problem += terms >= low
        if high is not None:
            problem += terms <= high


def _run(problem: pulp.LpProblem, solver: str, limits: SolveLimits) -> int:
    try:
        return int(problem.solve(_make_solver(solver, limits)))
    except pulp.PulpSolverError as error:
        raise BackendError(f"PuLP's {solver} failed: {error}") from error


def _make_solver(name: str, limits: SolveLimits) -> Any:
    if name == "highs":
        set_global_threads(limits.workers)
        return pulp.HiGHS(
            msg=False,
            timeLimit=limits.seconds,
            gapRel=limits.gap,  # given even as 0: HiGHS would stop at 0.01 %
            threads=max(limits.workers, 1),
            random_seed=limits.seed,
        )
    try:
        import cbcbox
    except ImportError as error:
        raise BackendError("CBC is not installed: install the extra 'cbc'") from error
    return pulp.COIN_CMD(
        path=cbcbox.cbc_bin_path(), msg=False, timeLimit=limits.seconds, gapRel=limits.gap
    )
