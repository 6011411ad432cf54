"""OR-Tools CP-SAT backend."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ortools.sat.python import cp_model

from models.findings import BackendError
from planner.problem.linear import INFINITE, Expression, LinearModel, RawSolution, TierGoal
from planner.solve.backend import BoundSink, Feature, Pin, SolveLimits

_UNBOUNDED = 2**62
WATCH_S = 0.1
"""How often a running search looks whether it is to stop."""


class CpSatBackend:
    """Solves with CP-SAT; the better tool for logic, ties and small exact models."""

    name = "cp-sat"
    features = frozenset({Feature.HINTS, Feature.LIVE_BOUNDS, Feature.DETERMINISTIC_LIMIT})

    def __init__(self, *, stopped: Callable[[], bool] | None = None) -> None:
        self._stopped = stopped

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
        """Best solution of the goal; raises BackendError if CP-SAT refuses the model."""
        started = time.perf_counter()
        built, variables = _build(model, pins)
        _set_objective(built, variables, goal)
        if hint is not None:
            for variable, value in zip(variables, hint, strict=True):
                built.add_hint(variable, value)
        solver = _solver(limits)
        if report is not None:
            solver.best_bound_callback = lambda bound: report(None, _round(bound, goal))
        with _watched(solver, self._stopped):
            status = solver.solve(built)
        seconds = time.perf_counter() - started
        work = solver.response_proto.deterministic_time if limits.deterministic else 0.0
        if status == cp_model.MODEL_INVALID:
            raise BackendError(f"CP-SAT refuses the model: {built.validate()}")
        if status == cp_model.INFEASIBLE:
            return RawSolution(
                None, None, proved_infeasible=True, seconds=seconds, backend=self.name, work=work
            )
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return RawSolution(None, None, seconds=seconds, backend=self.name, work=work)
        values = tuple(solver.value(variable) for variable in variables)
        value = goal.expression.value(values)
        bound = _round(solver.best_objective_bound, goal)
        return RawSolution(
            values=values,
            bound=value if goal.is_worse(bound, value) else bound,
            optimal=bound == value,
            seconds=seconds,
            backend=self.name,
            work=work,
        )


@contextmanager
def _watched(solver: cp_model.CpSolver, stopped: Callable[[], bool] | None) -> Iterator[None]:
    """End the search soon after a stop is asked for; the best solution so far stays."""
    if stopped is None:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        while not done.wait(WATCH_S):
            if stopped():
                solver.stop_search()
                return

    watcher = threading.Thread(target=watch, name="stopping", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _build(
    model: LinearModel, pins: Sequence[Pin]
) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    built = cp_model.CpModel()
    variables = [
        built.new_int_var(low, high, "") for low, high in zip(model.lower, model.upper, strict=True)
    ]
    for row in model.rows:
        expression = cp_model.LinearExpr.weighted_sum(
            [variables[column] for column in row.columns], list(row.coefficients)
        )
        low = -_UNBOUNDED if row.low == -INFINITE else row.low
        built.add_linear_constraint(expression, low, row.high)
    for pin in pins:
        least, most = pin.sides
        built.add_linear_constraint(
            _terms(variables, pin.expression),
            -_UNBOUNDED if least is None else least,
            _UNBOUNDED if most is None else most,
        )
    return built, variables


def _terms(variables: list[cp_model.IntVar], expression: Expression) -> cp_model.LinearExprT:
    return cp_model.LinearExpr.weighted_sum(
        [variables[column] for column in expression.columns], list(expression.coefficients)
    )


def _set_objective(
    built: cp_model.CpModel, variables: list[cp_model.IntVar], goal: TierGoal
) -> None:
    if not goal.expression.columns:
        return
    expression = _terms(variables, goal.expression)
    if goal.sense == "max":
        built.maximize(expression + goal.expression.constant)
    else:
        built.minimize(expression + goal.expression.constant)


def _solver(limits: SolveLimits) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.random_seed = limits.seed
    parameters.catch_sigint_signal = False  # Ctrl-C is the caller's business
    parameters.relative_gap_limit = limits.gap
    if limits.deterministic:
        parameters.num_workers = max(limits.workers, 1)
        parameters.interleave_search = limits.workers > 1
        parameters.max_deterministic_time = limits.seconds
    else:
        parameters.num_workers = max(limits.workers, 1)
        parameters.max_time_in_seconds = limits.seconds
    return solver


def _round(bound: float, goal: TierGoal) -> int:
    """Integer bound on the safe side; CP-SAT's bounds of integer objectives are integers stored as floats."""
    nearest = round(bound)
    if abs(bound - nearest) <= 1e-6 * max(1.0, abs(bound)):
        return nearest
    return int(bound // 1) if goal.sense == "max" else int(-(-bound // 1))
