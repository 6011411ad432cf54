"""Picture of shared GPU cards: one box per card, filled from below by what is used now and by what is planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.report.svg.canvas import Canvas

MOST_ROWS = 120
"""Kinds of nodes drawn; a line below counts the others."""
_WIDTH, _BOX, _GAP, _COLUMN, _HEIGHT = 880, 18, 4, 220, 40


@dataclass(frozen=True, slots=True)
class CardRow:
    """Nodes alike: pool, the name of one, how many, and per card the filled share now and after the plan."""

    pool: str
    node: str
    number: int
    loads: tuple[tuple[float, float], ...]


def card_map(rows: Sequence[CardRow]) -> str:
    """SVG of the first kinds of nodes."""
    canvas = Canvas(_WIDTH)
    per_line = _WIDTH // _COLUMN
    for place, row in enumerate(rows[:MOST_ROWS]):
        line, column = divmod(place, per_line)
        x, y = column * _COLUMN, line * (_HEIGHT + 10)
        name = row.node if row.number == 1 else f"{row.pool} ×{row.number:,}"
        canvas.text(x, y + 10, name if len(name) <= 30 else f"…{name[-29:]}")
        for card, (now, after) in enumerate(row.loads[:8]):
            left, top = x + card * (_BOX + _GAP), y + 15
            kept, planned = min(now, after), max(after - now, 0.0)
            canvas.rect(left, top, _BOX, _BOX, "s-free-fragment", opacity=0.25)
            canvas.rect(left, top + _BOX * (1 - kept), _BOX, _BOX * kept, "s-used")
            upper = top + _BOX * (1 - kept - planned)
            canvas.rect(left, upper, _BOX, _BOX * planned, "s-planned")
        if len(row.loads) > 8:
            canvas.text(x + 8 * (_BOX + _GAP), y + 28, f"+{len(row.loads) - 8}")
    if len(rows) > MOST_ROWS:
        left_out = sum(row.number for row in rows[MOST_ROWS:])
        lines = -(-MOST_ROWS // per_line)
        canvas.text(0, lines * (_HEIGHT + 10) + 12, f"and {left_out:,} more nodes")
    return canvas.markup(
        "Shared GPU cards",
        "Cards of nodes, filled from below by what is used now and by what the plan adds",
    )
