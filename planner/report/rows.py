"""From frame values to cells, and what to say when rows are left out."""

from __future__ import annotations

from typing import Any

import pandas as pd

from planner.report.text import DASH, duration, number

ALL_ROWS = "gangs.csv (gangplan report PLAN.json -o csv --out DIR)"


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as dicts in which a missing value is None."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]


def whole(value: Any) -> str:
    """An exact number, a dash where there is none."""
    return number(None if value is None else int(value))


def span(value: Any) -> str:
    """Seconds as a duration, a dash where unknown."""
    return DASH if value is None else duration(max(0, int(value)))


def rest_note(shown: int, total: int, noun: str, where: str) -> tuple[str, ...]:
    """A note on rows that are not shown; nothing if all are."""
    if shown >= total:
        return ()
    rest = total - shown
    what = f"1 more of the {noun} is" if rest == 1 else f"{rest:,} more {noun} are"
    return (f"{what} not shown here; all {total:,} are in {where}.",)
