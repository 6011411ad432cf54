"""A linear integer model that any backend can solve, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Any, Literal

from models.rules import RuleId
from planner.problem.least_cost import LeastCost

INFINITE = 1 << 62
"""Stands for an absent row side; no amount of a cluster comes near it."""

RowTag = RuleId | str


@dataclass(frozen=True, slots=True)
class Row:
    """``low <= sum coefficient * variable <= high``, tagged by the rule (or the definition) that it expresses."""

    columns: tuple[int, ...]
    coefficients: tuple[int, ...]
    low: int
    high: int
    tag: RowTag


@dataclass(frozen=True, slots=True)
class Expression:
    """``constant + sum coefficient * variable``."""

    columns: tuple[int, ...] = ()
    coefficients: tuple[int, ...] = ()
    constant: int = 0

    def value(self, values: Sequence[int]) -> int:
        """The expression at a solution."""
        pairs = zip(self.columns, self.coefficients, strict=True)
        return self.constant + sum(coefficient * values[column] for column, coefficient in pairs)


@dataclass(frozen=True, slots=True)
class TierGoal:
    """One tier of the objective.

    Attributes
    ----------
    ideal
        A bound that holds whatever else is decided (all gangs start, no node is used).
    relaxed
        The model only bounds the expression, and a plan tells its value: searching for a better one is no use.
    costs
        What starting gangs costs at least in this tier, by class and rank (tiers to be minimised).
    """

    name: str
    sense: Literal["max", "min"]
    unit: str
    expression: Expression
    ideal: int
    relaxed: bool = False
    costs: tuple[LeastCost, ...] = ()

    def beside(self, reached: Mapping[str, int]) -> int:
        """A bound that holds beside the values of tiers above, without a model."""
        if self.sense == "max":
            return self.ideal
        return max(self.ideal, sum(one.beside(reached) for one in self.costs))

    def is_worse(self, one: int, other: int) -> bool:
        """Whether value ``one`` is worse than ``other``."""
        return one < other if self.sense == "max" else one > other


@dataclass
class LinearModel:
    """Variables with bounds, rows, all integer. Rows that can never bind are dropped, others divided by their gcd."""

    lower: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    arrays: tuple[list[Row], int, Any] | None = field(default=None, compare=False, repr=False)
    """What backends made of the rows (which list, how many of them, arrays); see ``planner.solve.matrix``."""

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.lower)

    def variable(self, low: int, high: int) -> int:
        """Add an integer variable; returns its column."""
        self.lower.append(low)
        self.upper.append(high)
        return len(self.lower) - 1

    def at_most(self, terms: Sequence[tuple[int, int]], high: int, tag: RowTag) -> None:
        """Add ``sum coefficient * variable <= high`` from (column, coefficient) terms."""
        self._add(terms, -INFINITE, high, tag)

    def at_least(self, terms: Sequence[tuple[int, int]], low: int, tag: RowTag) -> None:
        """Add ``sum coefficient * variable >= low``."""
        self._add([(column, -c) for column, c in terms], -INFINITE, -low, tag)

    def equal(self, terms: Sequence[tuple[int, int]], value: int, tag: RowTag) -> None:
        """Add ``sum coefficient * variable == value``."""
        self._add(terms, value, value, tag)

    def _add(self, terms: Sequence[tuple[int, int]], low: int, high: int, tag: RowTag) -> None:
        merged = dict(terms)
        if len(merged) != len(terms):
            merged = {}
            for column, coefficient in terms:
                merged[column] = merged.get(column, 0) + coefficient
        if 0 in merged.values():
            merged = {column: coefficient for column, coefficient in merged.items() if coefficient}
        factors = tuple(merged.values())
        if low == -INFINITE:
            lower, upper = self.lower, self.upper
            most = sum([c * (upper[v] if c > 0 else lower[v]) for v, c in merged.items()])
            if most <= high:
                return
        divisor = gcd(*factors) or 1
        if low == high:
            divisor = gcd(divisor, high) or 1
        if divisor > 1:
            factors = tuple([coefficient // divisor for coefficient in factors])
            low = low if low == -INFINITE else low // divisor
            high //= divisor
        self.rows.append(Row(tuple(merged), factors, low, high, tag))


@dataclass(frozen=True, slots=True)
class RawSolution:
    """What a backend returns for one goal.

    Attributes
    ----------
    values
        Integer value per variable, None where no solution was found.
    bound
        Proved bound of the goal, None where unknown.
    proved_infeasible
        No solution exists.
    optimal
        The value is proved equal to the bound.
    work
        Units of deterministic work that it took, where the limit was one.
    """

    values: tuple[int, ...] | None
    bound: int | None
    proved_infeasible: bool = False
    optimal: bool = False
    seconds: float = 0.0
    backend: str = ""
    work: float = 0.0
