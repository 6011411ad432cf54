"""When a gang may run: one column per class, option and start, and per way to stop and resume.

A gang is split only where room itself goes away and comes back (a loan that is returned, a window of maintenance or of
a reservation): it runs until the bucket in which the room of its option shrinks, and goes on in the first bucket that
has as much again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from models.horizon import Horizon
from planner.problem.placement import BoolArray, IntArray
from planner.problem.timed import Column, Option, StartTable, WorkClass

MOST_SPLITS = 6
"""Places to stop that are looked at per start; those with the largest loss of room."""


def start_table(classes: Sequence[WorkClass], horizon: Horizon, room: IntArray) -> StartTable:
    """Look at every class, option and start."""
    edges = np.array(horizon.edges, dtype=np.int64)
    begins = edges[:-1]
    pairs = [(n, place) for n, one in enumerate(classes) for place in range(len(one.options))]
    shape = (len(pairs), horizon.count)
    may, done = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    ends, work = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    split: list[Column] = []
    for line, (number, place) in enumerate(pairs):
        one = classes[number]
        option = one.options[place]
        fits = _fits(option, room)
        finish = begins + one.duration_s
        ends[line] = np.minimum(np.searchsorted(edges, finish), horizon.count)
        work[line] = np.minimum(one.duration_s, horizon.end - begins)
        done[line] = finish <= horizon.end
        missing = np.concatenate([[0], np.cumsum(~fits)])
        late = one.deadline_s is not None and finish > one.deadline_s
        early = begins < max(one.earliest_s, horizon.start)
        may[line] = (missing[ends[line]] == missing[:-1]) & ~early & ~np.asarray(late)
        drops = _drops(option, room) if one.stoppable else []
        if drops:
            first = horizon.first_from(max(one.earliest_s, horizon.start))
            for start in range(first, horizon.count):
                if fits[start]:
                    split.extend(_split(number, one, place, start, horizon, fits, drops))
    return StartTable(horizon, tuple(pairs), may, ends, work, done, tuple(split))


def _fits(option: Option, room: IntArray) -> BoolArray:
    """Buckets in which one gang has room beside running ones."""
    fits = np.ones(room.shape[1], dtype=np.bool_)
    for row, amount in option.use:
        fits &= room[row] >= amount
    return fits


def _drops(option: Option, room: IntArray) -> list[tuple[int, int]]:
    """(bucket in which room shrinks, first later bucket with as much again or the end), largest losses first."""
    found: dict[int, tuple[int, int]] = {}
    for row, amount in option.use:
        line = room[row]
        for bucket in np.flatnonzero(line[1:] < line[:-1]) + 1:
            level = min(int(line[bucket - 1]), int(line.max()))
            loss = (level - int(line[bucket])) * 1000 // max(amount, 1)
            later = np.flatnonzero(line[bucket:] >= level)
            resume = int(bucket + later[0]) if later.size else len(line)
            if loss > found.get(int(bucket), (0, 0))[0]:
                found[int(bucket)] = (loss, resume)
    return [(bucket, resume) for bucket, (_, resume) in sorted(found.items())]


def _split(
    number: int,
    one: WorkClass,
    place: int,
    start: int,
    horizon: Horizon,
    fits: BoolArray,
    drops: Sequence[tuple[int, int]],
) -> Iterator[Column]:
    """Stop at one of the next drops; later ones are taken as they come."""
    ends = horizon.end_bucket(horizon.edges[start] + one.duration_s)
    for stop, resume in [pair for pair in drops if start < pair[0] < ends][:MOST_SPLITS]:
        found = _stopped(one, start, stop, resume, horizon, fits, drops)
        if found is not None:
            stretches, work, lost, done = found
            yield Column(number, place, stretches, work, lost, done)


def _stopped(
    one: WorkClass,
    start: int,
    stop: int,
    resume: int,
    horizon: Horizon,
    fits: BoolArray,
    drops: Sequence[tuple[int, int]],
) -> tuple[tuple[tuple[int, int], ...], int, int, bool] | None:
    stretches: list[tuple[int, int]] = []
    saved = lost = 0
    while True:
        ran = horizon.edges[stop] - horizon.edges[start] - (one.restart_s if stretches else 0)
        if ran <= 0 or not fits[start:stop].all():
            return None
        progress = saved + ran
        kept = progress - progress % one.interval_s if one.interval_s else 0
        if kept <= saved:
            return None  # it would do nothing but restart
        lost += progress - kept + (one.restart_s if stretches else 0)
        stretches.append((start, stop))
        saved = kept
        start = resume
        while start < horizon.count and not fits[start]:
            start += 1
        if start >= horizon.count:
            return _told(one, stretches, saved, lost, done=False)
        needed = one.duration_s - saved + one.restart_s
        finish = horizon.edges[start] + needed
        end = horizon.end_bucket(finish)
        again = next(((s, r) for s, r in drops if start < s < end and not fits[s]), None)
        if again is not None:
            stop, resume = again
            continue
        if not fits[start:end].all():
            return None
        if one.deadline_s is not None and finish > one.deadline_s:
            return None
        stretches.append((start, end))
        inside = min(finish, horizon.end) - horizon.edges[start]
        work = saved + max(inside - one.restart_s, 0)
        lost += min(one.restart_s, inside)
        return _told(one, stretches, work, lost, done=finish <= horizon.end)


def _told(
    one: WorkClass, stretches: list[tuple[int, int]], work: int, lost: int, *, done: bool
) -> tuple[tuple[tuple[int, int], ...], int, int, bool] | None:
    if one.deadline_s is not None and not done:
        return None
    return tuple(stretches), min(work, one.duration_s), lost, done
