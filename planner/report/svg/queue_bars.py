"""Deserved, allocated and planned GPUs, one bullet bar per queue."""

from __future__ import annotations

from typing import Any

import pandas as pd

from planner.report.rows import records
from planner.report.svg.canvas import Canvas, shortened
from planner.report.svg.scale import draw_axis, ticks

_WIDTH, _LEFT, _RIGHT, _ROW = 1080, 190, 760, 32
MOST_QUEUES = 60
_LEGEND = {"planned": "planned (after)", "used": "allocated (before)", "deserved": "deserved"}


def queue_bars(queues: pd.DataFrame) -> str:
    """Wide bar planned, narrow bar allocated before, mark deserved; queues with most GPUs, at most 60."""
    order = (
        queues[["after_gpus", "deserved_gpus"]]
        .fillna(0)
        .max(axis=1)
        .sort_values(ascending=False, kind="stable")
    )
    rows = records(queues.loc[order.index[:MOST_QUEUES]])
    most = max((_largest(row) for row in rows), default=1)
    canvas = Canvas(_WIDTH)
    top = canvas.legend(2, _LEGEND) + 4
    marks = ticks(most)
    draw_axis(
        canvas, marks, "GPUs", left=_LEFT, right=_RIGHT, top=top, bottom=top + _ROW * len(rows)
    )
    for place, row in enumerate(rows):
        _bar(canvas, row, top + _ROW * place, (_RIGHT - _LEFT) / marks[-1])
    if len(queues) > MOST_QUEUES:
        canvas.text(
            0, canvas.height + 16, f"The largest {MOST_QUEUES} of {len(queues):,} queues.", "small"
        )
    return canvas.markup("GPUs of queues", "; ".join(_words(row) for row in rows))


def _largest(row: dict[str, Any]) -> int:
    return max(int(row[key] or 0) for key in ("after_gpus", "before_gpus", "deserved_gpus"))


def _bar(canvas: Canvas, row: dict[str, Any], y: float, scale: float) -> None:
    canvas.open_group(_words(row))
    canvas.text(_LEFT - 8, y + 20, shortened(row["queue"], 26), "label", "end")
    canvas.rect(_LEFT, y + 6, row["after_gpus"] * scale, 20, "s-planned")
    canvas.rect(_LEFT, y + 11, row["before_gpus"] * scale, 10, "s-used")
    if row["deserved_gpus"] is not None:
        canvas.rect(_LEFT + row["deserved_gpus"] * scale - 1.5, y + 2, 3, 28, "s-deserved")
    deserved = row["deserved_gpus"]
    share = "" if deserved is None else f" (deserved {deserved:,})"
    numbers = f"{row['before_gpus']:,} → {row['after_gpus']:,} GPUs{share}"
    canvas.text(_RIGHT + 14, y + 20, numbers, "label")
    canvas.close_group()


def _words(row: dict[str, Any]) -> str:
    deserved = row["deserved_gpus"]
    share = "no deserved share" if deserved is None else f"deserved {deserved:,} GPUs"
    return f"{row['queue']}: {share}, allocated {row['before_gpus']:,} GPUs before, planned {row['after_gpus']:,} GPUs"
