"""The master program over patterns, as a linear program and with whole patterns.

``max sum value y_sf`` subject to ``sum_f y_sf <= supply_s`` (pods of a source over its sites),
``sum_{s of kind k} y_sf <= sum_p a_kp l_p`` (slots that patterns offer at a site) and
``sum_p l_p <= nodes`` per type. A slot may stay empty, so rounding patterns never breaks a row.
With ``sums`` every type keeps its resources in sum only: a relaxation for patterns that may exceed a node.
With ``fewest`` all pods have to be placed (``=`` in the first rows), and the GPUs of nodes that become used are
minimised instead: ``max -sum_p gpus_p l_p``.
"""

from __future__ import annotations

import highspy
import numpy as np

from planner.problem.meter import Meter
from planner.problem.placement import IntArray
from planner.search.special.node_patterns.pricing import FloatArray
from planner.search.special.node_patterns.problem import Pattern, PatternProblem
from planner.solve.highs import set_global_threads
from planner.solve.work import TreeWork, relaxed_work

WHOLE_GAP = 1e-4
_CHOICE, _PRIMAL = 1, 4
"""Strategies of the simplex: the solver's own, and the primal, which goes on where patterns were added."""
SLACK = 10
"""Uses that a pattern may lose against the whole part of its linear ones."""


class Master:
    """Grows by patterns; rows and flows are there from the start."""

    def __init__(
        self,
        problem: PatternProblem,
        *,
        sums: bool,
        fewest: bool = False,
        meter: Meter | None = None,
    ) -> None:
        self.problem = problem
        self.meter = meter or Meter(deterministic=False)
        self._sums, self._fewest = sums, fewest
        gpus = problem.gpus if fewest else np.zeros_like(problem.gpus)
        self.costs = gpus.astype(np.float64)
        self._scale = np.maximum(problem.room.max(axis=0), 1).astype(np.float64)
        self.patterns: list[tuple[int, dict[int, int]]] = []
        self._seen: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
        self._kinds = len(problem.value)
        self._slots = len(problem.supply)
        self._types = self._slots + len(problem.open) * self._kinds
        self._loads = self._types + len(problem.nodes)
        self.flows = [
            (int(site), int(source)) for site, source in zip(*np.nonzero(problem.open), strict=True)
        ]
        self._solver = self._start()

    def _start(self) -> highspy.Highs:
        problem, solver = self.problem, highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", set_global_threads(1))
        solver.setOptionValue("simplex_strategy", _PRIMAL)
        none, zero = np.array([], dtype=np.int32), np.array([])
        highs = [*problem.supply, *([0] * (self._types - self._slots)), *problem.number]
        for row, high in enumerate(highs):
            low = float(high) if self._fewest and row < self._slots else -highspy.kHighsInf
            solver.addRow(low, float(high), 0, none, zero)
        if self._sums:
            for t, number in enumerate(problem.number):
                for amount in problem.room[t] * number / self._scale:
                    solver.addRow(-highspy.kHighsInf, float(amount), 0, none, zero)
        for site, source in self.flows:
            kind = int(problem.kind[source])
            rows = np.array([source, self._slots + site * self._kinds + kind], dtype=np.int32)
            value = 0.0 if self._fewest else float(problem.worth[source])
            most = float(problem.supply[source])
            solver.addCol(value, 0.0, most, 2, rows, np.ones(2))
        solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        return solver

    def add(self, node_type: int, pattern: Pattern) -> bool:
        """Add a pattern of a type; False where it is known or empty."""
        held = {kind: n for kind, n in pattern.items() if n}
        key = (node_type, tuple(sorted(held.items())))
        if not held or key in self._seen:
            return False
        self._seen.add(key)
        first = self._slots + int(self.problem.site[node_type]) * self._kinds
        rows = [*(first + kind for kind in held), self._types + node_type]
        amounts = [*(-float(n) for n in held.values()), 1.0]
        if self._sums:
            load = sum(
                (self.problem.asks[kind] * n for kind, n in held.items()),
                np.zeros(len(self._scale), dtype=np.int64),
            )
            begin = self._loads + node_type * len(self._scale)
            rows += range(begin, begin + len(self._scale))
            amounts += list(load / self._scale)
        self._solver.addCol(
            -float(self.costs[node_type]),
            0.0,
            highspy.kHighsInf,
            len(rows),
            np.array(rows, dtype=np.int32),
            np.array(amounts, dtype=np.float64),
        )
        self.patterns.append((node_type, held))
        return True

    def solve(self) -> float:
        """Value of the linear program."""
        self._solver.run()
        self.meter.add(relaxed_work(self._solver))
        return float(self._solver.getInfo().objective_function_value)

    def slot_prices(self) -> FloatArray:
        """``[sites, kinds]`` what a slot is worth."""
        found = self._duals()[self._slots : self._types]
        return np.asarray(found.reshape(len(self.problem.open), self._kinds))

    def node_prices(self) -> FloatArray:
        """``[types]`` what a node is worth."""
        return np.asarray(self._duals()[self._types : self._loads])

    def load_prices(self) -> FloatArray:
        """``[types, resources]`` price of the resources, with ``sums``."""
        found = self._duals()[self._loads :]
        return np.asarray(found.reshape(len(self.problem.nodes), len(self._scale)) / self._scale)

    def _duals(self) -> FloatArray:
        return np.asarray(np.maximum(np.array(self._solver.getSolution().row_dual), 0.0))

    def uses(self) -> FloatArray:
        """Times each pattern is used."""
        return np.array(self._solver.getSolution().col_value)[len(self.flows) :]

    def flow(self) -> FloatArray:
        """Pods of each flow."""
        return np.array(self._solver.getSolution().col_value)[: len(self.flows)]

    def whole(self, seconds: float, slack: int, seed: int) -> IntArray:
        """Whole uses of each pattern near the linear solution: at least its whole part less ``slack``.

        Called last: with a meter of work the solver is limited for good.
        """
        solver, first = self._solver, len(self.flows)
        least = np.maximum(np.floor(self.uses() + 1e-6) - slack, 0.0)
        number = len(self.patterns)
        for column, low in enumerate(least):
            solver.changeColBounds(first + column, float(low), highspy.kHighsInf)
        kinds = np.array([0] * first + [1] * number, dtype=np.uint8)
        columns = np.arange(first + number, dtype=np.int32)
        solver.changeColsIntegrality(first + number, columns, kinds)
        solver.setOptionValue("simplex_strategy", _CHOICE)
        counted = TreeWork(solver, seconds) if self.meter.deterministic else None
        if counted is None:
            solver.setOptionValue("time_limit", solver.getRunTime() + seconds)
        solver.setOptionValue("mip_rel_gap", WHOLE_GAP)
        solver.setOptionValue("random_seed", seed)
        solver.run()
        self.meter.add(counted.used if counted is not None else 0.0)
        found = np.rint(np.array(solver.getSolution().col_value)[first:])
        return np.asarray(found, dtype=np.int64)

    @property
    def solved(self) -> bool:
        """Whether the last run left a feasible solution."""
        status = self._solver.getInfo().primal_solution_status
        return int(status) == int(highspy.SolutionStatus.kSolutionStatusFeasible)
