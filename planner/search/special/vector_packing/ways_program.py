"""The linear program over ways to fill one of some equal nodes: slots for given pods, or prices that refute them.

A program that also chooses the gangs takes fractions of several choices, and with them refutes hardly anything; where
the gangs are given, it is known exactly how much may be left unused, and ways that leave more are none (Gilmore and
Gomory, "A linear programming approach to the cutting-stock problem", 1961). What its prices prove is counted in whole
numbers, so that no rounding of the solver counts.
"""

from __future__ import annotations

from collections.abc import Callable

import highspy
import numpy as np
import numpy.typing as npt

from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import BoolArray, IntArray
from planner.search.special.vector_packing.ways import Ways
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

FloatArray = npt.NDArray[np.float64]
FIRST_WAYS = 300
"""Ways that the first program begins with: those that leave the least."""
MORE_WAYS = 100
"""Ways that are added at once."""
STEPS = 1_000_000
"""Whole numbers that prices between 0 and 1 become."""
NOTHING = 1e-7


class WaysProgram:
    """The fewest pods without a slot: ``sum_w a_kw l_w + s_k >= pods_k``, ``sum_w l_w <= nodes``.

    Columns are lacking slots s and ways l, which come as their prices ask for them; rows are kinds, and the nodes.
    """

    def __init__(self, ways: Ways, kinds: int) -> None:
        self.ways, self._kinds = ways, kinds
        self._solver = solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        for _ in range(kinds):
            solver.addRow(0.0, highspy.kHighsInf, 0, [], [])
        solver.addRow(-highspy.kHighsInf, 0.0, 0, [], [])
        for kind in range(kinds):
            solver.addCol(1.0, 0.0, highspy.kHighsInf, 1, np.array([kind], np.int32), np.ones(1))
        self._inside = np.zeros(len(ways), dtype=np.bool_)
        self.columns = np.zeros(0, dtype=np.int64)
        """Ways that the program has, in its order."""

    def first_open(
        self,
        pods: IntArray,
        spare: IntArray,
        nodes: int,
        left: BoolArray,
        late: Callable[[], bool],
    ) -> int | None:
        """The first of several choices of pods that is not refuted; None where all are.

        ``pods[choices, kinds]`` leave ``spare[choices, resources]`` of all nodes together unused. Choices that are
        refuted are not ``left`` any more; prices that refute one are tried on all.
        """
        while left.any():
            number = int(left.argmax())
            allowed = self.ways.allowed(pods[number], spare[number])
            prices = self.relaxed(pods[number], nodes, allowed, late)[0]
            if prices is None:
                return number
            left[number] = False
            for other in map(int, np.flatnonzero(left)):
                cost = int(pods[other] @ prices)
                rich = np.flatnonzero(self.ways.earned(prices) * nodes >= cost)
                left[other] = self.ways.some(rich).allowed(pods[other], spare[other]).any()
        return None

    def relaxed(
        self, pods: IntArray, nodes: int, allowed: BoolArray, late: Callable[[], bool]
    ) -> tuple[IntArray | None, FloatArray | None]:
        """Prices under which ``pods[kinds]`` cost more than the nodes earn, or how often to use each of ``columns``.

        Both are None where the program ends with neither, or there was no time.
        """
        solver, kinds = self._solver, self._kinds
        if not allowed.any():
            return np.ones(kinds, dtype=np.int64), None
        self._bounded(pods, nodes, allowed)
        while not late():
            solver.run()
            if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                break
            solution = solver.getSolution()
            if solver.getInfo().objective_function_value <= NOTHING:
                return None, np.array(solution.col_value[kinds:])
            duals = np.array(solution.row_dual)
            prices = np.rint(STEPS * np.maximum(duals[:kinds], 0)).astype(np.int64)
            earned = np.where(allowed, self.ways.earned(prices), 0)
            if int(pods @ prices) > nodes * int(earned.max()):
                return prices, None
            earned[self._inside] = 0
            better = np.flatnonzero(earned > kinds - STEPS * duals[kinds])
            if not len(better):
                break
            self._add(better[np.argsort(-earned[better], kind="stable")[:MORE_WAYS]])
        return None, None

    def _bounded(self, pods: IntArray, nodes: int, allowed: BoolArray) -> None:
        """Rows and columns for a question, with ways to begin with."""
        solver, kinds = self._solver, self._kinds
        for kind, count in enumerate(pods):
            solver.changeRowBounds(kind, float(count), highspy.kHighsInf)
        solver.changeRowBounds(kinds, -highspy.kHighsInf, float(nodes))
        for place, way in enumerate(self.columns):
            most = highspy.kHighsInf if allowed[way] else 0.0
            solver.changeColBounds(kinds + place, 0.0, most)
        if not len(self.columns):
            parts = (self.ways.over / np.maximum(self.ways.over.max(axis=0), 1)).sum(axis=1)
            parts[~allowed] = np.inf
            count = min(FIRST_WAYS, int(allowed.sum()))
            self._add(np.argsort(parts, kind="stable")[:count])

    def _add(self, ways: IntArray) -> None:
        for pods in self.ways.pods(ways):
            rows = np.append(np.flatnonzero(pods), self._kinds).astype(np.int32)
            values = np.append(pods[rows[:-1]], 1).astype(np.float64)
            self._solver.addCol(0.0, 0.0, highspy.kHighsInf, len(rows), rows, values)
        self._inside[ways] = True
        self.columns = np.append(self.columns, ways)


def chosen_ways(
    ways: IntArray, pods: IntArray, nodes: int, limits: SolveLimits
) -> tuple[IntArray | None, bool]:
    """Pods ``[kinds, nodes]`` on nodes each filled in one of ``ways[ways, kinds]``, or whether there are none."""
    model = LinearModel()
    columns = [model.variable(0, nodes) for _ in ways]
    model.equal([(column, 1) for column in columns], nodes, "nodes")
    for kind, count in enumerate(pods):
        some = np.flatnonzero(ways[:, kind])
        model.equal([(columns[w], int(ways[w, kind])) for w in some], int(count), "pods")
    goal = TierGoal("fill", "max", "pods", Expression(), 0)
    found = CpSatBackend().solve(model, goal, pins=(), limits=limits)
    if found.values is None:
        return None, found.proved_infeasible
    return np.repeat(ways, np.array(found.values), axis=0).T, False
