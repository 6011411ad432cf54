"""Pods that a topology spread constraint keeps even over domains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Spread:
    """One constraint: in a domain with pods of its owners, at most ``skew`` more than in the one with the fewest.

    Attributes
    ----------
    place
        ``[nodes]`` the node's domain; -1 = in none that counts.
    names, held
        Per domain its name and the matching pods there.
    from_zero
        The fewest count as 0: there are fewer domains than ``minDomains``.
    shapes
        Shapes of the owners.
    counted
        Shapes of the new pods that count; None = the owners and nobody else.
    owned
        Owners per domain that came before; None = none. They bind newcomers that count.
    title
        Words for a rule that is no spread: owners and pods that count keep apart, ``from_zero`` with a skew of 0.
    """

    key: str
    skew: int
    place: IntArray
    names: tuple[str, ...]
    held: IntArray
    from_zero: bool
    shapes: frozenset[int]
    counted: frozenset[int] | None = None
    owned: IntArray | None = None
    title: str = ""

    @property
    def matching(self) -> frozenset[int]:
        """Shapes of the new pods that count."""
        return self.shapes if self.counted is None else self.counted

    def with_copies(self, like: int, count: int) -> Spread:
        """The constraint with so many nodes more, in the domain of one that is there."""
        return replace(self, place=np.append(self.place, np.repeat(self.place[like], count)))


class SpreadCounts:
    """Matching pods by domain while pods are placed."""

    def __init__(self, spreads: Sequence[Spread]) -> None:
        self._spreads = spreads
        self._held = [one.held.copy() for one in spreads]
        self._came = [
            np.zeros_like(one.held) if one.owned is None else one.owned.copy() for one in spreads
        ]
        self._of_shape: dict[int, list[int]] = {}
        for index, one in enumerate(spreads):
            for shape in one.shapes | one.matching:
                self._of_shape.setdefault(shape, []).append(index)

    def binds(self, shape: int) -> bool:
        """Whether a constraint keeps pods of a shape even."""
        return shape in self._of_shape

    def most(self, shape: int, node: int) -> int | None:
        """Pods of a shape that may come to a node now; None without limit."""
        found: int | None = None
        for index in self._of_shape.get(shape, ()):
            room = self._room(index, shape, node)
            if room is not None:
                found = room if found is None else min(found, room)
        return found

    def _room(self, index: int, shape: int, node: int) -> int | None:
        one, domain = self._spreads[index], int(self._spreads[index].place[node])
        owner, counts = shape in one.shapes, shape in one.matching
        if domain < 0:
            return 0 if owner else None
        room = self._fewest(index) + one.skew - int(self._held[index][domain])
        if counts and (owner or self._came[index][domain] > 0):
            return max(room, 0)
        return 0 if owner and room < 0 else None

    def _fewest(self, index: int) -> int:
        one = self._spreads[index]
        return 0 if one.from_zero or not len(one.held) else int(self._held[index].min())

    def put(self, shape: int, node: int, count: int) -> None:
        """Count pods, or take them back (a negative count)."""
        for index in self._of_shape.get(shape, ()):
            one = self._spreads[index]
            domain = int(one.place[node])
            if domain >= 0:
                self._held[index][domain] += count if shape in one.matching else 0
                self._came[index][domain] += count if shape in one.shapes else 0

    def broken(self) -> tuple[int, int] | None:
        """A constraint and a domain that received too many, None where there is none."""
        for index, one in enumerate(self._spreads):
            over = (self._came[index] > 0) & (self._held[index] > self._fewest(index) + one.skew)
            if over.any():
                return index, int(np.flatnonzero(over)[0])
        return None

    def spreads(self) -> tuple[Spread, ...]:
        """The constraints with what is held now; what came before counts as there."""
        return tuple(
            replace(one, held=held.copy(), owned=None if one.counted is None else came.copy())
            for one, held, came in zip(self._spreads, self._held, self._came, strict=True)
        )


def counts_of(spreads: Sequence[Spread], placed: Iterable[tuple[int, int, int]]) -> SpreadCounts:
    """Counts with (shape, node, pods) placed."""
    found = SpreadCounts(spreads)
    for shape, node, count in placed:
        found.put(shape, node, count)
    return found
