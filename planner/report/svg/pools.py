"""GPUs by state, one stacked bar per pool."""

from __future__ import annotations

from typing import Any

import pandas as pd

from planner.report.rows import records
from planner.report.svg.canvas import STATE_WORDS, Canvas, shortened
from planner.report.svg.scale import draw_axis, ticks

_WIDTH, _LEFT, _RIGHT, _ROW = 1080, 190, 930, 30
MOST_POOLS = 40


def pool_bars(pools: pd.DataFrame) -> str:
    """One bar per pool, largest first, at most :data:`MOST_POOLS` (the table lists all)."""
    rows = records(
        pools.sort_values(["gpus_allocatable", "pool"], ascending=[False, True]).head(MOST_POOLS)
    )
    canvas = Canvas(_WIDTH)
    top = canvas.legend(2, STATE_WORDS) + 4
    marks = ticks(max((row["gpus_allocatable"] for row in rows), default=1))
    draw_axis(
        canvas, marks, "GPUs", left=_LEFT, right=_RIGHT, top=top, bottom=top + _ROW * len(rows)
    )
    for place, row in enumerate(rows):
        _bar(canvas, row, top + _ROW * place, (_RIGHT - _LEFT) / marks[-1])
    if len(pools) > MOST_POOLS:
        canvas.text(
            0, canvas.height + 16, f"The largest {MOST_POOLS} of {len(pools):,} pools.", "small"
        )
    return canvas.markup(
        "GPUs by state and pool",
        "; ".join(_words(row) for row in rows),
    )


def _bar(canvas: Canvas, row: dict[str, Any], y: float, scale: float) -> None:
    canvas.open_group(_words(row))
    canvas.text(_LEFT - 8, y + 20, shortened(row["pool"], 26), "label", "end")
    x = float(_LEFT)
    for css in STATE_WORDS:
        gpus = row[f"gpus_{css.replace('-', '_')}"]
        if gpus:
            canvas.rect(x, y + 6, gpus * scale, _ROW - 11, f"s-{css}")
            x += gpus * scale
    busy = row["gpus_used"] + row["gpus_planned"]
    canvas.text(_RIGHT + 10, y + 20, f"{busy:,} of {row['gpus_allocatable']:,} GPUs", "label")
    canvas.close_group()


def _words(row: dict[str, Any]) -> str:
    parts = [
        f"{row['gpus_' + css.replace('-', '_')]:,} {words}" for css, words in STATE_WORDS.items()
    ]
    return f"{row['pool']}: {row['gpus_allocatable']:,} GPUs, of these {', '.join(parts)}"
