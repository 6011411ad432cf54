"""A time axis over the buckets of a schedule, on the local clock, with a line for now."""

from __future__ import annotations

from dataclasses import dataclass

from models.horizon import Horizon
from models.moments import local_text, utc_offset_s
from planner.report.svg.canvas import Canvas

_STEPS_H = (1, 2, 3, 4, 6, 12, 24, 48)
_MOST = 13


@dataclass(frozen=True)
class TimeAxis:
    """Moments to x."""

    horizon: Horizon
    left: float
    right: float

    def x(self, second: int) -> float:
        """Place of a moment; before the start and after the end it lies on the border."""
        begin, end = self.horizon.start, self.horizon.end
        part = (min(max(second, begin), end) - begin) / (end - begin)
        return self.left + part * (self.right - self.left)

    def draw(self, canvas: Canvas, top: float, bottom: float) -> None:
        """Grid lines at round hours with their time, and the line for now."""
        horizon = self.horizon
        hours = (horizon.end - horizon.start) / 3600
        step = next((s for s in _STEPS_H if hours / s <= _MOST), _STEPS_H[-1]) * 3600
        second = horizon.start
        second += -(second + utc_offset_s(second, horizon.timezone)) % step
        while second < horizon.end:
            x = self.x(second)
            if x - self.left > 62:
                text = local_text(second, horizon.timezone)
                canvas.line(x, top, x, bottom, "grid")
                midnight = text[11:16] == "00:00"
                canvas.text(
                    x, bottom + 14, text[5:10] if midnight else text[11:16], "small", "middle"
                )
            second += step
        canvas.line(self.left, top, self.left, bottom, "l-mark")
        now = local_text(horizon.start, horizon.timezone)[11:16]
        canvas.text(self.left, bottom + 14, f"now {now}", "small", "middle")
