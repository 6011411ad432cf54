"""The queue that goes first is the smallest by priority, shares from the top, age and name, whatever changes."""

from __future__ import annotations

import random
import time
from typing import cast

import pytest

from planner.simulate.queue_use import QueueUse
from planner.simulate.turns import Turns


class Shares:
    """What :class:`Turns` asks of the queues: a tree of three levels, or none."""

    def __init__(self, count: int, *, tree: bool, rng: random.Random) -> None:
        self.names = [f"q{at}" for at in range(count)]
        self._tree, self._rng = tree, rng
        self._used: dict[str, int] = {}
        self.changed: set[str] = set()
        self._priority = {name: rng.choice((0, 0, 5)) for name in self.names}
        self._created = {name: rng.choice(("", "2026", "2027")) for name in self.names}

    def priority(self, queue: str) -> int:
        return self._priority[queue]

    def created(self, queue: str) -> str:
        return self._created[queue]

    def path(self, queue: str) -> tuple[str, ...]:
        number = int(queue[1:])
        return (queue, f"m{number % 12}", f"t{number % 3}") if self._tree else (queue,)

    def share(self, queue: str) -> tuple[float, bool]:
        return self._used.get(queue, 0) / 4, False

    def charge(self, queue: str, amount: int) -> None:
        for level in self.path(queue):
            self._used[level] = self._used.get(level, 0) + amount
        self.changed.add(queue)

    def first(self, waiting: list[str]) -> str:
        """By looking at all of them."""

        def key(name: str) -> tuple[object, ...]:
            shares = tuple(self.share(level) for level in reversed(self.path(name)))
            return -self._priority[name], shares, self._created[name], name

        return min(waiting, key=key)


@pytest.mark.parametrize("tree", [False, True], ids=["flat", "tree"])
def test_the_first_is_the_smallest_of_all(tree: bool) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        shares = Shares(30, tree=tree, rng=rng)
        for name in rng.sample(shares.names, 10):
            shares.charge(name, rng.randrange(5))
        waiting = rng.sample(shares.names, 20)
        turns = Turns(cast("QueueUse", shares), waiting)
        while turns:
            queue = turns.first()
            assert queue == shares.first(waiting), seed
            for name in rng.sample(shares.names, rng.randrange(3)):  # others give back as well
                shares.charge(name, rng.randrange(-3, 4))
            shares.charge(queue, rng.randrange(4))
            if rng.random() < 0.5:
                waiting.remove(queue)
                turns.leave(queue)
        assert not waiting


def test_turns_of_thousands_of_queues_are_no_square() -> None:
    shares = Shares(4000, tree=True, rng=random.Random(1))
    began = time.process_time()
    turns = Turns(cast("QueueUse", shares), shares.names)
    for _ in range(4000):
        queue = turns.first()
        shares.charge(queue, 1)
        turns.leave(queue)
    assert not turns
    assert time.process_time() - began < 8  # all shares anew for every turn took minutes
