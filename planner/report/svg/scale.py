"""A linear axis with round ticks."""

from __future__ import annotations

from planner.report.svg.canvas import Canvas


def ticks(most: int, wanted: int = 5) -> tuple[int, ...]:
    """Round whole numbers from 0 to at least ``most``, about ``wanted`` of them."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if step * factor * wanted >= most:
                size = step * factor
                return tuple(range(0, -(-max(most, 1) // size) * size + 1, size))
        step *= 10


def draw_axis(
    canvas: Canvas,
    values: tuple[int, ...],
    unit: str,
    *,
    left: float,
    right: float,
    top: float,
    bottom: float,
) -> None:
    """Grid lines and numbers below; the last one carries the unit."""
    for value in values:
        x = left + (right - left) * value / values[-1]
        canvas.line(x, top, x, bottom, "grid")
        words = f"{value:,} {unit}" if value == values[-1] else f"{value:,}"
        canvas.text(x, bottom + 14, words, "small", "middle" if value != values[-1] else "end")
