"""When every gang runs: one bar per gang, grouped by queue, in a band per pool with its loan windows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from models.moments import epoch_seconds
from models.schedule import Run, Schedule, ScheduledGang, ScheduledPool
from planner.report.svg.canvas import Canvas, shortened
from planner.report.svg.time_axis import TimeAxis
from planner.report.text import counted

_WIDTH, _LEFT, _RIGHT, _ROW = 1080, 236, 1066, 20
MOST_GANGS = 60
_LEGEND = {
    "used": "runs now (pale: its end is unknown)",
    "planned": "scheduled",
    "free-whole": "pool lends GPUs of online services",
    "gap": "leaves before its end",
}


def gantt(schedule: Schedule, pool: ScheduledPool) -> str:
    """Gangs of one pool, by queue and start; at most :data:`MOST_GANGS` (the table lists all)."""
    rows = gangs_of(schedule, pool.name)
    shown = rows[:MOST_GANGS]
    axis = TimeAxis(schedule.horizon, _LEFT, _RIGHT)
    canvas = Canvas(_WIDTH)
    top = canvas.legend(2, _LEGEND, {"l-mark": "deadline"}) + 18
    queues = list(dict.fromkeys(gang.queue for gang in shown))
    height = _ROW * (len(shown) + len(queues)) + 6
    _loans(canvas, schedule, pool, axis, top, top + height)
    axis.draw(canvas, top, top + height)
    y = top + 2
    for queue in queues:
        canvas.text(0, y + 15, f"Queue {shortened(queue, 28)}", "strong")
        y += _ROW
        for gang in (one for one in shown if one.queue == queue):
            _bar(canvas, schedule, gang, pool.name, axis, y)
            y += _ROW
    if len(rows) > len(shown):
        told = f"The first {len(shown):,} of {len(rows):,} gangs; the table and gangs.csv hold all."
        canvas.text(0, canvas.height + 18, told, "small")
    return canvas.markup(
        f"Schedule of pool {pool.name}", "; ".join(_words(gang, pool.name) for gang in shown)
    )


def gangs_of(schedule: Schedule, pool: str) -> list[ScheduledGang]:
    """Gangs that run in a pool, by queue, then start, then name."""
    here = [gang for gang in schedule.gangs if any(run.pool == pool for run in gang.runs)]
    return sorted(here, key=lambda g: (g.queue, g.runs[0].start_bucket, g.full_name, g.status))


def _loans(
    canvas: Canvas,
    schedule: Schedule,
    pool: ScheduledPool,
    axis: TimeAxis,
    top: float,
    bottom: float,
) -> None:
    """Windows in which the pool may lend."""
    edges = schedule.edges
    start: int | None = None
    may = [c > o for c, o in zip(pool.capacity, pool.own, strict=True)]
    for bucket, lends in enumerate([*may, False]):
        if lends and start is None:
            start = bucket
        elif not lends and start is not None:
            x = axis.x(edges[start])
            width = axis.x(edges[bucket]) - x
            canvas.rect(x, top, width, bottom - top, "s-free-whole", opacity=0.45)
            start = None


def _bar(
    canvas: Canvas, schedule: Schedule, gang: ScheduledGang, pool: str, axis: TimeAxis, y: float
) -> None:
    canvas.open_group(_words(gang, pool))
    canvas.text(_LEFT - 46, y + 14, shortened(gang.full_name, 28), "label", "end")
    canvas.text(_LEFT - 10, y + 14, f"{gang.gpus:,}", "small", "end")
    runs = [run for run in gang.runs if run.pool == pool]
    for run in runs:
        start, end = axis.x(schedule.edges[run.start_bucket]), axis.x(_end(schedule, run))
        css = "s-used" if gang.status == "running" else "s-planned"
        if leaves_before_end(schedule, gang):
            css = "s-gap"
        canvas.rect(start, y + 3, max(end - start, 2), _ROW - 6, css)
        if gang.end_unknown and run.end_bucket < len(schedule.edges) - 1:
            canvas.rect(end, y + 3, axis.x(schedule.edges[-1]) - end, _ROW - 6, css, opacity=0.25)
    for before, after in pairwise(runs):
        x = axis.x(schedule.edges[before.end_bucket])
        canvas.line(x, y + 10, axis.x(schedule.edges[after.start_bucket]), y + 10, "l-mark")
    if gang.deadline:
        second = epoch_seconds(gang.deadline)
        if second is not None and second < schedule.edges[-1]:
            x = axis.x(second)
            canvas.line(x, y, x, y + _ROW, "l-mark")
    canvas.close_group()


def leaves_before_end(schedule: Schedule, gang: ScheduledGang) -> bool:
    """Whether a gang is stopped within the horizon and its work does not go on there."""
    if gang.status == "running" or not gang.runs:
        return gang.status == "running" and bool(gang.reasons)
    if (
        gang.reasons or gang.duration is None
    ):  # the rest of a gang that left has no length of its own
        return False
    last = max(run.end_bucket for run in gang.runs)
    whole = gang.gpus * gang.duration.seconds
    return last < len(schedule.edges) - 1 and gang.work_gpu_seconds < whole


def _end(schedule: Schedule, run: Run) -> int:
    return epoch_seconds(run.ends_at) or schedule.edges[run.end_bucket]


def _words(gang: ScheduledGang, pool: str) -> str:
    guess = " (end unknown, a guess)" if gang.end_unknown else ""
    parts = [f"{run.starts_at} to {run.ends_at}{guess}" for run in gang.runs if run.pool == pool]
    return f"{gang.full_name}, {counted(gang.gpus, 'GPU')}: {', '.join(parts)}"


def drawn_pools(schedule: Schedule) -> Sequence[ScheduledPool]:
    """Pools with work, those with most GPUs first."""
    found = [pool for pool in schedule.pools if gangs_of(schedule, pool.name)]
    return sorted(found, key=lambda pool: (-pool.gpus, pool.name))
