"""Online demand over time with its margins, and what of the rest is lent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from models.lending import DemandCurve, LendingLimits, PoolLending
from models.moments import local_text, utc_offset_s
from planner.report.svg.canvas import Canvas
from planner.report.svg.scale import ticks
from planner.report.text import counted

_WIDTH, _LEFT, _RIGHT, _HEIGHT = 1080, 64, 1066, 230
_LEGEND = {
    "free-whole": "may be lent",
    "planned": "lent",
    "used": "held for the services",
    "forecast": "expected demand (line)",
    "surge": "what a surge may reach (dashed)",
}
_HOUR = 3600
_STEPS = (_HOUR, 2 * _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR, 24 * _HOUR, 7 * 24 * _HOUR)
_MOST_MARKS = 14


def demand_curve(
    limits: LendingLimits, lending: PoolLending, timezone: str, lent: Sequence[int] = ()
) -> str:
    """One pool: services' demand from below, loans from above; the frame is what the services own.

    Parameters
    ----------
    lent
        GPUs lent per bucket, as planned; empty draws the limits only.
    """
    curves = [one for one in limits.demand if one.pool == lending.pool]
    expected, held, surge = _sums(curves, len(lending.lendable_gpus))
    owned = lending.owned_gpus
    most = max(1, owned, *held)
    marks = ticks(most)
    canvas = Canvas(_WIDTH)
    top = canvas.legend(2, _LEGEND) + 20
    bottom = top + _HEIGHT
    place = _Place(limits.edges, marks[-1], top, bottom)
    canvas.open_group(_words(lending, lent))
    _area(canvas, place, held, [max(owned, own) for own in held], "s-free-whole")
    _area(canvas, place, [0] * len(held), held, "s-used")
    if lent:
        _area(canvas, place, [owned - gpus for gpus in lent], [owned] * len(lent), "s-planned")
    canvas.path(place.steps(expected), "curve")
    canvas.path(place.steps([min(max(owned, *held), gpus) for gpus in surge]), "surge")
    canvas.close_group()
    _axes(canvas, place, marks, timezone)
    return canvas.markup(f"Demand and loans of {lending.pool}", _words(lending, lent))


class _Place:
    """Seconds and GPUs to the drawing surface."""

    def __init__(self, edges: Sequence[int], most: int, top: float, bottom: float) -> None:
        self.edges, self.top, self.bottom = edges, top, bottom
        self._most = most

    def x(self, second: int) -> float:
        """Position of a moment."""
        span = max(1, self.edges[-1] - self.edges[0])
        return _LEFT + (_RIGHT - _LEFT) * (second - self.edges[0]) / span

    def y(self, gpus: int) -> float:
        """Position of an amount."""
        return self.bottom - (self.bottom - self.top) * gpus / self._most

    def steps(self, values: Sequence[int]) -> list[tuple[float, float]]:
        """A step per bucket."""
        found: list[tuple[float, float]] = []
        for place, gpus in enumerate(values):
            found.append((self.x(self.edges[place]), self.y(gpus)))
            found.append((self.x(self.edges[place + 1]), self.y(gpus)))
        return found


def _area(canvas: Canvas, place: _Place, low: Sequence[int], high: Sequence[int], css: str) -> None:
    """One shape per run of buckets in which there is something between low and high."""
    begin = 0
    for bucket in range(len(low) + 1):
        if bucket < len(low) and high[bucket] > low[bucket]:
            continue
        if bucket > begin:
            window = slice(begin, bucket)
            upper = _window_steps(place, high, window)
            lower = _window_steps(place, low, window)
            canvas.area([*upper, *reversed(lower)], css)
        begin = bucket + 1


def _window_steps(place: _Place, values: Sequence[int], window: slice) -> list[tuple[float, float]]:
    return place.steps(values)[2 * window.start : 2 * window.stop]


def _axes(canvas: Canvas, place: _Place, marks: tuple[int, ...], timezone: str) -> None:
    for value in marks:
        y = place.y(value)
        canvas.line(_LEFT, y, _RIGHT, y, "grid")
        canvas.text(_LEFT - 8, y + 4, f"{value:,}", "small", "end")
    canvas.text(_LEFT - 8, place.top - 8, "GPUs", "small", "end")
    for second, words in _moments(place.edges[0], place.edges[-1], timezone):
        canvas.line(place.x(second), place.bottom, place.x(second), place.bottom + 5, "grid")
        anchor = "end" if place.x(second) > _RIGHT - 20 else "middle"
        canvas.text(place.x(second), place.bottom + 19, words, "small", anchor)
    canvas.text(_RIGHT, place.bottom + 36, f"local time, {timezone}", "small", "end")


def _moments(begin: int, end: int, timezone: str) -> list[tuple[int, str]]:
    """Round local times, at most a dozen or so; midnight carries the date."""
    step = next((one for one in _STEPS if (end - begin) / one <= _MOST_MARKS), _STEPS[-1])
    found = []
    second = begin - begin % _HOUR
    while second <= end:
        local = second + utc_offset_s(second, timezone)
        if second >= begin and local % step == 0:
            moment = datetime.fromisoformat(local_text(second, timezone))
            midnight = moment.hour == 0 and moment.minute == 0
            found.append((second, moment.strftime("%d %b" if midnight else "%H:%M")))
        second += _HOUR // 2
    return found


def _sums(curves: Sequence[DemandCurve], count: int) -> tuple[list[int], list[int], list[int]]:
    expected, held, surge = ([0] * count for _ in range(3))
    for one in curves:
        for place in range(count):
            expected[place] += one.forecast[place]
            held[place] += one.held[place]
            surge[place] += (one.upper or one.held)[place]
    return expected, held, surge


def _words(lending: PoolLending, lent: Sequence[int]) -> str:
    least, most = min(lending.lendable_gpus, default=0), max(lending.lendable_gpus, default=0)
    owned = counted(lending.owned_gpus, "GPU")
    words = f"{lending.pool}: services own {owned}, of which {least:,} to {most:,} may be lent"
    return words + (f"; at most {max(lent):,} are lent" if lent else "")
