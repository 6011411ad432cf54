"""How much of each tier's proved bound the plan reaches."""

from __future__ import annotations

from typing import Any

import pandas as pd

from planner.report.rows import records
from planner.report.svg.canvas import Canvas, shortened
from planner.report.text import gap_words

_WIDTH, _LEFT, _RIGHT, _ROW = 1080, 210, 700, 26
MOST_TIERS = 24
_LEGEND = {"used": "reached", "gap": "gap to the bound", "unavailable": "no bound proved"}


def tier_bars(tiers: pd.DataFrame) -> str:
    """A full bar is a closed tier; open tiers come first into the chart where there are more than it holds."""
    chosen = tiers
    if len(tiers) > MOST_TIERS:
        openness = tiers["gap"].fillna(float("inf")).sort_values(ascending=False, kind="stable")
        chosen = tiers.loc[sorted(openness.index[:MOST_TIERS])]
    rows = records(chosen)
    canvas = Canvas(_WIDTH)
    top = canvas.legend(2, _LEGEND)
    for place, row in enumerate(rows):
        _bar(canvas, row, top + _ROW * place)
    if len(tiers) > MOST_TIERS:
        words = (
            f"The {MOST_TIERS} tiers with the largest gaps of {len(tiers):,}; the table lists all."
        )
        canvas.text(0, canvas.height + 16, words, "small")
    return canvas.markup("Tiers: value against bound", "; ".join(_words(row) for row in rows))


def _bar(canvas: Canvas, row: dict[str, Any], y: float) -> None:
    canvas.open_group(_words(row))
    canvas.text(_LEFT - 8, y + 17, shortened(row["tier"], 30), "label", "end")
    width = _RIGHT - _LEFT
    if row["gap"] is None:
        canvas.rect(_LEFT, y + 6, width, 13, "s-unavailable")
    else:
        reached = 1 / (1 + row["gap"]) if row["gap"] else 1.0
        canvas.rect(_LEFT, y + 6, width, 13, "s-gap")
        canvas.rect(_LEFT, y + 6, width * reached, 13, "s-used")
    canvas.text(_RIGHT + 12, y + 17, _numbers(row), "label")
    canvas.close_group()


def _numbers(row: dict[str, Any]) -> str:
    value = f"{row['value']:,} {row['unit']}"
    if row["gap"] is None:
        return f"{value}, no bound"
    return value if row["gap"] == 0 else f"{value}, gap {_gap(row)}"


def _gap(row: dict[str, Any]) -> str:
    return gap_words(row["gap"], row["value"], row["bound"], row["unit"])


def _words(row: dict[str, Any]) -> str:
    bound = "no bound proved" if row["bound"] is None else f"bound {row['bound']:,} {row['unit']}"
    return f"{row['tier']}: {row['value']:,} {row['unit']}, {bound}, gap {_gap(row)}"
