"""Every run lasts as long as its gang's work, starts when it may, ends by its deadline, and stops only where it can."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from models.moments import epoch_seconds, local_text
from models.running_time import (
    deadline_of,
    duration_of,
    earliest_start_of,
    grace_of,
    may_be_stopped,
    saving_of,
)
from models.schedule import ScheduledGang
from models.workloads import Gang
from planner.verify.readiness import is_ready
from planner.verify.timed.book import Book
from planner.verify.timed.growth import check_growth

Told = Iterator[tuple[str, str]]
"""(object, what is wrong)."""


def check_grid(book: Book) -> Told:
    """Edges ascend from now on; every tuple has one value per bucket."""
    edges = book.schedule.edges
    if len(edges) < 2 or any(b <= a for a, b in pairwise(edges)):
        yield "edges", "must be at least two ascending seconds"
    elif edges[0] != book.now:
        yield "edges", f"start at {edges[0]}, the policy's now is {book.now}"


def check_entries(book: Book) -> Told:
    """Every gang that waits or runs has its entry, and only these."""
    snapshot = book.state.snapshot
    seen: set[tuple[str, bool]] = set()
    for entry in book.schedule.gangs:
        if snapshot.gang_by_name.get(entry.full_name) is None:
            yield entry.full_name, "is no gang of the snapshot"
        if (entry.full_name, entry.status == "running") in seen:
            yield entry.full_name, "has two entries"
        seen.add((entry.full_name, entry.status == "running"))
    for gang in snapshot.gangs:
        running = [pod for pod in snapshot.pods_of(gang) if pod.running]
        ready = is_ready(gang, running, book.state.succeeded(gang))
        if gang.full_name in book.ending and gang.full_name not in book.running:
            yield gang.full_name, "runs and is missing"
        needed = not (ready or gang.asks_nothing or gang.not_admitted)
        if needed and snapshot.pods_of(gang) and (gang.full_name, False) not in seen:
            yield gang.full_name, "waits and is missing"
    for name in book.running:
        if name not in book.ending:
            yield name, "is called running, and does not run or does not end"


def check_runs(book: Book) -> Told:
    """Buckets, times, durations and windows of every entry with runs."""
    for entry in book.schedule.gangs:
        gang = book.state.snapshot.gang_by_name.get(entry.full_name)
        if gang is None or entry.status == "waits":
            if entry.runs:
                yield entry.full_name, "waits, and has runs"
            continue
        if not entry.runs:
            yield entry.full_name, f"is {entry.status}, and has no run"
            continue
        faults = list(_places(book, entry))
        if not faults:
            faults = list(
                _running(book, entry, gang)
                if entry.status == "running"
                else _starting(book, entry, gang)
            )
        for told in faults:
            yield entry.full_name, told


def _places(book: Book, entry: ScheduledGang) -> Iterator[str]:
    pools = set(book.pool_by_node.values())
    stretches = book.stretches(entry)
    for run in entry.runs:
        if not 0 <= run.start_bucket < run.end_bucket <= book.count:
            yield f"run of buckets {run.start_bucket} to {run.end_bucket} lies outside the horizon"
            return
        if run.pool not in pools:
            yield f"runs in pool {run.pool}, which does not exist"
        if run.starts_at != local_text(book.horizon.edges[run.start_bucket], book.horizon.timezone):
            yield f"starts_at {run.starts_at} is not the edge of bucket {run.start_bucket}"
    if not entry.shrinks and any(b[0] < a[1] for a, b in pairwise(stretches)):
        yield "its runs overlap"
    if entry.shrinks:
        return  # judged with the pods that leave
    for start, end in stretches:
        here = [r for r in entry.runs if (r.start_bucket, r.end_bucket) == (start, end)]
        if sum(run.gpus for run in here) != entry.gpus:
            yield f"its runs from bucket {start} hold other than its {entry.gpus} GPUs"


def _running(book: Book, entry: ScheduledGang, gang: Gang) -> Iterator[str]:
    end = book.horizon.end_bucket(book.natural_end(gang))
    stretches = book.stretches(entry)
    if entry.shrinks:
        yield from _shrinking(book, entry, gang)
        stretches = [(0, book.gone_bucket(entry.full_name))]
    if len(stretches) != 1 or stretches[0][0] != 0:
        yield "runs now, so its only run starts in the first bucket"
        return
    gone = stretches[0][1]
    pods = [pod for pod in book.state.snapshot.pods_of(gang) if pod.running]
    held = sum(book.state.gpus(pod.spec) for pod in pods if book.on_known_node(pod))
    if entry.gpus != held:
        yield f"is said to hold {entry.gpus} GPUs, its pods hold {held} on nodes of the snapshot"
    away = {bucket for pod in pods for bucket in book.away.get(pod.node or "", ())}
    if gone > end:
        yield f"holds its GPUs until bucket {gone}, it ends in {end}"
    out = max(min(away, default=book.count), 1)
    if gone < end and gone != out and not may_be_stopped(gang, pods):
        yield f"leaves in bucket {gone}, and may not be stopped before {end}"
    if gone > out:
        yield f"runs in bucket {out} on a node that is in maintenance, or whose zone is closed"
    seconds = min(book.natural_end(gang), book.horizon.edges[gone], book.horizon.end)
    work = sum(
        run.gpus * (min(seconds, book.horizon.edges[run.end_bucket]) - book.horizon.start)
        for run in entry.runs
    )
    if gone == end and entry.work_gpu_seconds != work:
        yield f"does {entry.work_gpu_seconds} GPU-s of work, recomputed {work}"


def _shrinking(book: Book, entry: ScheduledGang, gang: Gang) -> Iterator[str]:
    """Pods leave only while the rest is ready and may be evicted; the runs hold what the others do."""
    running = [pod for pod in book.state.snapshot.pods_of(gang) if pod.running]
    names = {pod.full_name: pod for pod in running}
    shed = [name for shrink in entry.shrinks for name in shrink.pods]
    if len(set(shed)) < len(shed) or not set(shed) <= names.keys():
        yield "sheds pods twice, or pods that do not run"
        return
    if not may_be_stopped(gang, running):
        yield "sheds pods, and may not be stopped"
    rest = [pod for pod in running if pod.full_name not in shed]
    if not is_ready(gang, rest, book.state.succeeded(gang)):
        yield f"keeps {len(rest)} pods, fewer than make it ready"
    held: dict[tuple[str, int], int] = {}
    for pod in running:
        if book.on_known_node(pod):
            key = (book.pool_by_node[pod.node or ""], book.gone_of(pod))
            held[key] = held.get(key, 0) + book.state.gpus(pod.spec)
    told: dict[tuple[str, int], int] = {}
    for run in entry.runs:
        told[run.pool, run.end_bucket] = told.get((run.pool, run.end_bucket), 0) + run.gpus
    if told != held:
        yield "its runs hold other GPUs than the pods that stay and leave"


def _starting(book: Book, entry: ScheduledGang, gang: Gang) -> Iterator[str]:
    policy = book.state.policy.policy
    pods = book.state.snapshot.pods_of(gang)
    edges, horizon = book.horizon.edges, book.horizon
    stretches = book.stretches(entry)
    first = edges[stretches[0][0]]
    carried = entry.full_name in book.ending
    earliest = earliest_start_of(gang, pods)
    if earliest is not None and first < earliest and not carried:
        yield f"starts before its earliest start {local_text(earliest, horizon.timezone)}"
    if carried and stretches[0][0] < book.gone_bucket(entry.full_name):
        yield "goes on before it has left"
    interval, restart = saving_of(gang, pods, policy)
    if len(stretches) > 1 and not (interval and may_be_stopped(gang, pods)):
        yield "is split, and cannot be stopped and resumed"
        return
    if entry.grace_s != grace_of(gang, pods, policy):
        yield f"grace_s is {entry.grace_s}, the pods have {grace_of(gang, pods, policy)}"
    yield from check_growth(book, entry, gang)
    if carried:
        return
    length = duration_of(gang, pods, policy).seconds
    yield from _lengths(book, entry, length, interval, restart)
    deadline = deadline_of(gang, pods)
    end = epoch_seconds(entry.ends_at or "")
    if deadline is not None and (end is None or end > deadline or end > horizon.end):
        yield f"ends at {entry.ends_at}, after its deadline"


def _lengths(
    book: Book, entry: ScheduledGang, length: int, interval: int, restart: int
) -> Iterator[str]:
    """Work of the stretches: what was saved at each stop, restarts taken off."""
    edges, horizon = book.horizon.edges, book.horizon
    saved = lost = 0
    stretches = book.stretches(entry)
    for place, (start, end) in enumerate(stretches):
        again = restart if place else 0
        finish = edges[start] + length - saved + again
        natural = horizon.end_bucket(finish)
        if end > natural:
            yield f"holds bucket {end - 1} after its work has ended"
        if end < natural and not interval:
            yield f"ends in bucket {end}, its work in {natural}"
        if end >= natural:
            inside = min(finish, horizon.end) - edges[start]
            saved, lost = saved + max(inside - again, 0), lost + min(again, inside)
        else:
            progress = saved + edges[end] - edges[start] - again
            kept = progress - progress % interval if interval else 0
            lost += progress - kept + again
            saved = kept
    if entry.work_gpu_seconds != entry.gpus * min(saved, length):
        told = entry.gpus * min(saved, length)
        yield f"does {entry.work_gpu_seconds} GPU-s of work, recomputed {told}"
    if entry.lost_gpu_seconds != entry.gpus * lost:
        yield f"loses {entry.lost_gpu_seconds} GPU-s, recomputed {entry.gpus * lost}"
