"""Mode A: pods come in batches, are placed for good or refused, towards node patterns of the expected work.

What is known in advance: the list that arrivals are drawn from (its mix of pods, as the published policies know their
typical pods) and that GPUs of 130 % of the cluster will be asked for; of the pods themselves only the batch at hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.openb_check import WHOLE, Placement
from benchmarks.openb_lists import Machine, Task

Slots = Mapping[int, Sequence[tuple[Task, tuple[int, ...]]]]
"""Node to its target pods with their cards."""


@dataclass
class _Node:
    machine: Machine
    cpu: int
    memory: int
    cards: list[int]
    slots: list[tuple[Task, tuple[int, ...]]] = field(default_factory=list)

    def spare(self) -> tuple[int, int, list[int]]:
        """Room that no target pod needs."""
        cpu, memory, cards = self.cpu, self.memory, list(self.cards)
        for task, chosen in self.slots:
            cpu -= task.cpu_milli
            memory -= task.memory_mib
            for card in chosen:
                cards[card] -= task.milli
        return cpu, memory, cards


class Online:
    """Decides batch after batch."""

    def __init__(self, machines: Sequence[Machine], slots: Slots, expected: Counter[Task]) -> None:
        self.nodes = [
            _Node(one, one.cpu_milli, one.memory_mib, [WHOLE] * one.gpus, list(slots.get(i, ())))
            for i, one in enumerate(machines)
        ]
        self.expected = Counter(expected)
        self.open: dict[Task, list[int]] = {}
        for number, node in enumerate(self.nodes):
            for task, _ in node.slots:
                self.open.setdefault(_bare(task), []).append(number)
        self._full: dict[Task, bool] = {}

    def batch(self, tasks: Sequence[tuple[int, Task]]) -> list[Placement]:
        """Placements of a batch of (number, pod); pods with models first, then large ones."""
        found = []
        order = sorted(tasks, key=lambda one: (not one[1].models, -one[1].gpu_milli, one[0]))
        for number, task in order:
            self.expected[_bare(task)] -= 1
            spot = self._place(task)
            if spot is not None:
                found.append(Placement(number, *spot))
        return found

    def _place(self, task: Task) -> tuple[int, tuple[int, ...]] | None:
        bare = _bare(task)
        spot = self._in_slot(task, bare, bare)
        if spot is not None or self._full.get(task):
            return spot
        spot = self._in_spare(task)
        if spot is not None:
            return spot
        for other in self._surplus(bare):
            spot = self._in_slot(task, bare, other)
            if spot is not None:
                return spot
        return None

    def _surplus(self, bare: Task) -> list[Task]:
        """Kinds of slots that hold the pod and that will probably stay open, the best filled first."""
        if not bare.gpus:
            return []
        fitting = [
            one
            for one, places in self.open.items()
            if places
            and one.gpus == bare.gpus
            and one.milli >= bare.milli
            and one.cpu_milli >= bare.cpu_milli
            and one.memory_mib >= bare.memory_mib
            and len(places) > max(self.expected[one], 0)
        ]
        return sorted(fitting, key=lambda one: (one.milli, one.cpu_milli, one.memory_mib))

    def _in_slot(self, task: Task, bare: Task, kind: Task) -> tuple[int, tuple[int, ...]] | None:
        places = self.open.get(kind, [])
        for at, number in enumerate(places):
            node = self.nodes[number]
            if task.models and node.machine.model not in task.models:
                continue
            slot = next(one for one in node.slots if _bare(one[0]) == kind)
            node.slots.remove(slot)
            del places[at]
            self._take(node, task, slot[1])
            if kind != bare:
                self._full.clear()
            return number, slot[1]
        return None

    def _in_spare(self, task: Task) -> tuple[int, tuple[int, ...]] | None:
        """The tightest node whose spare room holds the pod."""
        best: tuple[tuple[int, int], int, tuple[int, ...]] | None = None
        for number, node in enumerate(self.nodes):
            if task.models and node.machine.model not in task.models:
                continue
            if node.cpu < task.cpu_milli or node.memory < task.memory_mib:
                continue
            cpu, memory, cards = node.spare()
            if cpu < task.cpu_milli or memory < task.memory_mib:
                continue
            able = sorted((left, c) for c, left in enumerate(cards) if left >= max(task.milli, 1))
            if len(able) < task.gpus:
                continue
            chosen = tuple(c for _, c in able[: task.gpus])
            key = (sum(left for left, _ in able[: task.gpus]) - task.gpu_milli, cpu)
            if best is None or key < best[0]:
                best = (key, number, chosen)
        if best is None:
            self._full[task] = True  # spare room only shrinks, until a slot is given away
            return None
        self._take(self.nodes[best[1]], task, best[2])
        return best[1], best[2]

    def _take(self, node: _Node, task: Task, cards: tuple[int, ...]) -> None:
        node.cpu -= task.cpu_milli
        node.memory -= task.memory_mib
        for card in cards:
            node.cards[card] -= task.milli


def _bare(task: Task) -> Task:
    """What the pod takes of a node, whatever models it may use."""
    return Task(task.cpu_milli, task.memory_mib, task.gpus, task.milli)


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
