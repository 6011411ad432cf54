"""From sightings over the nights to durations by owner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from models.history.durations import ObservedDurations
from models.running_time import owner_stem
from planner.history.times import seconds_from


class SeenRun(NamedTuple):
    """What one snapshot showed of a gang that runs or has ended; a tuple, because there may be a million of them."""

    moment: str
    namespace: str
    name: str
    queue: str
    created: str
    finished: bool
    pods_failed: int
    pods_running: int
    started_at: str
    ended_at: str

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


MOST_VAGUE = 0.5
"""Largest part of the sure duration by which an end that nobody saw may lie later."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One finished run; ``estimated`` where its end is that of the first snapshot that saw it finished."""

    seen: SeenRun
    ended: str
    seconds: int
    estimated: bool = False


def durations_of(seen: Iterable[SeenRun], *, latest: int) -> ObservedDurations:
    """Durations of the ``latest`` runs of every owner.

    Parameters
    ----------
    seen
        Sightings, oldest first.
    """
    runs: list[_Run] = []
    left_out = {"running": 0, "vague": 0, "failed": 0}
    for sightings in _by_run(seen).values():
        found = _duration(sightings)
        if isinstance(found, str):
            if found:
                left_out[found] += 1
        else:
            runs.append(found)
    runs.sort(key=lambda run: (run.ended, run.seen.full_name))
    by_owner: dict[str, list[int]] = {}
    for run in runs:
        for owner in _owners(run.seen):
            by_owner.setdefault(owner, []).append(run.seconds)
    return ObservedDurations(
        seconds={owner: tuple(by_owner[owner][-latest:]) for owner in sorted(by_owner)},
        runs=len(runs),
        estimated=sum(run.estimated for run in runs),
        **left_out,
    )


def _by_run(seen: Iterable[SeenRun]) -> dict[tuple[str, str], list[SeenRun]]:
    """Sightings by name and creation: the same name created again is another run."""
    found: dict[tuple[str, str], list[SeenRun]] = {}
    for one in seen:
        found.setdefault((one.full_name, one.created), []).append(one)
    return found


def _duration(seen: Sequence[SeenRun]) -> _Run | str:
    """The run, or why it is left out; "" for one that never started."""
    last = seen[-1]
    if last.finished and last.pods_failed:
        return "failed"
    starts = [one.started_at for one in seen if one.started_at]
    if not starts:
        return "vague" if last.finished else ""
    if not last.finished:
        return "running" if last.pods_running else ""
    ended = next((one.ended_at for one in seen if one.ended_at), "")
    seconds = seconds_from(starts[-1], ended) if ended else None
    if seconds is not None and seconds > 0:
        return _Run(last, ended, seconds)
    return _estimated(seen, starts[-1]) or "vague"


def _estimated(seen: Sequence[SeenRun], start: str) -> _Run | None:
    """The run up to the first snapshot that shows it finished, if the one before it leaves little open."""
    first = next(index for index, one in enumerate(seen) if one.finished)
    if not first:
        return None
    least = seconds_from(start, seen[first - 1].moment)
    most = seconds_from(start, seen[first].moment)
    if least is None or most is None or least <= 0 or most - least > MOST_VAGUE * least:
        return None
    return _Run(seen[first], seen[first].moment, most, estimated=True)


def _owners(seen: SeenRun) -> tuple[str, ...]:
    return owner_stem(seen.full_name), seen.namespace, f"queue:{seen.queue}"
