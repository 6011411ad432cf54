"""Bounds of a relaxation whose last columns are too many to write down: they are found by their price.

A :class:`ColumnSource` knows columns without cost by their entries in rows of its own. After every solve it is asked
for columns that would improve the optimum; where it has none left, the optimum is that over all of its columns (column
generation, Gilmore and Gomory, 1961), and so is every bound that the duals prove.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import highspy
import numpy as np
import numpy.typing as npt

from planner.problem.linear import LinearModel, TierGoal
from planner.solve.highs import _DUAL, LEAST_STEPS, LpBounds

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]
LEAST_GAIN = 1e-7
"""What a column gains at least; the solver's own tolerance is as large."""
MOST_ROUNDS = 40
"""Rounds of new columns for one goal; beyond, the goal counts as not solved."""


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A row over columns of the model, to which columns of the source are added: ``low <= terms + ... <= high``."""

    columns: tuple[int, ...]
    coefficients: tuple[int, ...]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class NewColumn:
    """A column that is at least 0 and costs nothing: what it stands for, and its entries by the keys of rows."""

    name: Hashable
    entries: tuple[tuple[Hashable, int], ...]


class ColumnSource(Protocol):
    """Columns that a relaxation lacks."""

    def row(self, key: Hashable) -> OwnRow:
        """The row of a key, before any column of the source."""

    def better(
        self, losses: FloatArray, prices: Mapping[Hashable, float]
    ) -> Sequence[tuple[NewColumn, float]]:
        """Columns with what one unit of each gains.

        ``losses`` is what one unit more of every model column costs (0 for those in use), ``prices`` what one unit
        more in a row of the source gains; rows that no column has entries in yet are left out.
        """

    def loosened(self, losses: FloatArray, prices: Mapping[Hashable, float]) -> bool:
        """Whether the optimum may not be that over all columns though :meth:`better` finds none that gains.

        What the source never writes down may gain; it has then let go of entries, and :meth:`better` finds columns.
        """

    def keys(self) -> Sequence[Hashable]:
        """Rows that are there from the first column on."""


class GeneratedBounds(LpBounds):
    """LP relaxation of a model together with all columns of a source."""

    def __init__(
        self,
        model: LinearModel,
        source: ColumnSource,
        *,
        workers: int = 1,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(model, workers=workers)
        self._source = source
        self._size = model.size
        self._own: dict[Hashable, int] = {}
        self._column: dict[Hashable, int] = {}
        self.duals: dict[str, tuple[FloatArray, Mapping[Hashable, float]]] = {}
        """Goal to losses and prices of its last optimum, see :class:`ColumnSource`."""
        self._stopped = stopped
        self._kept: set[int] = set()
        self._passing: list[int] = []

    def bound(self, goal: TierGoal, *, seconds: float) -> int | None:
        """Proved bound of a goal under the pins so far; None where columns or time ran out."""
        until = time.perf_counter() + seconds
        for _ in range(MOST_ROUNDS):
            found = super().bound(goal, seconds=max(until - time.perf_counter(), 0.0))
            if found is None or self._stopped():
                return None
            losses, prices = self.duals[goal.name] = self._prices(goal)
            better = self._source.better(losses, prices)
            if self.extend([one for one, gain in better if gain > LEAST_GAIN]):
                continue
            if not self._source.loosened(losses, prices):
                return found
        return None

    def extend(self, columns: Sequence[NewColumn]) -> int:
        """Add columns that are not there yet; returns their number."""
        fresh = {one.name: one for one in columns if one.name not in self._column}
        if not fresh:
            return 0
        keys = dict.fromkeys(() if self._own else self._source.keys())
        keys.update(dict.fromkeys(key for one in fresh.values() for key, _ in one.entries))
        self._add_rows([key for key in keys if key not in self._own])
        first = self._solver.getNumCol()
        self._column.update((name, first + place) for place, name in enumerate(fresh))
        rows = [[self._own[key] for key, _ in one.entries] for one in fresh.values()]
        self._solver.addCols(
            len(fresh),
            np.zeros(len(fresh)),
            np.zeros(len(fresh)),
            np.full(len(fresh), highspy.kHighsInf),
            *_lines(rows, [[factor for _, factor in one.entries] for one in fresh.values()]),
        )
        return len(fresh)

    def keep(self, name: Hashable, low: int, high: float = math.inf) -> None:
        """Sides for a column of the source, until :meth:`let_go`."""
        self.limit(self._column[name], low, high)
        self._kept.add(self._column[name])

    def keep_start(self, column: int, low: int, high: int | None = None) -> None:
        """At least so much (and at most ``high``) of a column of the model, until :meth:`let_go`."""
        self.limit(column, low, self._model.upper[column] if high is None else high)
        self._kept.add(column)

    def step(self, *, seconds: float) -> FloatArray | None:
        """The solution, columns of the source left out, beside other sides than the last one's; None if not soon found.

        The goal stays, and no columns are found: nothing is proved.
        """
        if not self._run(_DUAL, self._solver.getNumRow() + LEAST_STEPS, seconds):
            return None
        return np.array(self._solver.getSolution().col_value[: self._size])

    def at_most(self, terms: Sequence[tuple[int, int]], high: float) -> None:
        """A row over columns of the model that holds until :meth:`let_go`."""
        columns, factors = zip(*terms, strict=True)
        self._passing.append(self._solver.getNumRow())
        self._solver.addRow(
            -highspy.kHighsInf,
            high,
            len(columns),
            np.array(columns, dtype=np.int32),
            np.array(factors, dtype=np.float64),
        )

    def let_go(self) -> None:
        """All columns may be anything again, and rows are as they were."""
        for column in self._kept:
            own = column >= self._size
            low, high = (
                (0, math.inf) if own else (self._model.lower[column], self._model.upper[column])
            )
            self.limit(column, low, high)
        self._kept.clear()
        for row in self._passing:
            self._solver.changeRowBounds(row, -highspy.kHighsInf, highspy.kHighsInf)
        self._passing.clear()

    def begin_at(self, basis: highspy.HighsBasis) -> None:
        """Go on from where another goal ended; columns and rows since then are out of use there."""
        columns = self._solver.getNumCol() - len(basis.col_status)
        rows = self._solver.getNumRow() - len(basis.row_status)
        basis.col_status = [*basis.col_status, *[highspy.HighsBasisStatus.kLower] * columns]
        basis.row_status = [*basis.row_status, *[highspy.HighsBasisStatus.kBasic] * rows]
        super().begin_at(basis)

    def values(self) -> Sequence[float]:
        """Fractional solution of the last bound, columns of the source left out."""
        return super().values()[: self._size]

    def names(self) -> Sequence[Hashable]:
        """Columns of the source that have been added."""
        return list(self._column)

    def chosen(self) -> dict[Hashable, float]:
        """Columns of the source that the last solution uses."""
        values = super().values()
        return {name: values[at] for name, at in self._column.items() if values[at] > 1e-9}

    def _prices(self, goal: TierGoal) -> tuple[FloatArray, Mapping[Hashable, float]]:
        sign = 1.0 if goal.sense == "max" else -1.0
        solution = self._solver.getSolution()
        losses = np.maximum(-sign * np.array(solution.col_dual[: self._size]), 0.0)
        duals = solution.row_dual
        return losses, {key: -sign * duals[row] for key, row in self._own.items()}

    def _add_rows(self, keys: Sequence[Hashable]) -> None:
        """All rows at once: one by one each would move the whole matrix."""
        rows = [self._source.row(key) for key in keys]
        first = self._solver.getNumRow()
        self._own.update((key, first + place) for place, key in enumerate(keys))
        self._solver.addRows(
            len(rows),
            np.array([row.low for row in rows]),
            np.array([row.high for row in rows]),
            *_lines([row.columns for row in rows], [row.coefficients for row in rows]),
        )


def _lines(
    places: Sequence[Sequence[int]], factors: Sequence[Sequence[int]]
) -> tuple[int, IntArray, IntArray, FloatArray]:
    """Entries of rows or columns, line after line: how many, where each line begins, their places and factors."""
    lengths = np.array([len(line) for line in places], dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int32)
    index = np.array([at for line in places for at in line], dtype=np.int32)
    values = np.array([factor for line in factors for factor in line], dtype=np.float64)
    return len(index), starts, index, values
