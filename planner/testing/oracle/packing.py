"""Exact packing of counted pods onto nodes by backtracking, for the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from models.resources import PODS
from planner.testing.oracle.gang_options import PodKind

Room = Mapping[str, Mapping[str, int]]
_Left = tuple[tuple[int, ...], ...]


def fits(
    room: Room, demand: Mapping[PodKind, int], keep_without_gpu_pods: Iterable[str] = ()
) -> bool:
    """Whether all pods find a node at once.

    Parameters
    ----------
    room
        Free amounts per node, ``pods`` included.
    keep_without_gpu_pods
        Nodes that must not receive a pod that asks for GPUs.
    """
    closed = frozenset(keep_without_gpu_pods)
    dimensions = sorted({PODS} | {name for kind in demand for name, _ in kind.request})
    names = sorted(room)
    left = tuple(tuple(room[node].get(name, 0) for name in dimensions) for node in names)
    merged: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
    for kind, count in demand.items():
        amounts = {PODS: 1, **dict(kind.request)}
        need = tuple(amounts.get(name, 0) for name in dimensions)
        doors = tuple(
            place
            for place, node in enumerate(names)
            if node in kind.nodes and not (kind.gpus and node in closed)
        )
        merged[need, doors] += count
    items = sorted(merged.items(), key=lambda item: (len(item[0][1]), [-n for n in item[0][0]]))
    return _place([(need, doors, count) for (need, doors), count in items], left, 0, set())


def _place(
    items: list[tuple[tuple[int, ...], tuple[int, ...], int]],
    left: _Left,
    index: int,
    dead: set[tuple[int, _Left]],
) -> bool:
    if index == len(items):
        return True
    if (index, left) in dead:
        return False
    need, doors, count = items[index]
    for after in _spread(need, doors, count, left):
        if _place(items, after, index + 1, dead):
            return True
    dead.add((index, left))
    return False


def _spread(
    need: tuple[int, ...], doors: tuple[int, ...], count: int, left: _Left
) -> Iterator[_Left]:
    """Every way to put ``count`` equal pods onto the given nodes."""
    if count == 0:
        yield left
        return
    if not doors:
        return
    node, others = doors[0], doors[1:]
    most = min((have // want for have, want in zip(left[node], need, strict=True) if want))
    for here in range(min(max(most, 0), count), -1, -1):
        rest = tuple(have - want * here for have, want in zip(left[node], need, strict=True))
        yield from _spread(need, others, count - here, (*left[:node], rest, *left[node + 1 :]))
