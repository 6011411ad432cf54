"""HiGHS backend: whole models as sparse matrices, for large linear models and LP bounds.

The matrix is handed over at once (row by row is many times slower, and PuLP's objects cost three times as much per
column); see ``benchmarks/`` for the measurement.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import highspy
import numpy as np

from models.findings import BackendError
from planner.problem.linear import INFINITE, LinearModel, RawSolution, TierGoal
from planner.solve.backend import BoundSink, Feature, Pin, SolveLimits
from planner.solve.exact_values import integer_values
from planner.solve.matrix import matrix_of
from planner.solve.work import TreeWork, relaxed_work

_TOLERANCE = 1e-6
_DUAL, _PRIMAL = 1, 4
LEAST_STEPS = 2_000
"""Simplex steps, beside one per row, after which a goal begins again without the basis of the goal before."""


class HighsBackend:
    """Solves integer models with HiGHS."""

    name = "highs"
    features = frozenset({Feature.HINTS, Feature.DETERMINISTIC_LIMIT})

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
        """Best solution of the goal; integer values are rounded and checked exactly against every row."""
        started = time.perf_counter()
        solver = _load(model, pins, integer=True)
        _set_costs(solver, model, goal)
        solver.setOptionValue("random_seed", limits.seed)
        solver.setOptionValue("mip_rel_gap", limits.gap)
        _set_threads(solver, limits.workers)
        if limits.planned:
            _prove(solver)
        counted = TreeWork(solver, limits.seconds) if limits.deterministic else None
        if counted is None:
            solver.setOptionValue("time_limit", limits.seconds)
        if hint is not None:
            start = highspy.HighsSolution()
            start.col_value = [float(value) for value in hint]
            solver.setSolution(start)
        if self._stopped is not None:
            _stop_when(solver, self._stopped)
        _run(solver)
        seconds = time.perf_counter() - started
        work = counted.used if counted is not None else 0.0
        if solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return RawSolution(
                None, None, proved_infeasible=True, seconds=seconds, backend=self.name, work=work
            )
        info = solver.getInfo()
        bound = rounded_bound(info.mip_dual_bound, goal)
        values = integer_values(model, pins, solver.getSolution().col_value)
        if values is None:
            return RawSolution(None, bound, seconds=seconds, backend=self.name, work=work)
        value = goal.expression.value(values)
        if bound is not None and goal.is_worse(bound, value):
            bound = value
        return RawSolution(
            values,
            bound,
            optimal=bound == value,
            seconds=seconds,
            backend=self.name,
            work=work,
        )


class LpBounds:
    """LP relaxation of one model: bounds of goal after goal.

    Attributes
    ----------
    work
        Units of work so far, see ``planner.solve.work``.
    """

    name = "highs-lp"

    def __init__(self, model: LinearModel, *, workers: int = 1) -> None:
        self._model = model
        self._workers = workers
        self._solver = _load(model, (), integer=False)
        self._warm = False
        self._next = _PRIMAL
        self._slack: dict[str, int] = {}
        self.work = 0.0
        self._rows: dict[str, int] = {}

    def bound(self, goal: TierGoal, *, seconds: float) -> int | None:
        """Proved bound of a goal under the pins so far; None if the LP was not solved in time.

        The last optimum satisfies the pins that came after it, so the primal simplex goes on from there: most goals
        take few steps. Where it takes many, the goal begins again without a basis.
        """
        solver = self._solver
        until = time.perf_counter() + seconds
        _set_costs(solver, self._model, goal)
        _set_threads(solver, self._workers)
        solved = self._warm and self._run(self._next, solver.getNumRow() + LEAST_STEPS, seconds)
        self._next = _PRIMAL
        if not solved:
            solver.clearSolver()
            left = max(until - time.perf_counter(), 0.0)
            solved = self._run(_DUAL, highspy.kHighsIInf, left)
        self._warm = solved
        return rounded_bound(solver.getInfo().objective_function_value, goal) if solved else None

    def _run(self, strategy: int, steps: int, seconds: float) -> bool:
        """Solve with a simplex strategy and at most so many steps; whether that ended at an optimum."""
        solver = self._solver
        solver.setOptionValue("simplex_strategy", strategy)
        solver.setOptionValue("simplex_iteration_limit", steps)
        solver.setOptionValue("time_limit", solver.getRunTime() + seconds)
        _run(solver)
        self.work += relaxed_work(solver)
        return bool(solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)

    def values(self) -> Sequence[float]:
        """Fractional solution of the last bound."""
        return list(self._solver.getSolution().col_value)

    @property
    def optimum(self) -> float:
        """The last goal's optimum, before rounding."""
        return float(self._solver.getInfo().objective_function_value)

    def prices(self) -> dict[str, float]:
        """What one unit more of a pinned goal's value changes in the last optimum; goals without any are left out."""
        duals = self._solver.getSolution().row_dual
        return {name: duals[row] for name, row in self._rows.items() if duals[row]}

    def basis(self) -> highspy.HighsBasis:
        """Where the last goal ended."""
        return self._solver.getBasis()

    def begin_at(self, basis: highspy.HighsBasis) -> None:
        """Go on from where another goal of these rows ended."""
        self._warm = self._solver.setBasis(basis) == highspy.HighsStatus.kOk
        self._next = _PRIMAL

    def limit(self, column: int, low: float, high: float) -> None:
        """Give a column other sides: the last optimum may not satisfy them, so the dual simplex goes on from there."""
        self._solver.changeColBounds(column, low, high)
        self._next = _DUAL

    def aim(self, goal: TierGoal) -> None:
        """Make a goal the one to be solved next."""
        _set_costs(self._solver, self._model, goal)

    def soften(self, costs: Sequence[tuple[TierGoal, float]]) -> None:
        """Let pinned goals miss their pins, at a cost per unit in the goal that was solved or aimed at last.

        Its optimum stays one where a cost is at least the pin's price, see :meth:`prices`.
        """
        maximize = self._solver.getObjectiveSense()[1] == highspy.ObjSense.kMaximize
        for goal, cost in costs:
            if goal.name not in self._slack:
                self._slack[goal.name] = self._solver.getNumCol()
                row = np.array([self._rows[goal.name]], dtype=np.int32)
                side = np.array([1.0 if goal.sense == "max" else -1.0])
                self._solver.addCol(0.0, 0.0, 0.0, 1, row, side)
            column = self._slack[goal.name]
            self._solver.changeColBounds(column, 0.0, highspy.kHighsInf)
            self._solver.changeColCost(column, -cost if maximize else cost)

    def harden(self) -> None:
        """Pins hold as they are again."""
        for column in self._slack.values():
            self._solver.changeColBounds(column, 0.0, 0.0)
            self._solver.changeColCost(column, 0.0)

    def expect(self, goals: Sequence[TierGoal]) -> None:
        """Rows without sides for the pins of these goals, so that pins change no more than sides."""
        for goal in goals:
            if goal.name not in self._rows and goal.expression.columns:
                self._add(goal, -highspy.kHighsInf, highspy.kHighsInf)

    def release(self) -> None:
        """Let all pins go; their rows stay for pins of the same goals."""
        for row in self._rows.values():
            self._solver.changeRowBounds(row, -highspy.kHighsInf, highspy.kHighsInf)

    def pin(self, pin: Pin) -> None:
        """Keep a decided tier: as a row, or by the sides of the row that it has."""
        low, high = _pin_sides(pin)
        row = self._rows.get(pin.goal.name)
        if row is not None:
            self._solver.changeRowBounds(row, low, high)
        elif pin.expression.columns:
            self._add(pin.goal, low, high)

    def _add(self, goal: TierGoal, low: float, high: float) -> None:
        expression = goal.expression
        self._rows[goal.name] = self._solver.getNumRow()
        self._solver.addRow(
            low,
            high,
            len(expression.columns),
            np.array(expression.columns, dtype=np.int32),
            np.array(expression.coefficients, dtype=np.float64),
        )


def load_relaxation(
    model: LinearModel, goal: TierGoal, *, seconds: float, workers: int
) -> highspy.Highs:
    """A solver with the linear relaxation of a model under one goal, ready to run."""
    solver = _load(model, (), integer=False)
    _set_costs(solver, model, goal)
    solver.setOptionValue("time_limit", seconds)
    _set_threads(solver, workers)
    return solver


class _Pool(threading.local):
    """HiGHS shares one pool of workers among the runs of a thread; another number of workers needs a new one."""

    threads = 0


_POOL = _Pool()


def set_global_threads(workers: int) -> int:
    """Prepare the pool for so many workers; returns the number of threads to ask for."""
    threads = max(workers, 1)
    if threads != _POOL.threads:
        highspy.Highs.resetGlobalScheduler(True)
        _POOL.threads = threads
    return threads


def _set_threads(solver: highspy.Highs, workers: int) -> None:
    solver.setOptionValue("threads", set_global_threads(workers))


def release_threads() -> None:
    """End the pool's threads: a forked child would wait for ever for threads that only its parent has."""
    if _POOL.threads:
        highspy.Highs.resetGlobalScheduler(True)
        _POOL.threads = 0


def _prove(solver: highspy.Highs) -> None:
    """Leave out what pays only where no good solution is known, and presolving what is searched for seconds' parts."""
    solver.setOptionValue("mip_heuristic_run_feasibility_jump", False)
    solver.setOptionValue("mip_root_presolve_only", True)


def _stop_when(solver: highspy.Highs, stopped: Callable[[], bool]) -> None:
    """Let HiGHS ask now and then whether to stop; the best solution so far stays."""

    def look(event: highspy.HighsCallbackEvent) -> None:
        if stopped():
            event.interrupt()

    solver.cbMipInterrupt += look
    solver.cbSimplexInterrupt += look


def _run(solver: highspy.Highs) -> None:
    """Run, and never take what an earlier run left for an answer."""
    if solver.run() == highspy.HighsStatus.kError:
        raise BackendError("HiGHS ended with an error")


def _load(model: LinearModel, pins: Sequence[Pin], *, integer: bool) -> highspy.Highs:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    lp = highspy.HighsLp()
    matrix = matrix_of(model)
    sides = [_pin_sides(pin) for pin in pins]
    wanted = [pin.expression for pin in pins]
    lengths = [len(expression.columns) for expression in wanted]
    low = np.where(matrix.low == -INFINITE, -highspy.kHighsInf, matrix.low.astype(np.float64))
    lp.num_col_ = model.size
    lp.num_row_ = len(model.rows) + len(pins)
    lp.col_lower_ = np.array(model.lower, dtype=np.float64)
    lp.col_upper_ = np.array(model.upper, dtype=np.float64)
    lp.col_cost_ = np.zeros(model.size)
    lp.row_lower_ = np.concatenate([low, [side for side, _ in sides]])
    lp.row_upper_ = np.concatenate([matrix.high, [side for _, side in sides]]).astype(np.float64)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    ends = matrix.columns.size + np.cumsum(lengths, dtype=np.int64)
    lp.a_matrix_.start_ = np.concatenate([matrix.starts, ends]).astype(np.int32)
    pinned = [np.array(one.columns, dtype=np.int32) for one in wanted]
    lp.a_matrix_.index_ = np.concatenate([matrix.columns.astype(np.int32), *pinned])
    factors = [np.array(one.coefficients, dtype=np.float64) for one in wanted]
    lp.a_matrix_.value_ = np.concatenate([matrix.factors.astype(np.float64), *factors])
    if integer:
        lp.integrality_ = [highspy.HighsVarType.kInteger] * model.size
    if solver.passModel(lp) == highspy.HighsStatus.kError:
        raise BackendError("HiGHS refuses the model")
    return solver


def _pin_sides(pin: Pin) -> tuple[float, float]:
    infinite = float(highspy.kHighsInf)
    low, high = pin.sides
    return -infinite if low is None else float(low), infinite if high is None else float(high)


def _set_costs(solver: highspy.Highs, model: LinearModel, goal: TierGoal) -> None:
    costs = np.zeros(model.size)
    costs[list(goal.expression.columns)] = goal.expression.coefficients
    columns = np.arange(model.size, dtype=np.int32)
    solver.changeColsCost(model.size, columns, costs)
    solver.changeObjectiveOffset(float(goal.expression.constant))
    sense = highspy.ObjSense.kMaximize if goal.sense == "max" else highspy.ObjSense.kMinimize
    solver.changeObjectiveSense(sense)


def rounded_bound(bound: float, goal: TierGoal) -> int | None:
    """Integer bound on the safe side of the solver's tolerance; None where it is infinite."""
    if not np.isfinite(bound):
        return None
    slack = _TOLERANCE * max(1.0, abs(bound))
    return int(np.floor(bound + slack)) if goal.sense == "max" else int(np.ceil(bound - slack))
