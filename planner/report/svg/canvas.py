"""A drawing surface that escapes everything it is given."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from planner.report.text import clean

#: Classes of GPU states in the order in which they are stacked, with the words of the legend.
STATE_WORDS = {
    "used": "used",
    "planned": "planned",
    "free-whole": "free, whole node",
    "free-fragment": "free, fragment",
    "unavailable": "free, unavailable",
}


class Canvas:
    """Collects SVG elements; sizes are in user units that equal CSS pixels at full width."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.height = 0
        self._parts: list[str] = []

    def rect(
        self, x: float, y: float, width: float, height: float, css: str, *, opacity: float = 1.0
    ) -> None:
        """A rectangle of a style class, perhaps a paler one."""
        pale = f' fill-opacity="{opacity:.2f}"' if opacity < 1 else ""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{max(0.0, width):g}" height="{height:g}" class="{css}"{pale}/>'
        )
        self._reach(y + height)

    def cells(self, corners: list[tuple[float, float]], size: float, css: str) -> None:
        """Squares of one class as a single path."""
        if not corners:
            return
        path = "".join(f"M{x:g} {y:g}h{size:g}v{size:g}h-{size:g}z" for x, y in corners)
        self._parts.append(f'<path d="{path}" class="{css}"/>')
        self._reach(max(y for _, y in corners) + size)

    def text(
        self, x: float, y: float, content: str, css: str = "label", anchor: str = "start"
    ) -> None:
        """A line of text with its baseline at ``y``; anchor is start, middle or end."""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" class="{css}" text-anchor="{anchor}">{escape(clean(content))}</text>'
        )
        self._reach(y + 4)

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        """A straight line of a style class."""
        self._parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{css}"/>')
        self._reach(max(y1, y2))

    def steps(self, points: list[tuple[float, float]], css: str) -> None:
        """A line that keeps its height until the next point, then jumps."""
        (x, y), *rest = points
        path = f"M{x:g} {y:g}" + "".join(f"H{to_x:g}V{to_y:g}" for to_x, to_y in rest)
        self._parts.append(f'<path d="{path}" class="{css}"/>')
        self._reach(max(y for _, y in points))

    def path(self, points: list[tuple[float, float]], css: str, *, dots: bool = False) -> None:
        """A line through points, perhaps with a dot at each."""
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{drawn}" class="{css}"/>')
        if dots:
            self._parts += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="{css} dot"/>' for x, y in points
            ]
        self._reach(max(y for _, y in points))

    def area(self, points: list[tuple[float, float]], css: str) -> None:
        """A closed shape."""
        self._parts.append(
            f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}z" class="{css}"/>'
        )
        self._reach(max(y for _, y in points))

    def open_group(self, title: str) -> None:
        """Begin a group with a tooltip."""
        self._parts.append(f"<g><title>{escape(clean(title))}</title>")

    def close_group(self) -> None:
        """End the group."""
        self._parts.append("</g>")

    def legend(
        self, y: float, entries: dict[str, str], lines: dict[str, str] | None = None
    ) -> float:
        """Swatches with words in one line, upright ``lines`` after them; returns the y below it."""
        x = 0.0
        for css, words in {**entries, **(lines or {})}.items():
            step = 30 + 6.7 * len(words)
            if x + step > self.width:
                x, y = 0.0, y + 20
            if css in entries:
                self.rect(x, y, 12, 12, f"s-{css}")
            else:
                self.line(x + 6, y - 2, x + 6, y + 14, css)
            self.text(x + 17, y + 10, words, "small")
            x += step
        return y + 24

    def markup(self, title: str, description: str) -> str:
        """The whole ``<svg>`` element."""
        return (
            f'<svg viewBox="0 0 {self.width} {self.height:g}" role="img" aria-label={quoteattr(clean(title))} '
            f'xmlns="http://www.w3.org/2000/svg"><title>{escape(clean(title))}</title>'
            f"<desc>{escape(clean(description))}</desc>{''.join(self._parts)}</svg>"
        )

    def _reach(self, y: float) -> None:
        self.height = max(self.height, int(y + 1))


def shortened(text: str, most: int) -> str:
    """Text of at most ``most`` characters, its middle replaced by an ellipsis (tooltips hold all of it)."""
    shown = clean(text)
    if len(shown) <= most:
        return shown
    head = (most - 1) // 2
    return f"{shown[:head]}…{shown[len(shown) - (most - 1 - head) :]}"
