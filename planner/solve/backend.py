"""What a solver backend offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from planner.problem.linear import Expression, LinearModel, RawSolution, TierGoal


class Feature(StrEnum):
    """What a backend can do beyond solving; asked instead of testing names."""

    HINTS = "takes a complete hint"
    LIVE_BOUNDS = "reports bounds while it runs"
    DETERMINISTIC_LIMIT = "stops after deterministic work"


@dataclass(frozen=True, slots=True)
class Pin:
    """A tier that is decided: its expression may not get worse than the value.

    ``bound`` is what was proved under the pins before: nothing better exists. Posted as well it spares the tiers below
    the work of proving it again, relaxations above all.
    """

    goal: TierGoal
    value: int
    bound: int | None = None

    @property
    def expression(self) -> Expression:
        """The tier's expression."""
        return self.goal.expression

    @property
    def sides(self) -> tuple[int | None, int | None]:
        """Least and most that the expression's terms may sum up to; None where nothing is said."""
        constant = self.goal.expression.constant
        value = self.value - constant
        bound = None if self.bound is None else self.bound - constant
        return (value, bound) if self.goal.sense == "max" else (bound, value)


@dataclass(frozen=True, slots=True)
class SolveLimits:
    """Limits of one solver call.

    Attributes
    ----------
    seconds
        Wall seconds, or with ``deterministic`` units of deterministic work.
    gap
        Relative gap at which it may stop.
    planned
        A good solution was found before: what looks for a first one is left out.
    """

    seconds: float
    gap: float = 0.0
    seed: int = 0
    workers: int = 1
    deterministic: bool = False
    planned: bool = False


BoundSink = Callable[[int | None, int | None], None]
"""Called with (value, bound) whenever one of them improves."""


class Backend(Protocol):
    """Solves a linear integer model for one goal under pins."""

    name: str
    features: frozenset[Feature]

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
        """Best solution found, with a proved bound."""
        ...
