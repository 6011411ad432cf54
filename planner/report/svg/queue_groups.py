"""Queues by plan: per queue one bar for the base and one for each scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.report.svg.canvas import Canvas, shortened
from planner.report.svg.scale import draw_axis, ticks

_WIDTH, _LEFT, _RIGHT, _BAR, _APART = 1080, 190, 860, 13, 12
MOST_QUEUES = 20
_STYLES = (
    ("s-baseline", 1.0),
    ("s-used", 1.0),
    ("s-planned", 1.0),
    ("s-gap", 1.0),
    ("s-used", 0.5),
    ("s-free-whole", 1.0),
)


def queue_groups(columns: Sequence[str], lines: Mapping[str, Sequence[int]]) -> str:
    """Bars of each queue, the base first; queues that change most, at most :data:`MOST_QUEUES`."""
    order = sorted(lines, key=lambda name: (min(lines[name]) - max(lines[name]), name))
    shown = order[:MOST_QUEUES]
    canvas = Canvas(_WIDTH)
    top = _legend(canvas, columns) + 4
    tall = _BAR * len(columns) + _APART
    marks = ticks(max((max(lines[name]) for name in shown), default=1))
    bottom = top + tall * len(shown)
    draw_axis(canvas, marks, "GPUs", left=_LEFT, right=_RIGHT, top=top, bottom=bottom)
    scale = (_RIGHT - _LEFT) / marks[-1]
    for row, name in enumerate(shown):
        y = top + tall * row
        canvas.text(_LEFT - 8, y + tall / 2 + 4, shortened(name, 26), "label", "end")
        for place, value in enumerate(lines[name]):
            _bar(canvas, (name, columns[place]), (lines[name][0], value), (place, y, scale))
    if len(order) > MOST_QUEUES:
        words = f"The {MOST_QUEUES} that change most of {len(order):,}."
        canvas.text(0, bottom + 32, words, "small")
    told = "; ".join(f"{name}: {', '.join(f'{v:,}' for v in lines[name])}" for name in shown)
    return canvas.markup("GPUs allocated of queues by plan", told)


def _bar(
    canvas: Canvas,
    names: tuple[str, str],
    values: tuple[int, int],
    where: tuple[int, float, float],
) -> None:
    base, value = values
    place, y, scale = where
    css, opacity = _STYLES[place % len(_STYLES)]
    top = y + _APART / 2 + _BAR * place
    change = f" ({value - base:+,})" if place and value != base else ""
    canvas.open_group(f"{names[0]}, {names[1]}: {value:,} GPUs{change}")
    canvas.rect(_LEFT, top, value * scale, _BAR - 2, css, opacity=opacity)
    canvas.text(_LEFT + value * scale + 6, top + _BAR - 3, f"{value:,}{change}", "tiny")
    canvas.close_group()


def _legend(canvas: Canvas, columns: Sequence[str]) -> float:
    x, y = 0.0, 2.0
    for place, name in enumerate(columns):
        css, opacity = _STYLES[place % len(_STYLES)]
        words = shortened(name, 34)
        step = 34 + 6.9 * len(words)
        if x + step > _WIDTH:
            x, y = 0.0, y + 20
        canvas.rect(x, y, 12, 12, css, opacity=opacity)
        canvas.text(x + 17, y + 10, words, "small")
        x += step
    return y + 24
