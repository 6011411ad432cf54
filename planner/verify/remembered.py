"""A sequence that is made on demand and kept for whoever asks next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Remembered(Generic[Item]):
    """Iterates what a generator gives as often as wanted; no item is made twice, none that nobody asked for."""

    def __init__(self, source: Iterator[Item]) -> None:
        self._source, self._made = source, list[Item]()

    def __iter__(self) -> Iterator[Item]:
        yield from self._made
        place = len(self._made)
        while True:
            while place < len(self._made):  # somebody else went on meanwhile
                yield self._made[place]
                place += 1
            following = next(self._source, None)
            if following is None:
                return
            self._made.append(following)
