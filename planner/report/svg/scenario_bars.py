"""GPUs allocated of base and scenarios, one bar each; the frame is what is allocatable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.report.svg.canvas import Canvas, shortened
from planner.report.svg.scale import draw_axis, ticks

_WIDTH, _LEFT, _RIGHT, _ROW = 1080, 260, 800, 30
MOST_BARS = 60


@dataclass(frozen=True, slots=True)
class Bar:
    """One plan: GPUs allocated, how far its gaps might still move that, and what is allocatable."""

    name: str
    gpus: int
    allocatable: int
    slack: int | None = 0
    change: int | None = None


def scenario_bars(bars: Sequence[Bar]) -> str:
    """The base first, at most :data:`MOST_BARS` (the table lists all); open gaps are hatched."""
    shown = bars[:MOST_BARS]
    most = max((max(bar.allocatable, bar.gpus + (bar.slack or 0)) for bar in shown), default=1)
    canvas = Canvas(_WIDTH)
    legend = {"used": "allocated", "planned": "may be open (gap)"}
    top = canvas.legend(2, legend) + 4
    marks = ticks(most)
    draw_axis(
        canvas, marks, "GPUs", left=_LEFT, right=_RIGHT, top=top, bottom=top + _ROW * len(shown)
    )
    scale = (_RIGHT - _LEFT) / marks[-1]
    for place, bar in enumerate(shown):
        _draw(canvas, bar, top + _ROW * place, scale)
    if len(bars) > MOST_BARS:
        canvas.text(
            0, canvas.height + 16, f"The first {MOST_BARS} of {len(bars):,} plans.", "small"
        )
    return canvas.markup("GPUs allocated by scenario", "; ".join(_words(bar) for bar in shown))


def _draw(canvas: Canvas, bar: Bar, y: float, scale: float) -> None:
    canvas.open_group(_words(bar))
    canvas.text(_LEFT - 8, y + 20, shortened(bar.name, 36), "label", "end")
    canvas.rect(_LEFT, y + 6, bar.allocatable * scale, 18, "frame")
    canvas.rect(_LEFT, y + 6, bar.gpus * scale, 18, "s-used")
    if bar.slack:
        canvas.rect(_LEFT + bar.gpus * scale, y + 6, max(bar.slack * scale, 1.5), 18, "s-planned")
    canvas.text(_RIGHT + 14, y + 20, _numbers(bar), "label")
    canvas.close_group()


def _numbers(bar: Bar) -> str:
    change = "" if bar.change is None else f" ({bar.change:+,})"
    return f"{bar.gpus:,} of {bar.allocatable:,} GPUs{change}"


def _words(bar: Bar) -> str:
    gap = "gap not proved" if bar.slack is None else f"gap {bar.slack:,} GPUs"
    return f"{bar.name}: {_numbers(bar)}, {gap}"
