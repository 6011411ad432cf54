"""Mode A: pods come in batches, are placed for good or refused, towards node patterns of the expected work.

What is known in advance: the list that arrivals are drawn from (its mix of pods, as the published policies know their
typical pods) and how many GPUs are prepared for; of the pods themselves only the batch at hand. Places ("slots") are
kept for the pods that are still to come. A pod that has no slot and no room beside them takes the room of slots that
will probably stay open: those that are expected to be worth less than the pod.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from benchmarks.openb_check import Placement
from benchmarks.openb_lists import Machine, Task
from benchmarks.openb_node import Instead, NodeState, Slot

Slots = Mapping[int, Sequence[Slot]]
"""Node to its slots."""
LOOK_AGAIN = 4
"""Batches after which a refused kind of pods is tried again: until then the slots' worth has hardly changed."""


class Online:
    """Decides batch after batch; ``expected`` counts the pods of each kind that slots were planned for."""

    def __init__(self, machines: Sequence[Machine], slots: Slots, expected: Counter[Task]) -> None:
        self.nodes = [NodeState.with_slots(one, slots.get(i, ())) for i, one in enumerate(machines)]
        self._expected = expected
        self._prepared = max(sum(one.gpu_milli * n for one, n in expected.items()), 1)
        self._arrived = 0
        self._batches = 0
        self._open: dict[Task, list[int]] = {}
        for number, node in enumerate(self.nodes):
            for task, _ in node.slots:
                self._open.setdefault(task, []).append(number)
        self._no_room: set[Task] = set()
        self._refused: set[Task] = set()
        self._worth: dict[Task, float] = {}

    def batch(self, tasks: Sequence[tuple[int, Task]]) -> list[Placement]:
        """Placements of a batch of (number, pod); pods with models first, then large ones."""
        self._worth.clear()
        self._batches += 1
        if self._batches % LOOK_AGAIN == 0:
            self._refused.clear()
        found = []
        order = sorted(tasks, key=lambda one: (not one[1].models, -one[1].gpu_milli, one[0]))
        for number, task in order:
            spot = self._place(task)
            self._arrived += task.gpu_milli
            if spot is not None:
                found.append(Placement(number, *spot))
        return found

    def _place(self, task: Task) -> tuple[int, tuple[int, ...]] | None:
        places = self._open.get(task)
        if places:
            return self._in_slot(task, places.pop(0))
        if task not in self._no_room:
            spot = self._in_room(task)
            if spot is not None:
                return spot
            self._no_room.add(task)  # room only shrinks, until a slot is given away
        return None if task in self._refused else self._instead_of_slots(task)

    def _in_slot(self, task: Task, number: int) -> tuple[int, tuple[int, ...]]:
        slots = self.nodes[number].slots
        place = next(i for i, (kept, _) in enumerate(slots) if kept == task)
        return number, slots.pop(place)[1]

    def _in_room(self, task: Task) -> tuple[int, tuple[int, ...]] | None:
        """The tightest node with room beside its slots; pods without GPUs where there are few GPUs."""
        best: tuple[tuple[int, int], int, tuple[int, ...]] | None = None
        for number, node in enumerate(self.nodes):
            found = node.fullest(task) if node.admits(task) else None
            if found is None:
                continue
            cards, left = found
            key = (left if task.gpus else len(node.cards), node.cpu)
            if best is None or key < best[0]:
                best = (key, number, cards)
        if best is None:
            return None
        self.nodes[best[1]].take(task, best[2])
        return best[1], best[2]

    def _instead_of_slots(self, task: Task) -> tuple[int, tuple[int, ...]] | None:
        """The room of the slots whose expected worth is least, if it is less than the pod's."""
        best: tuple[int, Instead] | None = None
        limit = float(task.gpu_milli)
        for number, node in enumerate(self.nodes):
            if not node.slots or not node.admits(task):
                continue
            found = node.instead(task, self._expected_worth, limit)
            if found is not None:
                best, limit = (number, found), found.loss
        if best is None:
            self._refused.add(task)
            return None
        number, found = best
        node = self.nodes[number]
        for place in reversed(found.slots):
            kept, _ = node.release(place)
            self._open[kept].remove(number)
            self._worth.pop(kept, None)
        node.take(task, found.cards)
        self._no_room.clear()
        return number, found.cards

    def _expected_worth(self, kept: Task) -> float:
        """GPU-milli of a kind's last open slot times the chance that so many such pods are still to come."""
        if kept not in self._worth:
            left = max(1 - self._arrived / self._prepared, 0.0)
            chance = at_least(len(self._open[kept]), self._expected[kept] * left)
            self._worth[kept] = max(kept.gpu_milli, 1) * chance
        return self._worth[kept]


def at_least(number: int, mean: float) -> float:
    """Chance of at least so many arrivals of a Poisson process, by the normal curve."""
    if mean <= 0:
        return 0.0
    return 0.5 * math.erfc((number - 0.5 - mean) / math.sqrt(2 * mean))


def run_online(
    machines: Sequence[Machine],
    tasks: Sequence[Task],
    slots: Slots,
    expected: Counter[Task],
    size: int,
    seen: Callable[[int, list[Placement]], None],
) -> list[Placement]:
    """All batches; ``seen`` is called with the pods that have come and what is placed so far."""
    online = Online(machines, slots, expected)
    placed: list[Placement] = []
    for begin in range(0, len(tasks), size):
        chunk = list(enumerate(tasks[begin : begin + size], begin))
        placed += online.batch(chunk)
        seen(begin + len(chunk), placed)
    return placed
