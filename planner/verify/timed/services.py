"""Where pods of services are over time: enough of them in every bucket, on nodes that have room for them."""

from __future__ import annotations

from collections.abc import Iterator

from models.schedule import ServicePlace
from planner.verify.timed.book import Book

Told = Iterator[tuple[str, str]]


def check_services(book: Book) -> Told:
    """Now pods are where they are; later as many GPUs as are kept have a place, or are told as missing."""
    lending = book.schedule.lending
    if lending is None:
        return
    yield from _as_now(book)
    pools = {one.pool for one in lending.pools}
    for place in book.schedule.service_places:
        told = _wrong(book, place, pools)
        if told:
            yield f"service/{place.service}/node/{place.node}", told
    for pool in lending.pools:
        for bucket in range(1, book.count):
            kept = pool.owned_gpus - pool.lendable_gpus[bucket]
            placed = sum(
                one.gpus
                for one in book.schedule.service_places
                if one.pool == pool.pool and one.start_bucket <= bucket < one.end_bucket
            )
            missing = sum(
                one.gpus
                for one in book.schedule.missed_returns
                if one.pool == pool.pool and one.start_bucket <= bucket < one.end_bucket
            )
            if pool.pool in book.pool_by_node.values() and placed + missing < kept:
                told = (
                    f"{kept} GPUs are kept, {placed} have a place and {missing} are told as missing"
                )
                yield f"pool/{pool.pool}/bucket/{bucket}", told
    for one in book.schedule.missed_returns:
        length = book.schedule.edges[one.end_bucket] - book.schedule.edges[one.start_bucket]
        if one.gpu_seconds != one.gpus * length:
            told = f"lacks {one.gpu_seconds} GPU-s, recomputed {one.gpus * length}"
            yield f"missed/{one.service}", told


def _as_now(book: Book) -> Told:
    """Every pod of a service in a pool with limits has its place from the first bucket on, on its own node."""
    lending = book.schedule.lending
    pools = {one.pool for one in lending.pools} if lending else set()
    listed = {name: place for place in book.schedule.service_places for name in place.names}
    for pod, node, kind in book.holders():
        if kind != "online" or book.pool_by_node[node] not in pools:
            continue
        place = listed.get(pod.full_name)
        if place is None:
            yield f"pod/{pod.full_name}", "belongs to a service, and has no place"
        elif place.node != node or place.start_bucket:
            yield f"pod/{pod.full_name}", f"runs on {node} now, and is told to be elsewhere"
        elif any(place.requests.amount(n) != a for n, a in pod.spec.request.items()):
            yield f"pod/{pod.full_name}", "holds other than what its place says"


def _wrong(book: Book, place: ServicePlace, pools: set[str]) -> str:
    if place.pool not in pools or book.pool_by_node.get(place.node) != place.pool:
        return f"is no node of pool {place.pool}"
    if not 0 <= place.start_bucket < place.end_bucket <= book.count:
        return "lies outside the horizon"
    each = sum(place.requests.amount(name) for name in book.state.gpu_names)
    if place.gpus != place.pods * each:
        return f"has {place.gpus} GPUs, its pods hold other"
    first = max(place.start_bucket, 1)
    away = [b for b in range(first, place.end_bucket) if not book.is_here(place.node, b)]
    return f"is away in bucket {away[0]}" if away else ""


def check_nodes(book: Book) -> Told:
    """On every node and in every bucket from the second on: where a pod comes, everything on the node fits."""
    held = _held(book)
    nodes = {node.name: node for node in book.state.snapshot.nodes}
    comes: dict[str, set[int]] = {}
    for place in book.schedule.service_places:
        if place.start_bucket:
            comes.setdefault(place.node, set()).update(range(place.start_bucket, place.end_bucket))
    for entry in book.planned:
        for run in entry.runs:
            for on in run.nodes:
                here = range(max(run.start_bucket, 1), run.end_bucket)
                comes.setdefault(on.node, set()).update(here)
        for more in entry.grows:
            comes.setdefault(more.node, set()).update(range(more.start_bucket, more.end_bucket))
    for name, buckets in sorted(comes.items()):
        if name not in nodes:
            yield f"node/{name}", "is no node of the snapshot"
            continue
        for bucket in sorted(buckets):
            lines = held.get(name, {})
            for resource, line in sorted(lines.items()):
                most = nodes[name].allocatable.amount(resource)
                if line[bucket] > most:
                    told = f"{line[bucket]} of {resource} are held, it has {most}"
                    yield f"node/{name}/bucket/{bucket}", told


def _held(book: Book) -> dict[str, dict[str, list[int]]]:
    """Node and resource to what is held per bucket."""
    found: dict[str, dict[str, list[int]]] = {}

    def add(node: str, resource: str, amount: int, start: int, end: int) -> None:
        line = found.setdefault(node, {}).setdefault(resource, [0] * book.count)
        for bucket in range(start, min(end, book.count)):
            line[bucket] += amount

    for pod, node, kind in book.holders():
        if kind == "online":
            continue  # they are among the places of services
        until = {"leaving": 1, "staying": book.count}.get(kind)
        gone = book.gone_of(pod) if until is None else until
        for resource, amount in pod.spec.request.items():
            add(node, resource, amount, 0, gone)
    for place in book.schedule.service_places:
        for resource, amount in place.requests.items():
            add(place.node, resource, amount * place.pods, place.start_bucket, place.end_bucket)
    for entry in book.planned:
        for run in entry.runs:
            for on in run.nodes:
                for resource, amount in on.requests.items():
                    add(on.node, resource, amount, run.start_bucket, run.end_bucket)
        for more in entry.grows:
            for resource, amount in more.requests.items():
                add(more.node, resource, amount, more.start_bucket, more.end_bucket)
    return found
