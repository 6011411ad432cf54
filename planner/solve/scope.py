"""What a search over tiers may ask about its model."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol

from planner.problem.linear import LinearModel, TierGoal


class Scope(Protocol):
    """What tiers of one model can leave out."""

    def outside(self, goal: TierGoal) -> frozenset[int]:
        """Columns that cannot help a goal nor the goals before it: left at their lower bounds without loss."""
        ...

    def within(self, values: tuple[int, ...], goal: TierGoal) -> tuple[int, ...] | None:
        """A solution with these columns at their lower bounds, as good for the goal and those before it, if known."""
        ...

    def restrict(
        self, values: tuple[int, ...], goal: TierGoal, guide: Sequence[float] | None
    ) -> LinearModel:
        """The same columns and rows with most of what is decided fixed, perhaps guided by a fractional solution.

        Quick to search; its bounds are none of the whole model.
        """
        ...

    def neighbourhood(
        self,
        values: tuple[int, ...],
        goal: TierGoal,
        random: Random,
        guide: Sequence[float] | None = None,
    ) -> LinearModel | None:
        """The same with a random part of the solution open and the rest fixed; None where there is no such part.

        A fractional solution tells where something better may be.
        """
        ...
