"""The linear program behind joint shares of several resources: built once, its level rows changed from round to round.

A *node* is a queue of the tree. Columns, all in parts of the cluster (as many parts as there are nodes, so that
numbers are near 1): ``use[n]`` (sum of the dominant shares of the leaves below node n), ``hold[n, r]`` (what node n
holds of resource r) and ``level``. Rows:

- leaf q: ``hold[q, r] >= use[q] * mix[q, r]``, where the mix is the queue's demand per unit of its dominant share;
- inner p: ``hold[p, r] >= sum over children hold[c, r]`` and ``use[p] = sum over children use[c]``;
- cluster: ``sum over the top level hold[n, r] <= parts``;
- while n is open: ``use[n] >= entitlement[n] * level``.

Floors and limits are bounds of ``hold``.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
import numpy.typing as npt

from models.findings import BackendError
from planner.shares.tree import IntArray, ShareTree

FloatArray = npt.NDArray[np.float64]
_PRECISION = 1e-9
_SLACK = 1e-7
_COARSE = 1e-7
"""Tolerance from the moment on at which the solver fails with the finer one."""


@dataclass(frozen=True)
class Round:
    """One solved program: the common level, use per node, and how much each level row holds it down (sums to 1)."""

    level: float
    use: FloatArray
    pressure: FloatArray


class LevelProgram:
    """Maximises the common level of the open nodes while settled ones keep what they have.

    Parameters
    ----------
    dominant
        Dominant share of each leaf's whole demand; 0 for inner nodes and leaves that ask for nothing.
    mix
        What a leaf holds per resource for each part of dominant share.
    lower, upper
        Bounds of ``hold``.
    """

    def __init__(
        self,
        tree: ShareTree,
        dominant: FloatArray,
        mix: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
    ) -> None:
        self._nodes, self._resources = mix.shape
        self._level = self._nodes * (1 + self._resources)
        self._solver = highspy.Highs()
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("simplex_scale_strategy", 0)  # the numbers are near 1 already
        self._solver.setOptionValue("presolve", "off")  # it calls settled levels infeasible by 1e-9
        self._tolerance = 0.0
        self._set_tolerance(_PRECISION)
        rows = _Rows()
        self._level_rows(rows)
        self._hold_rows(rows, tree, mix)
        size = self._level + 1
        most_use = np.where(tree.inner, highspy.kHighsInf, dominant)
        low = np.concatenate([np.zeros(self._nodes), lower.ravel(), [0.0]])
        high = np.concatenate([most_use, np.maximum(lower, upper).ravel(), [highspy.kHighsInf]])
        self._pass(rows, size, low, high)

    def _level_rows(self, rows: _Rows) -> None:
        """Row n is the level row of node n; closed (free) until :meth:`open` sets its entitlement."""
        for node in range(self._nodes):
            rows.add([node, self._level], [1.0, 0.0], -highspy.kHighsInf, highspy.kHighsInf)

    def _hold_rows(self, rows: _Rows, tree: ShareTree, mix: FloatArray) -> None:
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(tree.parent.tolist()):
            children.setdefault(parent, []).append(node)
        for r in range(self._resources):
            top = [self._hold(node, r) for node in children.get(-1, [])]
            rows.add(top, [1.0] * len(top), -highspy.kHighsInf, float(self._nodes))
        for node in range(self._nodes):
            below = children.get(node, [])
            if below:
                rows.add([node, *below], [1.0, *[-1.0] * len(below)], 0.0, 0.0)
            for r in range(self._resources):
                if below:
                    holds = [self._hold(child, r) for child in below]
                    factors = [1.0, *[-1.0] * len(below)]
                    rows.add([self._hold(node, r), *holds], factors, 0.0, highspy.kHighsInf)
                elif mix[node, r] > 0:
                    factors = [1.0, -float(mix[node, r])]
                    rows.add([self._hold(node, r), node], factors, 0.0, highspy.kHighsInf)

    def _hold(self, node: int, resource: int) -> int:
        return int(self._nodes + node * self._resources + resource)

    def _pass(self, rows: _Rows, size: int, low: FloatArray, high: FloatArray) -> None:
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = size, len(rows.low)
        lp.col_lower_, lp.col_upper_ = low, high
        costs = np.zeros(size)
        costs[self._level] = 1.0
        lp.col_cost_ = costs
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.row_lower_, lp.row_upper_ = np.array(rows.low), np.array(rows.high)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.array(rows.start, dtype=np.int32)
        lp.a_matrix_.index_ = np.array(rows.columns, dtype=np.int32)
        lp.a_matrix_.value_ = np.array(rows.factors)
        if self._solver.passModel(lp) == highspy.HighsStatus.kError:
            raise BackendError("HiGHS refuses the model of the fair shares")

    def open(self, nodes: IntArray, entitlement: FloatArray) -> None:
        """Let these nodes take part in the common level."""
        for node, part in zip(nodes.tolist(), entitlement.tolist(), strict=True):
            self._solver.changeCoeff(node, self._level, -part)
            self._solver.changeRowBounds(node, 0.0, highspy.kHighsInf)

    def settle(self, node: int, use: float) -> None:
        """Take a node out of the common level; it keeps this use, less what makes the next program surely feasible."""
        slack = _SLACK + 10 * self._tolerance
        self._solver.changeCoeff(node, self._level, 0.0)
        self._solver.changeRowBounds(node, -highspy.kHighsInf, highspy.kHighsInf)
        self._solver.changeColBounds(node, max(use * (1 - slack) - slack, 0.0), highspy.kHighsInf)

    def solve(self, nodes: IntArray, entitlement: FloatArray) -> Round:
        """Maximise the level; ``nodes`` are the open ones.

        Raises
        ------
        BackendError
            The solver did not reach the optimum (the program is always feasible and bounded).
        """
        if not (self._runs() or self._runs_afresh()):
            told = self._solver.modelStatusToString(self._solver.getModelStatus())
            raise BackendError(f"HiGHS ended the fair shares with status {told}")
        solution = self._solver.getSolution()
        values = np.array(solution.col_value)
        duals = np.abs(np.array(solution.row_dual)[nodes])
        return Round(float(values[self._level]), values[: self._nodes], duals * entitlement)

    def _runs(self) -> bool:
        self._solver.run()
        return bool(self._solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)

    def _runs_afresh(self) -> bool:
        """Without the last basis, first as precisely as usual, then less so."""
        for tolerance in (self._tolerance, _COARSE):
            self._solver.clearSolver()
            self._set_tolerance(tolerance)
            if self._runs():
                return True
        return False

    def _set_tolerance(self, tolerance: float) -> None:
        self._tolerance = tolerance
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._solver.setOptionValue(name, tolerance)


class _Rows:
    """Rows of a sparse matrix."""

    def __init__(self) -> None:
        self.start: list[int] = [0]
        self.columns: list[int] = []
        self.factors: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def add(self, columns: list[int], factors: list[float], low: float, high: float) -> None:
        """Append ``low <= sum factor * column <= high``."""
        self.columns += columns
        self.factors += factors
        self.start.append(len(self.columns))
        self.low.append(low)
        self.high.append(high)
