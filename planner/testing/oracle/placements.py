"""Every way to put a delivery onto the nodes, gang by gang, for the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from models.resources import PODS
from planner.testing.oracle.gang_options import PodKind
from planner.testing.oracle.situation import Delivery

Room = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Arrival:
    """Equal pods of one gang on one node."""

    gang: str
    kind: PodKind
    node: str
    count: int


def placements(
    room: Mapping[str, Mapping[str, int]], delivery: Delivery, without_gpus: frozenset[str]
) -> Iterator[tuple[Arrival, ...]]:
    """All placements that fit; nodes ``without_gpus`` receive no pod that asks for GPUs."""
    demands = [
        (name, kind, count)
        for name, option in sorted(delivery.items())
        for kind, count in option.counts
    ]
    left = {node: dict(amounts) for node, amounts in room.items()}
    yield from _place(demands, left, without_gpus, ())


def _place(
    demands: list[tuple[str, PodKind, int]],
    left: Room,
    without_gpus: frozenset[str],
    done: tuple[Arrival, ...],
) -> Iterator[tuple[Arrival, ...]]:
    if not demands:
        yield done
        return
    (name, kind, count), *others = demands
    doors = [node for node in kind.nodes if not (kind.gpus and node in without_gpus)]
    for spread in _spreads(kind, doors, count, left):
        arrivals = tuple(Arrival(name, kind, node, n) for node, n in spread)
        for node, n in spread:
            _book(left[node], kind, n)
        yield from _place(others, left, without_gpus, (*done, *arrivals))
        for node, n in spread:
            _book(left[node], kind, -n)


def _spreads(
    kind: PodKind, doors: list[str], count: int, left: Room
) -> Iterator[list[tuple[str, int]]]:
    if count == 0:
        yield []
        return
    if not doors:
        return
    node, *others = doors
    need = {PODS: 1, **{name: amount for name, amount in kind.request if amount}}
    most = min(left[node].get(name, 0) // amount for name, amount in need.items())
    for here in range(min(max(most, 0), count), -1, -1):
        for rest in _spreads(kind, others, count - here, left):
            yield [(node, here), *rest] if here else rest


def _book(room: dict[str, int], kind: PodKind, count: int) -> None:
    room[PODS] = room.get(PODS, 0) - count
    for name, amount in kind.request:
        room[name] = room.get(name, 0) - amount * count
