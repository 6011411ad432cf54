"""Proof that a plan does not exist from all ways to fill a node: the linear program over patterns.

A plan that leaves little unused in the whole cluster fills every node nearly, and ways to do so can be listed
(Gilmore and Gomory, "A linear programming approach to the cutting-stock problem", 1961). What the program proves is
checked again in whole numbers, so that no rounding of the solver counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import highspy
import numpy as np
import numpy.typing as npt

from planner.problem.placement import IntArray
from planner.search.special.vector_packing.full_nodes import least_asked, least_of_all
from planner.search.special.vector_packing.problem import PackingProblem

MOST_PATTERNS = 20_000
"""Patterns of a linear program that is solved in a moment."""
MOST_PARTS = 150_000
"""Parts of patterns while they are listed; beyond, no answer is given."""
STEPS = 1_000_000
"""Whole numbers that prices between 0 and 1 become."""


def lacks_patterns(
    packing: PackingProblem, want: Mapping[int, int], seconds: float, late: Callable[[], bool]
) -> bool:
    """Whether it is proved that nodes which are alike cannot hold so many gangs of every rank (rank to gangs)."""
    if not packing.alike or not want:
        return False
    patterns = _patterns(packing, want, late)
    if patterns is None:
        return False
    if not len(patterns):
        return True
    prices = _prices(packing, want, patterns, seconds)
    return prices is not None and _refutes(packing, want, patterns, prices)


def _patterns(
    packing: PackingProblem, want: Mapping[int, int], late: Callable[[], bool]
) -> IntArray | None:
    """``[patterns, kinds]`` pods on a node that leave no more unused than a whole plan may; None where too many."""
    room = packing.room[0]
    least = room - (packing.room.sum(axis=0) - least_asked(packing, want))
    # A plan that leaves much of one resource leaves less of another: all together, a node's each counting alike.
    units = room.max() // np.maximum(room, 1)
    whole = int(packing.room.sum(axis=0) @ units) - least_of_all(packing, want, units)
    together = int(room @ units) - whole
    inside = np.array([int(rank) in want for rank in packing.rank])
    supply = np.where(inside, packing.gangs * packing.pods, 0)
    size = (packing.asks / np.maximum(room, 1)).sum(axis=1)
    order = [int(k) for k in np.argsort(-size, kind="stable") if supply[k]]
    rest = (packing.asks * supply[:, None]).sum(axis=0)
    sums = np.zeros((1, len(room)), dtype=np.int64)
    counts = np.zeros((1, len(supply)), dtype=np.int16)
    for k in order:
        rest = rest - packing.asks[k] * supply[k]
        parts = [(sums, counts)]
        for _ in range(int(supply[k])):
            more = parts[-1][0] + packing.asks[k]
            fits = (more <= room).all(axis=1)
            if not fits.any():
                break
            grown = parts[-1][1][fits]
            grown[:, k] += 1
            parts.append((more[fits], grown))
        sums = np.concatenate([one for one, _ in parts])
        counts = np.concatenate([one for _, one in parts])
        reach = sums + rest
        full = (reach >= least).all(axis=1)
        full &= np.minimum(reach, room) @ units >= together
        sums, counts = sums[full], counts[full]
        if len(sums) > MOST_PARTS or late():
            return None
    return None if len(counts) > MOST_PATTERNS else counts.astype(np.int64)


def _prices(
    packing: PackingProblem, want: Mapping[int, int], patterns: IntArray, seconds: float
) -> IntArray | None:
    """Prices of pods under which the wanted ones cost the most beyond what nodes can earn; None where none do."""
    kinds = len(packing.gangs)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("time_limit", max(seconds, 0.01))
    model = _program(packing, want, patterns)
    if solver.passModel(model) == highspy.HighsStatus.kError:
        return None
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    if solver.getInfo().objective_function_value <= 1e-6:
        return None
    duals = np.array(solver.getSolution().row_dual[:kinds])
    prices: IntArray = np.maximum(np.rint(STEPS * duals), 0).astype(np.int64)
    return prices


def _program(
    packing: PackingProblem, want: Mapping[int, int], patterns: IntArray
) -> highspy.HighsLp:
    """Fewest pods without a slot: ``sum_p a_kp l_p + s_k >= pods_k z_k``, ``sum_p l_p <= nodes``, ``sum z = want``.

    Columns are patterns l, lacking slots s and gangs z; rows are kinds, the nodes, and ranks.
    """
    kinds, count, ranks = len(packing.gangs), len(patterns), sorted(want)
    size = count + 2 * kinds
    table = np.zeros((kinds + 1 + len(ranks), size))
    table[:kinds, :count] = patterns.T
    table[:kinds, count : count + kinds] = np.eye(kinds)
    table[:kinds, count + kinds :] = -np.diag(packing.pods)
    table[kinds, :count] = 1
    for row, rank in enumerate(ranks):
        table[kinds + 1 + row, count + kinds :] = packing.rank == rank
    wanted = np.array([float(want[rank]) for rank in ranks])
    used = np.where(np.isin(packing.rank, ranks), packing.gangs, 0)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = size, len(table)
    cost = np.zeros(size)
    cost[count : count + kinds] = 1
    model.col_cost_ = cost
    model.col_lower_ = np.zeros(size)
    model.col_upper_ = np.concatenate([np.full(count + kinds, highspy.kHighsInf), used])
    nodes = [-highspy.kHighsInf]
    model.row_lower_ = np.concatenate([np.zeros(kinds), nodes, wanted])
    most = np.concatenate([np.full(kinds, highspy.kHighsInf), [float(len(packing.nodes))]])
    model.row_upper_ = np.concatenate([most, wanted])
    starts, rows, values = _columns(table)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = starts, rows, values
    return model


def _columns(
    table: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """A matrix column by column: starts, rows, values."""
    columns, rows = np.nonzero(table.T)
    starts = np.searchsorted(columns, np.arange(table.shape[1] + 1)).astype(np.int32)
    return starts, rows.astype(np.int32), table[rows, columns]


def _refutes(
    packing: PackingProblem, want: Mapping[int, int], patterns: IntArray, prices: IntArray
) -> bool:
    """Whether the cheapest choice of gangs costs more than all nodes can earn, in whole numbers."""
    earned = len(packing.nodes) * int((patterns @ prices).max())
    gang = prices * packing.pods
    cost = 0
    for rank, count in want.items():
        kinds = packing.of_rank(rank)
        cost += int(np.sort(np.repeat(gang[kinds], packing.gangs[kinds]))[:count].sum())
    return cost > earned
