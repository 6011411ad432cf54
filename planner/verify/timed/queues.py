"""Queue limits in every bucket; under ``proportion`` the shares of the bucket, computed by the verifier itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    held, planned = _held(book), _planned(book)
    for bucket in range(book.count):
        shares = _shares(book, bucket) if book.state.queues.proportional and bucket else None
        running = _by_queue((q, amounts) for q, gone, amounts in held if bucket < gone)
        asked = _by_queue(planned[bucket])
        for queue in sorted(queues):
            for name, used in _uses(book, queue, names, running, asked):
                limit = _limit(book, queue, name, shares)
                if limit is not None and used > limit:
                    told = f"uses {used} of {name}, its limit is {limit}"
                    yield f"queue/{queue}/bucket/{bucket}", told


def _uses(
    book: Book,
    queue: str,
    names: set[str],
    running: Mapping[str, Amounts],
    asked: Mapping[str, Amounts],
) -> Iterator[tuple[str, int]]:
    """What a queue with its descendants holds of each resource that a scheduled gang in it asks for."""
    family = book.state.queues.family(queue)
    for name in sorted(names) if family & asked.keys() else ():
        wanted = sum(asked[one].get(name, 0) for one in family & asked.keys())
        if wanted:
            yield name, wanted + sum(running[one].get(name, 0) for one in family & running.keys())


def _by_queue(amounts: Iterable[tuple[str, Mapping[str, int]]]) -> dict[str, Amounts]:
    found: dict[str, Amounts] = {}
    for queue, some in amounts:
        total = found.setdefault(queue, {})
        for name, amount in some.items():
            total[name] = total.get(name, 0) + amount
    return found


def _planned(book: Book) -> list[list[tuple[str, Mapping[str, int]]]]:
    """Per bucket queue and requests of every scheduled gang that runs in it."""
    found: list[list[tuple[str, Mapping[str, int]]]] = [[] for _ in range(book.count)]
    for one in book.planned:
        amounts = one.requests.as_dict()
        for bucket in {b for r in one.runs for b in range(r.start_bucket, r.end_bucket)}:
            found[bucket].append((one.queue, amounts))
    return found


def _limit(
    book: Book, queue: str, name: str, shares: Mapping[str, Mapping[str, Fraction]] | None
) -> int | None:
    if shares is None:
        return book.state.queues.limit(queue, name)
    if queue not in book.state.queues.listed:
        return None
    share = shares.get(queue, {}).get(name, Fraction(0))
    return int(share + max(Fraction(1, 1000), share / 10**9))


def _held(book: Book) -> list[tuple[str, int, Amounts]]:
    """Running pods of every gang: its queue, the first bucket in which they hold nothing, and what they request.

    Pods on nodes that the snapshot lacks count throughout.
    """
    found: list[tuple[str, int, Amounts]] = []
    for gang in book.state.snapshot.gangs:
        if gang.not_admitted:
            continue
        held: dict[int, Amounts] = {}
        for pod in book.state.running_before(gang):
            ends = gang.full_name in book.ending and book.on_known_node(pod)
            gone = book.gone_bucket(gang.full_name) if ends else book.count
            book.state.add(held.setdefault(gone, {}), pod.spec)
        found.extend((gang.queue, gone, amounts) for gone, amounts in held.items())
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
        gone = gang.full_name in book.ending and bucket >= book.gone_bucket(gang.full_name)
        for pod in running:
            if not (gone and book.on_known_node(pod)):
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
    if gang.full_name not in book.with_requests:
        return True
    pods = book.state.snapshot.pods_of(gang)
    earliest = max(earliest_start_of(gang, pods) or 0, book.horizon.start)
    length = duration_of(gang, pods, book.state.policy.policy).seconds
    first = book.horizon.first_from(earliest)
    return first <= bucket < book.horizon.end_bucket(earliest + length)
