"""Whose turn it is among queues with work, found again only where something changed."""

from __future__ import annotations

from collections.abc import Iterable

from planner.simulate.queue_use import QueueUse, Share

Turn = tuple[tuple[Share, ...], str, str]
"""Shares from the top level to the queue, its time of creation and its name; the smallest goes first."""
_Node = tuple[int, str]
"""Queues of one priority below a level; "" is above all."""


class Turns:
    """Order of Volcano's queues: higher spec.priority, smaller share (from the top with hierarchy), age, name.

    Every level keeps the first turn of each of its children. What a queue receives changes the shares on its own
    path alone, so that a choice among n queues costs no walk over all of their shares.
    """

    def __init__(self, queues: QueueUse, names: Iterable[str]) -> None:
        self._queues = queues
        self._below: dict[_Node, dict[str, Turn]] = {}
        self._old: dict[_Node, set[str]] = {}
        self._waiting = dict.fromkeys(names)
        for name in self._waiting:
            for node, level in self._steps(queues.priority(name), name):
                self._old.setdefault(node, set()).add(level)
                self._below.setdefault(node, {})
        self._priorities = sorted({queues.priority(name) for name in self._waiting}, reverse=True)
        queues.changed.clear()

    def __bool__(self) -> bool:
        """Whether some queue still has work."""
        return bool(self._waiting)

    def first(self) -> str:
        """The queue whose turn it is."""
        for queue in self._queues.changed:
            for priority in self._priorities:
                self._touch(priority, queue)
        self._queues.changed.clear()
        return self._first_below((self._priorities[0], ""))[2]

    def leave(self, queue: str) -> None:
        """A queue has no more work."""
        del self._waiting[queue]
        priority = self._queues.priority(queue)
        for node, level in reversed(self._steps(priority, queue)):
            if (priority, level) in self._below or (level in self._waiting and level != queue):
                break  # others below this level, or its own work, go on
            self._below[node].pop(level, None)
            self._old[node].discard(level)
            if not self._below[node] and not self._old[node]:
                del self._below[node], self._old[node]
        self._touch(priority, queue)
        if (priority, "") not in self._below:
            self._priorities.remove(priority)

    def _steps(self, priority: int, queue: str) -> list[tuple[_Node, str]]:
        """From the top: a level of a queue's path and what it is below."""
        path = tuple(reversed(self._queues.path(queue)))
        above = ("", *path[:-1])
        return [((priority, over), level) for over, level in zip(above, path, strict=True)]

    def _touch(self, priority: int, queue: str) -> None:
        """Shares on a queue's path changed."""
        for node, level in self._steps(priority, queue):
            if level in self._below.get(node, ()):
                self._old[node].add(level)

    def _first_below(self, node: _Node) -> Turn:
        turns, old = self._below[node], self._old[node]
        for level in old:
            turns[level] = self._turn(node[0], level)
        old.clear()
        return min(turns.values())

    def _turn(self, priority: int, level: str) -> Turn:
        """The first turn at a level or below it."""
        share = self._queues.share(level)
        found: list[Turn] = []
        if level in self._waiting and self._queues.priority(level) == priority:
            found.append(((share,), self._queues.created(level), level))
        if (priority, level) in self._below:
            shares, created, name = self._first_below((priority, level))
            found.append(((share, *shares), created, name))
        return min(found)
