"""Growth of stages as SVG: one panel per axis, both scales logarithmic, one line per stage."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

Points = Sequence[tuple[int, float]]
"""(size, CPU seconds), ascending."""
Panels = Mapping[str, Mapping[str, Points]]
"""Axis to stage to points."""

WIDTH, HEIGHT, GAP, LEFT, TOP = 420, 260, 60, 64, 40
COLOURS = ("#3b6fb6", "#c7522a", "#4d8f4d", "#8a5aa8", "#b08a00", "#2a9d9d", "#7a7a7a", "#d1478c")


def growth_chart(panels: Panels) -> str:
    """Panels two by two with a legend of all stages below."""
    stages = list(dict.fromkeys(stage for lines in panels.values() for stage in lines))
    colour = {stage: COLOURS[number % len(COLOURS)] for number, stage in enumerate(stages)}
    rows = -(-len(panels) // 2)
    width = 2 * (WIDTH + GAP) + LEFT
    height = rows * (HEIGHT + GAP + TOP) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="CPU seconds per stage against size" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (axis, lines) in enumerate(panels.items()):
        x = LEFT + (number % 2) * (WIDTH + GAP)
        y = TOP + (number // 2) * (HEIGHT + GAP + TOP)
        parts += _panel(axis, lines, colour, x, y)
    for number, stage in enumerate(stages):
        x = LEFT + number * 110
        parts.append(
            f'<rect x="{x}" y="{height - 28}" width="12" height="12" fill="{colour[stage]}"/>'
        )
        parts.append(f'<text x="{x + 18}" y="{height - 18}">{escape(stage)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _panel(
    axis: str, lines: Mapping[str, Points], colour: Mapping[str, str], left: int, top: int
) -> Iterator[str]:
    sizes = [size for points in lines.values() for size, _ in points]
    times = [seconds for points in lines.values() for _, seconds in points if seconds > 0]
    if not sizes or not times:
        return
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log(min(sizes)), math.log(max(sizes))

    def x_of(size: int) -> float:
        return left + WIDTH * (math.log(size) - first) / max(last - first, 1e-9)

    def y_of(seconds: float) -> float:
        return top + HEIGHT * (1 - (math.log10(seconds) - low) / max(high - low, 1))

    yield f'<text x="{left}" y="{top - 12}" font-weight="bold">CPU seconds by {escape(axis)}</text>'
    for power in range(low, high + 1):
        y = y_of(10.0**power)
        yield f'<line x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>'
        yield f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>'
    for size in sorted(set(sizes)):
        yield (
            f'<text x="{x_of(size):.1f}" y="{top + HEIGHT + 18}" text-anchor="middle">{size:,}</text>'
        )
    for stage, points in lines.items():
        path = " ".join(f"{x_of(n):.1f},{y_of(s):.1f}" for n, s in points if s > 0)
        yield f'<polyline points="{path}" fill="none" stroke="{colour[stage]}" stroke-width="2"/>'
