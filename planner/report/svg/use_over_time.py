"""GPUs of all pools over time: running, scheduled, lent, what there is, and what online services keep."""

from __future__ import annotations

from collections.abc import Sequence

from models.schedule import Schedule
from planner.report.svg.canvas import Canvas
from planner.report.svg.scale import ticks
from planner.report.svg.time_axis import TimeAxis
from planner.report.unknown_ends import may_be_held

_WIDTH, _LEFT, _RIGHT, _HEIGHT = 1080, 64, 1066, 260
_UNKNOWN = {"gap": "held too if gangs of unknown length go on"}
_LEGEND = {
    "used": "gangs that run now",
    "planned": "scheduled gangs",
    "unavailable": "kept for online services and others",
    "forecast": "most that batch work may hold (line)",
}


def use_over_time(schedule: Schedule) -> str:
    """Stacked areas from below: running, scheduled; the line is the bound, the band above is kept."""
    count = len(schedule.edges) - 1
    running = [0] * count
    for gang in schedule.gangs:
        if gang.status == "running":
            for run in gang.runs:
                for bucket in range(run.start_bucket, run.end_bucket):
                    running[bucket] += run.gpus
    used = _total([pool.used for pool in schedule.pools], count)
    most = _total([pool.capacity for pool in schedule.pools], count)
    kept = _total([pool.online for pool in schedule.pools], count)
    top_value = max([m + k for m, k in zip(most, kept, strict=True)], default=1)
    marks = ticks(max(top_value, 1))
    canvas = Canvas(_WIDTH)
    maybe = may_be_held(schedule, schedule.pools)
    top = canvas.legend(2, {**_LEGEND, **(_UNKNOWN if any(maybe) else {})}) + 10
    bottom = top + _HEIGHT
    axis = TimeAxis(schedule.horizon, _LEFT, _RIGHT)

    def y(gpus: float) -> float:
        return bottom - (bottom - top) * gpus / marks[-1]

    for mark in marks:
        canvas.line(_LEFT, y(mark), _RIGHT, y(mark), "grid")
        canvas.text(_LEFT - 8, y(mark) + 4, f"{mark:,}", "small", "end")
    canvas.text(0, top - 4, "GPUs", "small")
    low = [min(r, u) for r, u in zip(running, used, strict=True)]
    for bucket, end in _spans(low, used, most, kept, maybe):
        x = axis.x(schedule.edges[bucket])
        width = axis.x(schedule.edges[end]) - x
        canvas.rect(x, y(low[bucket]), width, bottom - y(low[bucket]), "s-used")
        canvas.rect(x, y(used[bucket]), width, y(low[bucket]) - y(used[bucket]), "s-planned")
        if maybe[bucket]:
            above = y(used[bucket] + maybe[bucket])
            canvas.rect(x, above, width, y(used[bucket]) - above, "s-gap", opacity=0.35)
        high = most[bucket] + kept[bucket]
        canvas.rect(x, y(high), width, y(most[bucket]) - y(high), "s-unavailable", opacity=0.5)
    points = [(axis.x(schedule.edges[b]), y(most[b])) for b in range(count)]
    canvas.steps([*points, (axis.x(schedule.edges[-1]), y(most[-1]))], "curve")
    axis.draw(canvas, top, bottom)
    average = sum(n * s for n, s in zip(used, schedule.horizon.lengths, strict=True))
    average //= schedule.edges[-1] - schedule.edges[0]
    return canvas.markup(
        "GPUs over time",
        f"{average:,} GPUs allocated on average, of {max(most, default=0):,} at most",
    )


def _spans(*lines: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of buckets in which nothing changes."""
    found: list[tuple[int, int]] = []
    start = 0
    count = len(lines[0])
    for bucket in range(1, count + 1):
        if bucket == count or any(line[bucket] != line[start] for line in lines):
            found.append((start, bucket))
            start = bucket
    return found


def _total(lines: Sequence[Sequence[int]], count: int) -> list[int]:
    return [sum(line[bucket] for line in lines if line) for bucket in range(count)]
