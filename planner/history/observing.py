"""From sightings over the nights to durations by owner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from models.history.durations import ObservedDurations
from models.history.rows import GangSighting
from models.running_time import owner_stem
from planner.history.times import seconds_from

Seen = tuple[str, GangSighting]
"""Time of a snapshot, and what it showed of a gang."""
MOST_VAGUE = 0.5
"""Largest part of the sure duration by which an end that nobody saw may lie later."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One finished run; ``estimated`` where its end is that of the first snapshot that saw it finished."""

    sighting: GangSighting
    ended: str
    seconds: int
    estimated: bool = False


def durations_of(seen: Iterable[Seen], *, latest: int) -> ObservedDurations:
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
    runs.sort(key=lambda run: (run.ended, run.sighting.full_name))
    by_owner: dict[str, list[int]] = {}
    for run in runs:
        for owner in _owners(run.sighting):
            by_owner.setdefault(owner, []).append(run.seconds)
    return ObservedDurations(
        seconds={owner: tuple(by_owner[owner][-latest:]) for owner in sorted(by_owner)},
        runs=len(runs),
        estimated=sum(run.estimated for run in runs),
        **left_out,
    )


def _by_run(seen: Iterable[Seen]) -> dict[tuple[str, str], list[Seen]]:
    """Sightings by name and creation: the same name created again is another run."""
    found: dict[tuple[str, str], list[Seen]] = {}
    for moment, one in seen:
        found.setdefault((one.full_name, one.created), []).append((moment, one))
    return found


def _duration(seen: Sequence[Seen]) -> _Run | str:
    """The run, or why it is left out; "" for one that never started."""
    moment, last = seen[-1]
    if last.finished and last.pods_failed:
        return "failed"
    starts = [one.started_at for _, one in seen if one.started_at]
    if not starts:
        return "vague" if last.finished else ""
    if not last.finished:
        return "running" if last.pods_running else ""
    first_finished = next(index for index, (_, one) in enumerate(seen) if one.finished)
    ended = next((one.ended_at for _, one in seen if one.ended_at), "")
    seconds = seconds_from(starts[-1], ended) if ended else None
    if seconds is not None and seconds > 0:
        return _Run(last, ended, seconds)
    if not first_finished:
        return "vague"
    moment = seen[first_finished][0]
    least = seconds_from(starts[-1], seen[first_finished - 1][0])
    most = seconds_from(starts[-1], moment)
    if least is None or most is None or least <= 0 or most - least > MOST_VAGUE * least:
        return "vague"
    return _Run(last, moment, most, estimated=True)


def _owners(sighting: GangSighting) -> tuple[str, ...]:
    return (
        owner_stem(sighting.full_name),
        sighting.namespace,
        f"queue:{sighting.queue}",
    )
