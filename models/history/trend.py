"""Headline figures of the last nights, oldest first."""

from __future__ import annotations

from datetime import date

from models.history.night import PastFigures
from models.part import Part


class TrendPoint(Part):
    """One night of the series; ``figures`` is None where it left no plan."""

    night: date
    outcome: str = "done"
    figures: PastFigures | None = None


class Trend(Part):
    """The series."""

    points: tuple[TrendPoint, ...] = ()

    def series(self, figure: str) -> tuple[tuple[date, int | None], ...]:
        """One figure of :class:`PastFigures` over the nights; None where a night does not tell it."""
        return tuple(
            (one.night, None if one.figures is None else getattr(one.figures, figure))
            for one in self.points
        )
