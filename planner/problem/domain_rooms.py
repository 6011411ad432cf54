"""Room that the nodes of a domain share: bandwidth of a leaf, or one place for pods that exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
UNLIMITED = 1 << 60
"""What a node outside all domains of a room has of it."""


@dataclass(frozen=True)
class DomainRoom:
    """One shared amount.

    Attributes
    ----------
    name, unit
        Words for a reason.
    rule
        Id of the rule that it stands for.
    place
        ``[nodes]`` the node's domain; -1 = in none, where nothing is shared.
    names, whole, left
        Per domain its name, what it has in all, and beside pods that hold nodes (at least 0).
    asks
        Shape to what one pod takes.
    """

    name: str
    unit: str
    rule: str
    place: IntArray
    names: tuple[str, ...]
    whole: IntArray
    left: IntArray
    asks: Mapping[int, int]

    def with_copies(self, like: int, count: int) -> DomainRoom:
        """The room with so many nodes more, in the domain of one that is there."""
        return replace(self, place=np.append(self.place, np.repeat(self.place[like], count)))

    def emptied(self) -> DomainRoom:
        """The room while nobody uses it."""
        return replace(self, left=self.whole)

    def of_nodes(self, left: IntArray) -> IntArray:
        """``[nodes]`` what each node's domain has left."""
        return np.append(left, UNLIMITED)[self.place]


class DomainsLeft:
    """What domains have left while pods are placed."""

    def __init__(self, rooms: Sequence[DomainRoom]) -> None:
        self._rooms = rooms
        self._left = [one.left.copy() for one in rooms]
        self._of_shape: dict[int, list[tuple[int, int]]] = {}
        for index, one in enumerate(rooms):
            for shape, amount in one.asks.items():
                self._of_shape.setdefault(shape, []).append((index, amount))

    def binds(self, shape: int) -> bool:
        """Whether pods of a shape take such room."""
        return shape in self._of_shape

    def within(self, shape: int, counts: IntArray, nodes: IntArray | None) -> IntArray:
        """``counts`` of a shape, no more on any node than its domains have left."""
        for index, amount in self._of_shape.get(shape, ()):
            room = self._rooms[index].of_nodes(self._left[index])
            counts = np.minimum(counts, (room if nodes is None else room[nodes]) // amount)
        return counts

    def together(self, shape: int, counts: IntArray, nodes: IntArray | None) -> int:
        """Pods of a shape that fit at most on all these nodes."""
        found = int(counts.sum())
        for index, amount in self._of_shape.get(shape, ()):
            place = self._rooms[index].place
            here = place if nodes is None else place[nodes]
            sums = np.zeros(len(self._left[index]) + 1, dtype=np.int64)
            np.add.at(sums, here, counts)
            inside = np.minimum(sums[:-1], self._left[index] // amount)
            found = min(found, int(inside.sum()) + int(sums[-1]))
        return found

    def most(self, shape: int, node: int) -> int:
        """Pods of a shape that the domains of a node still take."""
        found = UNLIMITED
        for index, amount in self._of_shape.get(shape, ()):
            domain = int(self._rooms[index].place[node])
            if domain >= 0:
                found = min(found, int(self._left[index][domain]) // amount)
        return found

    def put(self, shape: int, node: int, count: int) -> None:
        """Take room for pods, or give it back (a negative count)."""
        for index, amount in self._of_shape.get(shape, ()):
            domain = int(self._rooms[index].place[node])
            if domain >= 0:
                self._left[index][domain] -= amount * count

    @property
    def broken(self) -> bool:
        """Some domain has less than nothing left."""
        return any(bool((left < 0).any()) for left in self._left)

    def rooms(self) -> tuple[DomainRoom, ...]:
        """The rooms with what is left now."""
        return tuple(
            replace(one, left=np.maximum(left, 0))
            for one, left in zip(self._rooms, self._left, strict=True)
        )


def keeps_domain_rooms(rooms: Sequence[DomainRoom], placed: Iterable[tuple[int, int, int]]) -> bool:
    """Whether (shape, node, pods) stay within all shared rooms."""
    if not rooms:
        return True
    left = DomainsLeft(rooms)
    for shape, node, count in placed:
        left.put(shape, node, count)
    return not left.broken
