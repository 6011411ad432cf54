"""Queue limits in every bucket; under ``proportion`` the shares of the bucket, computed by the verifier itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from models.online import service_of
from models.running_time import earliest_start_of
from models.workloads import Gang, Pod
from planner.verify.arrivals import promised
from planner.verify.readiness import is_ready
from planner.verify.timed.book import Book
from planner.verify.water import Basin, fill

Told = Iterator[tuple[str, str]]
Amounts = dict[str, int]


def check_queues(book: Book) -> Told:
    """Where gangs start or go on, their queue and its ancestors keep every limit, beside running pods.

    What runs already may stay above a share that others' requests made smaller.
    """
    if not book.planned:
        return
    names = {name for one in book.planned for name in one.requests} - {"pods"}
    held, planned = _held(book), _planned(book)
    starts = {
        one.full_name: {r.start_bucket for r in one.runs} | {g.start_bucket for g in one.grows}
        for one in book.planned
    }
    for bucket in sorted(set().union(*starts.values())):
        begins = [one for one in book.planned if bucket in starts[one.full_name]]
        queues = {level for one in begins for level in book.state.queues.levels(one.queue)}
        shares = _shares(book, bucket) if book.state.queues.proportional and bucket else None
        running = _by_queue((q, amounts) for q, line in held for amounts in [line[bucket]])
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
        for more in one.grows:
            for bucket in range(more.start_bucket, more.end_bucket):
                found[bucket].append((one.queue, more.requests.as_dict()))
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


def _held(book: Book) -> list[tuple[str, list[Amounts]]]:
    """Running pods of every gang: its queue, and per bucket what they request.

    Pods on nodes that the snapshot lacks count throughout; those of services follow the demand.
    """
    found: list[tuple[str, list[Amounts]]] = []
    for gang in book.state.snapshot.gangs:
        if gang.not_admitted:
            continue
        held: dict[int, Amounts] = {}
        for pod in book.state.running_before(gang):
            if _service(book, gang, pod):
                continue
            ends = gang.full_name in book.ending and book.on_known_node(pod)
            gone = book.gone_of(pod) if ends else book.count
            book.state.add(held.setdefault(gone, {}), pod.spec)
        for gone, amounts in held.items():
            none: Amounts = {}
            found.append((gang.queue, [amounts if b < gone else none for b in range(book.count)]))
    found.extend(_services(book))
    return found


def _service(book: Book, gang: Gang, pod: Pod) -> str:
    return service_of(book.state.policy.policy.services, pod, gang)


def _services(book: Book) -> list[tuple[str, list[Amounts]]]:
    """Online pods by queue and pool: from the second bucket on as many of their GPUs as are kept for them there."""
    now: dict[tuple[str, str], Amounts] = {}
    gpus: dict[str, int] = {}
    for gang in book.state.snapshot.gangs:
        for pod in () if gang.not_admitted else book.state.running_before(gang):
            if _service(book, gang, pod):
                pool = book.pool_by_node.get(pod.node or "", "")
                book.state.add(now.setdefault((gang.queue, pool), {}), pod.spec)
                gpus[pool] = gpus.get(pool, 0) + book.state.gpus(pod.spec)
    lending = book.schedule.lending
    found = []
    for (queue, pool), amounts in now.items():
        limits = lending.pool(pool) if lending else None
        line = [amounts] * book.count
        if limits is not None and gpus[pool]:
            for bucket in range(1, book.count):
                kept = limits.owned_gpus - limits.lendable_gpus[bucket]
                line[bucket] = {n: -(-a * kept // gpus[pool]) for n, a in amounts.items()}
        found.append((queue, line))
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
    """What queues ask for in a bucket: everything submitted by then that can run and has not ended in this schedule."""
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
            if not _service(book, gang, pod) and not (gone and book.on_known_node(pod)):
                book.state.add(total, pod.spec)
        if gang.full_name in book.going_on and gone and not book.has_ended(gang.full_name, bucket):
            for pod in running:
                if book.on_known_node(pod):
                    book.state.add(total, pod.spec)
        waits = bool(not gone and running) if ready else _waits(book, gang, bucket)
        if waits and not gang.asks_nothing:
            for pod in pods:
                if pod.pending:
                    book.state.add(total, pod.spec)
            for template in () if gang.finished else gang.templates:
                book.state.add(total, template.spec, promised(gang, pods, template))
    for queue, line in _services(book):
        total = found.setdefault(queue, {})
        for name, amount in line[bucket].items():
            total[name] = total.get(name, 0) + amount
    return found


def _waits(book: Book, gang: Gang, bucket: int) -> bool:
    """Submitted by then, able to run at all, and not over yet."""
    if gang.full_name not in book.able:
        return False
    earliest = earliest_start_of(gang, book.state.snapshot.pods_of(gang))
    released = book.horizon.first_from(max(earliest or 0, book.horizon.start))
    return released <= bucket and not book.has_ended(gang.full_name, bucket)
