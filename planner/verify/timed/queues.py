"""Queue limits in every bucket; under ``proportion`` the shares of the bucket, computed by the verifier itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from models.running_time import duration_of, earliest_start_of
from models.workloads import Gang
from planner.verify.arrivals import promised
from planner.verify.readiness import is_ready
from planner.verify.timed.book import Book
from planner.verify.water import Basin, fill

Told = Iterator[tuple[str, str]]
Amounts = dict[str, int]


def check_queues(book: Book) -> Told:
    """Scheduled gangs stay within every limit of their queue and its ancestors, beside running pods."""
    if not book.planned:
        return
    names = {name for one in book.planned for name in one.requests} - {"pods"}
    queues = {level for one in book.planned for level in book.state.queues.levels(one.queue)}
    for bucket in range(book.count):
        shares = _shares(book, bucket) if book.state.queues.proportional and bucket else None
        for queue in sorted(queues):
            yield from _over(book, queue, bucket, names, shares)


def _over(
    book: Book,
    queue: str,
    bucket: int,
    names: set[str],
    shares: Mapping[str, Mapping[str, Fraction]] | None,
) -> Told:
    family = book.state.queues.family(queue)
    here = [
        one
        for one in book.planned
        if one.queue in family and any(r.start_bucket <= bucket < r.end_bucket for r in one.runs)
    ]
    if not here:
        return
    running = _running(book, family, bucket)
    for name in sorted(names):
        asked = sum(one.requests.amount(name) for one in here)
        limit = _limit(book, queue, name, shares)
        if asked and limit is not None and running.get(name, 0) + asked > limit:
            told = f"uses {running.get(name, 0) + asked} of {name}, its limit is {limit}"
            yield f"queue/{queue}/bucket/{bucket}", told


def _limit(
    book: Book, queue: str, name: str, shares: Mapping[str, Mapping[str, Fraction]] | None
) -> int | None:
    if shares is None:
        return book.state.queues.limit(queue, name)
    if queue not in book.state.queues.listed:
        return None
    share = shares.get(queue, {}).get(name, Fraction(0))
    return int(share + max(Fraction(1, 1000), share / 10**9))


def _running(book: Book, family: set[str], bucket: int) -> Amounts:
    found: Amounts = {}
    for gang in book.state.snapshot.gangs:
        if gang.not_admitted or gang.queue not in family:
            continue
        ends = gang.full_name in book.ending
        if ends and bucket >= book.gone_bucket(gang.full_name):
            continue
        for pod in book.state.running_before(gang):
            book.state.add(found, pod.spec)
    return found


def _shares(book: Book, bucket: int) -> Mapping[str, Mapping[str, Fraction]]:
    asked = _asked(book, bucket)
    queues = book.state.queues
    total = {
        name: sum(node.allocatable.amount(name) for node in book.state.snapshot.nodes)
        for name in {name for node in book.state.snapshot.nodes for name in node.allocatable}
        if name != "pods"
    }
    basins = []
    for name in sorted(asked.keys() & queues.listed.keys()):
        queue, request = queues.listed[name], asked[name]
        cap = {one: min(request.get(one, 0), queues.ceiling(name, one)) for one in total}
        basins.append(Basin(name, queue.weight, request, cap, queue.guarantee.as_dict(), {}))
    return fill(total, basins)


def _asked(book: Book, bucket: int) -> dict[str, Amounts]:
    """What queues ask for in a bucket: work released by then and not ended at its earliest possible end."""
    found: dict[str, Amounts] = {}
    for gang in book.state.snapshot.gangs:
        if gang.not_admitted:
            continue
        total = found.setdefault(gang.queue, {})
        pods = book.state.snapshot.pods_of(gang)
        running = [pod for pod in pods if pod.running]
        ready = is_ready(gang, running, book.state.succeeded(gang))
        if gang.full_name not in book.ending or bucket < book.gone_bucket(gang.full_name):
            for pod in running:
                book.state.add(total, pod.spec)
        if ready or _is_due(book, gang, bucket):
            for pod in pods:
                if pod.pending:
                    book.state.add(total, pod.spec)
            for template in gang.templates:
                book.state.add(total, template.spec, promised(gang, pods, template))
    return found


def _is_due(book: Book, gang: Gang, bucket: int) -> bool:
    """Released, and not over yet if it started as soon as it may."""
    entry = next(
        (o for o in book.schedule.gangs if o.full_name == gang.full_name and o.requests), None
    )
    if entry is None:
        return True
    pods = book.state.snapshot.pods_of(gang)
    earliest = max(earliest_start_of(gang, pods) or 0, book.horizon.start)
    length = duration_of(gang, pods, book.state.policy.policy).seconds
    first = book.horizon.first_from(earliest)
    return first <= bucket < book.horizon.end_bucket(earliest + length)
