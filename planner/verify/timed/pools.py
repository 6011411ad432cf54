"""Room in every pool and bucket: GPUs with and without loans, other resources, reservations, and returns in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from models.moments import epoch_seconds
from models.policy import Reservation
from models.running_time import may_be_stopped
from models.schedule import ScheduledGang, ScheduledPool, TimedLoan
from planner.verify.timed.book import Book

Told = Iterator[tuple[str, str]]
Line = list[int]


class PoolBook:
    """Per pool and bucket what there is and what is used, recomputed."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.names = sorted(set(book.pool_by_node.values()))

    def _line(self) -> dict[str, Line]:
        return {name: [0] * self.book.count for name in self.names}

    @cached_property
    def held(self) -> Mapping[str, Mapping[str, int]]:
        """Node to GPUs by kind of holder."""
        found: dict[str, dict[str, int]] = {}
        for pod, node, kind in self.book.holders():
            mine = found.setdefault(node, {})
            mine[kind] = mine.get(kind, 0) + self.book.state.gpus(pod.spec)
        return found

    @cached_property
    def own(self) -> Mapping[str, Line]:
        """GPUs of open nodes less pods that stay and what services own."""
        book, found = self.book, self._line()
        names = book.state.gpu_names
        for node in book.open_nodes:
            gpus = sum(node.allocatable.amount(name) for name in names)
            held = self.held.get(node.name, {})
            line = found[book.pool_by_node[node.name]]
            for bucket in range(book.count):
                if book.is_here(node.name, bucket):
                    gone = held.get("staying", 0) + (held.get("leaving", 0) if not bucket else 0)
                    line[bucket] += gpus - min(gone, gpus)
        lending = book.schedule.lending
        for one in lending.pools if lending else ():
            if one.pool in found:
                found[one.pool] = [max(n - one.owned_gpus, 0) for n in found[one.pool]]
        return found

    @cached_property
    def capacity(self) -> Mapping[str, Line]:
        """What batch work may hold, loans included."""
        book = self.book
        found = {name: list(line) for name, line in self.own.items()}
        lending = book.schedule.lending
        for one in lending.pools if lending else ():
            if one.pool not in found:
                continue
            offered = self._offered(one.pool)
            for bucket in range(book.count):
                kept = one.owned_gpus - one.lendable_gpus[bucket]
                found[one.pool][bucket] = max(offered[bucket] - kept, 0)
        return found

    def _offered(self, pool: str) -> Line:
        book, names = self.book, self.book.state.gpu_names
        found = [0] * book.count
        for node in book.open_nodes:
            if book.pool_by_node[node.name] == pool:
                gpus = sum(node.allocatable.amount(name) for name in names)
                held = self.held.get(node.name, {})
                for bucket in range(book.count):
                    if book.is_here(node.name, bucket):
                        gone = held.get("staying", 0)
                        gone += held.get("leaving", 0) if not bucket else 0
                        found[bucket] += gpus - min(gone, gpus)
        return found

    def used(self, *, slow_only: bool = False) -> tuple[Mapping[str, Line], Mapping[str, Line]]:
        """GPUs of running gangs, and of all gangs, per pool."""
        book, running = self.book, self._line()
        for pod, node, kind in book.holders():
            if kind != "ending":
                continue
            entry = book.running.get(pod.gang)
            if slow_only and entry is not None and entry.leaves_in_time:
                continue
            gpus = book.state.gpus(pod.spec)
            line = running[book.pool_by_node[node]]
            for bucket in range(book.gone_of(pod) if gpus else 0):
                if book.is_here(node, bucket):
                    line[bucket] += gpus
        total = {name: list(line) for name, line in running.items()}
        for entry in book.planned:
            if not (slow_only and entry.leaves_in_time):
                for run in entry.runs:
                    for bucket in range(run.start_bucket, run.end_bucket):
                        total[run.pool][bucket] += run.gpus
        return running, total


def check_lending(book: Book) -> Told:
    """Loan limits hold for these buckets, and what is slow is a part of what is lent."""
    lending = book.schedule.lending
    if lending is None:
        return
    if lending.edges and lending.edges != book.schedule.edges:
        yield "lending", "its limits are for other buckets"
    for one in lending.pools:
        if len(one.lendable_gpus) != book.count or len(one.slow_gpus) != book.count:
            yield f"lending/{one.pool}", "must have one limit per bucket"
        elif any(
            not 0 <= slow <= lendable <= one.owned_gpus
            for slow, lendable in zip(one.slow_gpus, one.lendable_gpus, strict=True)
        ):
            yield f"lending/{one.pool}", "slow ≤ lendable ≤ owned does not hold in every bucket"
    for entry in book.schedule.gangs:
        quick = entry.stoppable or _may_leave(book, entry)
        if entry.leaves_in_time and not (quick and entry.grace_s <= lending.maximal_grace_s):
            yield entry.full_name, f"does not leave within {lending.deadline_s} s"


def _may_leave(book: Book, entry: ScheduledGang) -> bool:
    gang = book.state.snapshot.gang_by_name.get(entry.full_name)
    return gang is not None and may_be_stopped(gang, book.state.snapshot.pods_of(gang))


def check_pools(book: Book) -> Told:
    """GPUs used never exceed what there is; what runs now is taken as given in the first bucket."""
    pools = PoolBook(book)
    running, total = pools.used()
    slow_running, slow = pools.used(slow_only=True)
    lending = book.schedule.lending
    listed = {one.name: one for one in book.schedule.pools}
    for name in pools.names:
        capacity = list(pools.capacity[name])
        capacity[0] = max(capacity[0], running[name][0])
        for bucket in range(book.count):
            most = max(capacity[bucket], running[name][bucket])
            grown = sum(
                more.gpus
                for entry in book.planned
                for more in entry.grows
                if book.pool_by_node.get(more.node) == name
                and more.start_bucket <= bucket < more.end_bucket
            )
            if total[name][bucket] + grown > most:
                told = f"{total[name][bucket] + grown} GPUs are used, there are {most}"
                yield f"pool/{name}/bucket/{bucket}", told
        limits = lending.pool(name) if lending else None
        for bucket in range(book.count) if limits else ():
            assert limits is not None
            most = min(pools.own[name][bucket] + limits.slow_gpus[bucket], capacity[bucket])
            if slow[name][bucket] > max(most, slow_running[name][bucket]):
                told = f"{slow[name][bucket]} GPUs do not come back in time, {most} may"
                yield f"pool/{name}/bucket/{bucket}", told
        if name in listed:
            yield from _entry(
                listed[name],
                capacity,
                pools.own[name],
                total[name],
                slow[name] if lending else None,
            )


def _entry(entry: ScheduledPool, capacity: Line, own: Line, used: Line, slow: Line | None) -> Told:
    lent = [max(n - have, 0) for n, have in zip(used, own, strict=True)]
    pairs: tuple[tuple[str, Sequence[int], Sequence[int]], ...] = (
        ("capacity", entry.capacity, capacity),
        ("own", entry.own, own),
        ("used", entry.used, used),
        ("lent", entry.lent, lent),
        ("slow", entry.slow, slow or ()),
    )
    for name, have, wanted in pairs:
        if tuple(have) != tuple(wanted):
            yield f"pool/{entry.name}", f"{name} differs from what is recomputed"


def check_loans(book: Book) -> Told:
    """Every bucket in which a pool lends belongs to one loan, which is back when it has to be."""
    covered: dict[str, set[int]] = {}
    lent = {one.name: one.lent for one in book.schedule.pools}
    for loan in book.schedule.loans:
        here = range(loan.start_bucket, loan.end_bucket)
        covered.setdefault(loan.pool, set()).update(here)
        most = max((lent.get(loan.pool, ())[b] for b in here), default=0)
        missed = [
            one
            for one in book.schedule.missed_returns
            if one.pool == loan.pool
            and one.start_bucket < here.stop
            and one.end_bucket > here.start
        ]
        if loan.gpus != most:
            yield f"loan/{loan.pool}", f"is of {loan.gpus} GPUs, at most {most} are lent"
        back, by = epoch_seconds(loan.returned_by), epoch_seconds(loan.leave_by)
        if back is None or by is None or loan.slack_s != by - back:
            yield (
                f"loan/{loan.pool}",
                "its slack is not the time from its return to when it has to be",
            )
        elif (back > by) != bool(missed):
            late = "a service lacks GPUs meanwhile" if missed else "no service lacks GPUs"
            yield f"loan/{loan.pool}", f"has {loan.slack_s} s of slack, and {late}"
        yield from _check_service_returns(book, loan)
    for name, line in lent.items():
        missing = {b for b, gpus in enumerate(line) if gpus} ^ covered.get(name, set())
        if missing:
            yield f"loan/{name}", f"loans and lent GPUs differ in bucket {min(missing)}"


def _check_service_returns(book: Book, loan: TimedLoan) -> Told:
    """Each service's own moment: demand rises for the last time, and batch work is below what it may hold then."""
    edges, lending = book.schedule.edges, book.schedule.lending
    entry = next((one for one in book.schedule.pools if one.name == loan.pool), None)
    if entry is None or lending is None:
        return
    room = [all_ - own for all_, own in zip(entry.capacity, entry.own, strict=True)]
    last = next((b for b in range(loan.end_bucket, book.count) if room[b] <= 0), book.count)
    wanted: dict[str, tuple[int, int]] = {}
    for curve in lending.demand:
        if curve.pool != loan.pool:
            continue
        lacks = [
            one
            for one in book.schedule.missed_returns
            if one.service in (curve.service, "")
            and one.pool == loan.pool
            and loan.start_bucket < one.end_bucket
            and one.start_bucket <= last
        ]
        inside = range(loan.start_bucket + 1, min(last, book.count - 1) + 1)
        due = max((b for b in inside if curve.held[b] > curve.held[b - 1]), default=None)
        if lacks:
            first, end = min(x.start_bucket for x in lacks), max(x.end_bucket for x in lacks)
            wanted[curve.service] = (edges[first], edges[end])
        elif due is not None:
            before = range(loan.start_bucket, due)
            above = [b for b in before if entry.lent[b] > room[due]]
            if above:
                wanted[curve.service] = (edges[due], edges[above[-1] + 1])
    told = {
        one.service: (epoch_seconds(one.leave_by), epoch_seconds(one.returned_by))
        for one in loan.services
    }
    if told != wanted:
        yield f"loan/{loan.pool}", f"returns of its services differ: {sorted({*told} ^ {*wanted})}"
    for one in loan.services:
        due_s, back_s = wanted.get(one.service, (0, 0))
        if one.service in wanted and one.slack_s != due_s - back_s:
            yield f"loan/{loan.pool}", f"slack of {one.service} is not the time until it is due"


def check_other_resources(book: Book) -> Told:
    """CPU, memory and the like of gangs that lie in one pool fit beside running work."""
    planned = [one for one in book.planned if len({run.pool for run in one.runs}) == 1]
    names = {name for one in planned for name in one.requests} - set(book.state.gpu_names)
    for pool in sorted(set(book.pool_by_node.values())):
        here = [one for one in planned if one.runs[0].pool == pool]
        for name in sorted(names - {"pods"}) if here else ():
            free = _free(book, pool, name)
            for bucket in range(book.count):
                asked = sum(
                    one.requests.amount(name)
                    for one in here
                    if any(r.start_bucket <= bucket < r.end_bucket for r in one.runs)
                )
                if asked > free[bucket]:
                    told = f"{asked} of {name} are asked for, {free[bucket]} are free"
                    yield f"pool/{pool}/bucket/{bucket}", told


def _free(book: Book, pool: str, name: str) -> Line:
    held: dict[str, list[tuple[int, int]]] = {}
    for pod, node, kind in book.holders():
        until = {"ending": -1, "leaving": 1, "online": 0, "staying": book.count}[kind]
        until = book.gone_of(pod) if until < 0 else until
        held.setdefault(node, []).append((pod.spec.request.amount(name), until))
    found = [0] * book.count
    for one in book.open_nodes:
        if book.pool_by_node[one.name] != pool:
            continue
        for bucket in range(book.count):
            if book.is_here(one.name, bucket):
                gone = sum(n for n, until in held.get(one.name, ()) if bucket < until)
                found[bucket] += max(one.allocatable.amount(name) - gone, 0)
    return found


def check_reservations(book: Book) -> Told:
    """Others keep out of what the calendar keeps for a queue."""
    for rule in book.state.policy.policy.reservations:
        start, end = epoch_seconds(rule.start), epoch_seconds(rule.end)
        if start is None or end is None:
            continue
        for bucket in book.horizon.overlapping(start, end):
            for pool in sorted(set(book.pool_by_node.values())):
                yield from _kept(book, rule, pool, bucket)


def _kept(book: Book, rule: Reservation, pool: str, bucket: int) -> Told:
    reserved = rest = 0
    touched = False
    for node in book.open_nodes:
        if book.pool_by_node[node.name] != pool or not book.is_here(node.name, bucket):
            continue
        chosen = (
            node.name in rule.nodes
            or rule.pool == pool
            or (
                bool(rule.selector)
                and all(node.labels.get(k) == v for k, v in rule.selector.items())
            )
        )
        touched = touched or chosen
        gpus = sum(node.allocatable.amount(name) for name in book.state.gpu_names)
        for pod, where, kind in book.holders():
            gone = kind == "staying" or (kind == "ending" and bucket < book.gone_of(pod))
            if where == node.name and gone:
                gpus -= book.state.gpus(pod.spec)
        reserved, rest = (
            (reserved + max(gpus, 0), rest) if chosen else (reserved, rest + max(gpus, 0))
        )
    if not touched:
        return
    free = reserved + rest - rule.gpus if rule.gpus is not None else rest
    others = sum(
        run.gpus
        for one in book.planned
        if rule.queue is None or rule.queue not in book.state.queues.levels(one.queue)
        for run in one.runs
        if run.pool == pool and run.start_bucket <= bucket < run.end_bucket
    )
    if others > max(free, 0):
        told = f"{others} GPUs are used by others, the reservation leaves {max(free, 0)}"
        yield f"pool/{pool}/bucket/{bucket}", told
