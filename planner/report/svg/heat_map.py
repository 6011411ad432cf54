"""A grid of two keys: one cell per pair of values, darker for more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.report.svg.canvas import Canvas, shortened

_WIDTH, _LEFT, _TOP = 1080, 190, 44
_CELL_MOST, _CELL_LEAST = 90.0, 14.0
_ROW = 28.0
MOST_COLUMNS = 60
MOST_ROWS = 60


def heat_map(
    columns: tuple[str, Sequence[str]],
    rows: tuple[str, Sequence[str]],
    cells: Mapping[tuple[int, int], int],
    unit: str,
) -> str:
    """Cells by (row, column); a missing one stays empty. Numbers stand in cells that are wide enough."""
    wide, tall = columns[1][:MOST_COLUMNS], rows[1][:MOST_ROWS]
    canvas = Canvas(_WIDTH)
    size = max(min((_WIDTH - _LEFT) / max(len(wide), 1), _CELL_MOST), _CELL_LEAST)
    low, high = min(cells.values(), default=0), max(cells.values(), default=0)
    canvas.text(_LEFT, 14, shortened(columns[0], 90), "strong")
    canvas.text(0, _TOP - 8, shortened(rows[0], 30), "strong")
    for place, name in enumerate(wide):
        if size >= 24 or place % 5 == 0:
            canvas.text(
                _LEFT + (place + 0.5) * size, _TOP - 8, shortened(name, 11), "small", "middle"
            )
    for line, name in enumerate(tall):
        y = _TOP + line * _ROW
        canvas.text(_LEFT - 8, y + 18, shortened(name, 26), "small", "end")
        for place, column in enumerate(wide):
            value = cells.get((line, place))
            if value is None:
                continue
            share = (value - low) / (high - low) if high > low else 0.0
            x = _LEFT + place * size
            canvas.open_group(f"{rows[0]} = {name}, {columns[0]} = {column}: {value:,} {unit}")
            canvas.rect(x, y, size - 1, _ROW - 1, "h-cell", opacity=0.06 + 0.84 * share)
            if size >= 40:
                css = "h-light" if share > 0.5 else "small"
                canvas.text(x + size / 2, y + 18, f"{value:,}", css, "middle")
            canvas.close_group()
    bottom = _TOP + len(tall) * _ROW + 18
    canvas.text(_LEFT, bottom, f"{unit}: from {low:,} (faint) to {high:,} (strong)", "small")
    if len(wide) < len(columns[1]) or len(tall) < len(rows[1]):
        words = f"The first {len(tall)} × {len(wide)} of {len(rows[1])} × {len(columns[1])} cells."
        canvas.text(_LEFT, bottom + 18, words, "small")
    return canvas.markup(
        f"{unit} by {rows[0]} and {columns[0]}", f"from {low:,} to {high:,} {unit}"
    )
