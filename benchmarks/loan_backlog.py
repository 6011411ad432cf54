"""Batch gangs on lent GPUs, bucket by bucket: what runs, what is told to leave, and what work that costs."""

from __future__ import annotations

import csv
import gzip
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

DEPTH = 50
"""Waiting gangs looked at when the first does not fit."""
RESTART_S = 300
"""Seconds that a restarted gang needs before it makes progress again."""


@dataclass
class Running:
    """A gang on lent GPUs; ``done_s`` is progress that a restart keeps."""

    gpus: int
    left_s: int
    since_s: int = 0


@dataclass
class BacklogResult:
    """GPU-seconds held and lost; ``surges`` and ``planned`` count gangs told to leave."""

    held_gpu_s: int = 0
    lost_gpu_s: int = 0
    lost_to_surges_gpu_s: int = 0
    finished: int = 0
    surges: int = 0
    planned: int = 0
    worst_surge_gpus: int = 0
    running: list[Running] = field(default_factory=list)


def read_backlog(path: Path, vcs_with_nodes: Sequence[str] = ()) -> list[tuple[int, int]]:
    """(GPUs, seconds) of each gang in order of submission, from ``num_gpus`` and ``duration_s``."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return [
            (int(row["num_gpus"]), max(1, int(float(row["duration_s"]))))
            for row in rows
            if not vcs_with_nodes or row["vc"] in vcs_with_nodes
        ]


def run_backlog(
    lent: Sequence[int],
    short: Sequence[int],
    step_s: int,
    backlog: Sequence[tuple[int, int]],
    *,
    checkpoint_s: int | None,
) -> BacklogResult:
    """Fill the lent GPUs from a backlog that never runs dry within the benchmark.

    Parameters
    ----------
    lent
        GPUs that may be held per bucket; where it falls, gangs leave before the bucket (planned).
    short
        GPUs that demand takes back within the bucket on top (surge).
    checkpoint_s
        Work older than so many seconds is kept by a restart; None loses all of it.
    """
    result, waiting = BacklogResult(), deque(backlog)
    again: deque[tuple[int, int]] = deque()
    for limit, missing in zip(lent, short, strict=True):
        _leave(result, again, max(0, _held(result) - limit), checkpoint_s, surge=False)
        _fill(result, again, waiting, limit)
        if missing:
            back = max(0, _held(result) - (limit - missing))
            result.worst_surge_gpus = max(result.worst_surge_gpus, back)
            _leave(result, again, back, checkpoint_s, surge=True)
        _work(result, step_s)
    return result


def _held(result: BacklogResult) -> int:
    return sum(one.gpus for one in result.running)


def _leave(
    result: BacklogResult,
    again: deque[tuple[int, int]],
    gpus: int,
    checkpoint_s: int | None,
    *,
    surge: bool,
) -> None:
    """Gangs leave until so many GPUs are back, those that lose least per GPU first."""
    while gpus > 0 and result.running:
        one = min(result.running, key=lambda gang: (_lost_s(gang, checkpoint_s), gang.gpus))
        result.running.remove(one)
        lost = _lost_s(one, checkpoint_s)
        result.lost_gpu_s += lost * one.gpus
        result.lost_to_surges_gpu_s += lost * one.gpus if surge else 0
        result.surges += surge
        result.planned += not surge
        again.append((one.gpus, one.left_s + max(0, lost - RESTART_S) + RESTART_S))
        gpus -= one.gpus


def _lost_s(gang: Running, checkpoint_s: int | None) -> int:
    """Seconds of work that leaving now costs, restart included."""
    redone = gang.since_s if checkpoint_s is None else gang.since_s % checkpoint_s
    return redone + RESTART_S if gang.since_s else 0


def _fill(
    result: BacklogResult,
    again: deque[tuple[int, int]],
    waiting: deque[tuple[int, int]],
    limit: int,
) -> None:
    free = limit - _held(result)
    for queue in (again, waiting):
        skipped: list[tuple[int, int]] = []
        while free > 0 and queue and len(skipped) < DEPTH:
            gpus, seconds = queue.popleft()
            if gpus <= free:
                result.running.append(Running(gpus, seconds))
                free -= gpus
            else:
                skipped.append((gpus, seconds))
        queue.extendleft(reversed(skipped))


def _work(result: BacklogResult, step_s: int) -> None:
    still: list[Running] = []
    for one in result.running:
        ran = min(step_s, one.left_s)
        result.held_gpu_s += ran * one.gpus
        one.left_s -= ran
        one.since_s += ran
        if one.left_s:
            still.append(one)
        else:
            result.finished += 1
    result.running = still
