"""Curves over the values of one key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.report.svg.canvas import Canvas, shortened
from planner.report.svg.scale import ticks

_WIDTH, _LEFT, _RIGHT, _TOP, _HEIGHT = 1080, 90, 800, 26, 280
MOST_CURVES = 12


def curves(
    key: str, values: Sequence[str], lines: Mapping[str, Sequence[int | None]], unit: str
) -> str:
    """One curve per line, the first :data:`MOST_CURVES`; missing points leave a gap, the axis begins near the least."""
    shown = dict(list(lines.items())[:MOST_CURVES])
    known = [value for line in shown.values() for value in line if value is not None]
    low, high = min(known, default=0), max(known, default=1)
    marks = _marks(low, high)
    canvas = Canvas(_WIDTH)
    step = (_RIGHT - _LEFT) / max(len(values) - 1, 1)

    def y_of(value: int) -> float:
        return _TOP + _HEIGHT * (1 - (value - marks[0]) / (marks[-1] - marks[0]))

    for mark in marks:
        canvas.line(_LEFT, y_of(mark), _RIGHT, y_of(mark), "grid")
        canvas.text(_LEFT - 8, y_of(mark) + 4, f"{mark:,}", "small", "end")
    canvas.text(0, _TOP - 12, unit, "small")
    every = max(len(values) // 20, 1)
    for place, value in enumerate(values):
        if place % every == 0:
            x = _LEFT + place * step
            canvas.text(x, _TOP + _HEIGHT + 18, shortened(value, 12), "small", "middle")
    canvas.text((_LEFT + _RIGHT) / 2, _TOP + _HEIGHT + 38, shortened(key, 80), "small", "middle")
    for number, (name, line) in enumerate(shown.items()):
        css = f"l-{number % 6}"
        canvas.open_group(
            f"{name}: {', '.join('-' if v is None else f'{v:,}' for v in line)} {unit}"
        )
        for part in _parts(line):
            canvas.path([(_LEFT + i * step, y_of(v)) for i, v in part], css, dots=True)
        canvas.close_group()
        y = _TOP + 14 + number * 20
        canvas.path([(_RIGHT + 24, y), (_RIGHT + 50, y)], css)
        canvas.text(_RIGHT + 58, y + 4, shortened(name, 30), "small")
    if len(lines) > len(shown):
        words = f"The first {len(shown)} of {len(lines):,} curves."
        canvas.text(0, _TOP + _HEIGHT + 38, words, "small")
    told = "; ".join(f"{name}: {_ends(line)}" for name, line in shown.items())
    return canvas.markup(f"{unit} over {key}", told)


def _marks(low: int, high: int) -> list[int]:
    """Round numbers around the values; from 0 where that costs little room."""
    if low < high - low:
        return list(ticks(max(high, 1)))
    size = ticks(max(high - low, 1))[1]
    start = low // size * size
    found = list(range(max(start - size, 0), high + size, size))
    return found if len(found) > 1 else [*found, found[0] + size]


def _parts(line: Sequence[int | None]) -> list[list[tuple[int, int]]]:
    """Runs of known points."""
    found: list[list[tuple[int, int]]] = [[]]
    for place, value in enumerate(line):
        if value is None:
            found.append([])
        else:
            found[-1].append((place, value))
    return [part for part in found if part]


def _ends(line: Sequence[int | None]) -> str:
    known = [value for value in line if value is not None]
    return f"{known[0]:,} to {known[-1]:,}" if known else "no point"
