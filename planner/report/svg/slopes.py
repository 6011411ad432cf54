"""Queues from base to scenarios: one line per queue, one column per plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.report.svg.canvas import Canvas, shortened
from planner.report.svg.scale import ticks

_WIDTH, _LEFT, _RIGHT, _HEIGHT, _TOP = 1080, 200, 860, 320, 34
MOST_LINES = 12
_APART = 15.0


def slopes(columns: Sequence[str], lines: Mapping[str, Sequence[int]], unit: str) -> str:
    """Values of each line in each column; lines that change most, at most :data:`MOST_LINES`."""
    order = sorted(lines, key=lambda name: (-_spread(lines[name]), -max(lines[name]), name))
    shown = order[:MOST_LINES]
    canvas = Canvas(_WIDTH)
    marks = ticks(max((max(lines[name]) for name in shown), default=1))
    step = (_RIGHT - _LEFT) / max(len(columns) - 1, 1)
    for value in marks:
        y = _y(value, marks[-1])
        canvas.line(_LEFT, y, _RIGHT, y, "grid")
        canvas.text(_LEFT - 120, y + 4, f"{value:,}", "small", "end")
    canvas.text(_LEFT - 120, _TOP - 18, unit, "small", "end")
    for place, name in enumerate(columns):
        anchor = "start" if place == 0 else "end" if place == len(columns) - 1 else "middle"
        canvas.text(_LEFT + place * step, _TOP - 18, shortened(name, 28), "strong", anchor)
        canvas.line(_LEFT + place * step, _TOP, _LEFT + place * step, _TOP + _HEIGHT, "grid")
    left = _apart({name: _y(lines[name][0], marks[-1]) for name in shown})
    right = _apart({name: _y(lines[name][-1], marks[-1]) for name in shown})
    for number, name in enumerate(shown):
        values = lines[name]
        canvas.open_group(f"{name}: {', '.join(f'{v:,}' for v in values)} {unit}")
        points = [(_LEFT + i * step, _y(v, marks[-1])) for i, v in enumerate(values)]
        canvas.path(points, f"l-{number % 6}")
        canvas.text(_LEFT - 8, left[name] + 4, f"{shortened(name, 16)}", "small", "end")
        last = f"{shortened(name, 18)} {values[-1]:,} ({values[-1] - values[0]:+,})"
        canvas.text(_RIGHT + 10, right[name] + 4, last, "small")
        canvas.close_group()
    if len(order) > MOST_LINES:
        words = f"The {MOST_LINES} that change most of {len(order):,}."
        canvas.text(0, _TOP + _HEIGHT + 24, words, "small")
    told = "; ".join(f"{name} {lines[name][0]:,} to {lines[name][-1]:,}" for name in shown)
    return canvas.markup(f"Queues by plan ({unit})", told)


def _spread(values: Sequence[int]) -> int:
    return max(values) - min(values)


def _y(value: int, most: int) -> float:
    return _TOP + _HEIGHT * (1 - value / most)


def _apart(wanted: Mapping[str, float]) -> dict[str, float]:
    """Labels at least a line apart, in their order."""
    found: dict[str, float] = {}
    last = float("-inf")
    for name in sorted(wanted, key=lambda one: wanted[one]):
        last = max(wanted[name], last + _APART)
        found[name] = last
    over = last - (_TOP + _HEIGHT)
    return {name: y - max(over, 0) for name, y in found.items()}
