"""GPUs back against seconds: two steps lines, the deadline and what is needed."""

from __future__ import annotations

from models.drill import CurvePoint, DrillResult
from planner.report.svg.canvas import Canvas
from planner.report.svg.scale import draw_axis, ticks

_WIDTH, _LEFT, _RIGHT, _HEIGHT = 1080, 60, 1000, 250


def drill_curve(result: DrillResult) -> str:
    """The drill's line, the line of what is possible at every second, the deadline, and the GPUs asked for."""
    summary, points = result.summary, result.curve
    last = max(1, summary.deadline_seconds, *(one.second for one in points))
    most = max(1, summary.gpus_needed, *(one.gpus_most for one in points))
    canvas = Canvas(_WIDTH)
    _legend(canvas)
    top = 44.0
    bottom = top + _HEIGHT
    marks, heights = ticks(round(last * 1.1), 8), ticks(most, 4)
    draw_axis(canvas, marks, "s", left=_LEFT, right=_RIGHT, top=top, bottom=bottom)

    def at(second: float, gpus: float) -> tuple[float, float]:
        x = _LEFT + (_RIGHT - _LEFT) * second / marks[-1]
        return x, bottom - _HEIGHT * gpus / heights[-1]

    for gpus in heights:
        y = at(0, gpus)[1]
        canvas.line(_LEFT, y, _RIGHT, y, "grid")
        canvas.text(_LEFT - 8, y + 4, f"{gpus:,}", "small", "end")
    canvas.text(0, top - 10, "GPUs", "small")
    x, y = at(summary.deadline_seconds, summary.gpus_needed)
    canvas.line(x, top - 6, x, bottom, "l-mark")
    canvas.text(x + 5, top - 2, f"deadline {summary.deadline_seconds} s", "small")
    canvas.line(_LEFT, y, _RIGHT, y, "l-mark")
    canvas.text(_RIGHT + 6, y + 4, f"{summary.gpus_needed:,} asked", "small")
    end = points[-1]
    planned = [at(p.second, p.gpus_planned) for p in points] + [at(marks[-1], end.gpus_planned)]
    possible = [at(p.second, p.gpus_most) for p in points] + [at(marks[-1], end.gpus_most)]
    for title, css, line in (
        ("this drill", "l-planned", planned),
        ("at most, whoever leaves", "l-most", possible),
    ):
        canvas.open_group(title)
        canvas.steps(line, css)
        canvas.close_group()
    return canvas.markup("GPUs back against seconds", "; ".join(map(_words, points)))


def _legend(canvas: Canvas) -> None:
    for x, css, words in (
        (0, "l-planned", "this drill"),
        (130, "l-most", "at most, whoever leaves"),
    ):
        canvas.line(x, 10, x + 24, 10, css)
        canvas.text(x + 30, 14, words, "small")


def _words(point: CurvePoint) -> str:
    planned, most = f"{point.gpus_planned:,}", f"{point.gpus_most:,}"
    return f"after {point.second} s {planned} GPUs with this drill, {most} at most"
