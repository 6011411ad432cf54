"""Exact packing of counted pods onto nodes by backtracking, for the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from models.resources import PODS
from planner.testing.oracle.gang_options import PodKind

Room = Mapping[str, Mapping[str, int]]
_Left = tuple[tuple[int, ...], ...]
_Item = tuple[tuple[int, ...], tuple[int, ...], int]


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
    if not names:
        return not any(demand.values())
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
    kinds = [(need, doors, count) for (need, doors), count in merged.items()]
    items = sorted(kinds, key=lambda item: (len(item[1]), [-amount for amount in item[0]]))
    open_need = [tuple(0 for _ in dimensions)]
    for need, _, count in reversed(items):
        later = open_need[-1]
        open_need.append(tuple(a + b * count for a, b in zip(later, need, strict=True)))
    return _Search(items, open_need[::-1]).place(0, left)


class _Search:
    """Backtracking over kinds of pods, with the states that are known to fail.

    ``open_need[i]`` is what the kinds from ``i`` on still request; room beyond it makes no difference.
    """

    def __init__(self, items: list[_Item], open_need: list[tuple[int, ...]]) -> None:
        self._items = items
        self._open_need = open_need
        self._dead: set[tuple[int, _Left]] = set()

    def place(self, index: int, left: _Left) -> bool:
        if index == len(self._items):
            return True
        wanted = self._open_need[index]
        left = tuple(tuple(map(min, node, wanted)) for node in left)
        short = any(
            want > 0 and sum(max(one, 0) for one in have) < want
            for have, want in zip(zip(*left, strict=True), wanted, strict=True)
        )
        if short or (index, left) in self._dead:
            return False
        need, doors, count = self._items[index]
        if any(self.place(index + 1, after) for after in _spread(need, doors, count, left)):
            return True
        self._dead.add((index, left))
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
    most = min(have // want for have, want in zip(left[node], need, strict=True) if want)
    for here in range(min(max(most, 0), count), -1, -1):
        rest = tuple(have - want * here for have, want in zip(left[node], need, strict=True))
        yield from _spread(need, others, count - here, (*left[:node], rest, *left[node + 1 :]))
