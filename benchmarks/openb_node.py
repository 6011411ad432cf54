"""A node of mode A: what is free beside its open slots, and the slots given away for a pod at the least loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.openb_check import WHOLE
from benchmarks.openb_lists import Machine, Task

Slot = tuple[Task, tuple[int, ...]]
"""The pod that a place is kept for, and its cards."""
_MIB_PER_CPU = 4
"""MiB that count as one milli-CPU where both are short: about what the nodes have."""


@dataclass(frozen=True, slots=True)
class Instead:
    """Slots (by place) that a pod takes the room of, its cards, and the GPU-milli expected to be lost by that."""

    loss: float
    slots: tuple[int, ...]
    cards: tuple[int, ...]


@dataclass
class NodeState:
    """Free amounts beside the slots: milli-CPU, MiB and thousandths of each card."""

    machine: Machine
    cpu: int
    memory: int
    cards: list[int]
    slots: list[Slot] = field(default_factory=list)

    @classmethod
    def with_slots(cls, machine: Machine, slots: Iterable[Slot]) -> NodeState:
        """An empty node on which places are kept."""
        node = cls(machine, machine.cpu_milli, machine.memory_mib, [WHOLE] * machine.gpus)
        for task, cards in slots:
            node.slots.append((task, cards))
            node.take(task, cards)
        return node

    def admits(self, task: Task) -> bool:
        """Whether the pod may use this model and has so many cards here."""
        models = task.models
        return task.gpus <= len(self.cards) and (not models or self.machine.model in models)

    def take(self, task: Task, cards: Iterable[int]) -> None:
        """Use free amounts for a pod."""
        self.cpu -= task.cpu_milli
        self.memory -= task.memory_mib
        for card in cards:
            self.cards[card] -= task.milli

    def release(self, place: int) -> Slot:
        """Give a slot's room back to what is free."""
        task, cards = self.slots.pop(place)
        self.cpu += task.cpu_milli
        self.memory += task.memory_mib
        for card in cards:
            self.cards[card] += task.milli
        return task, cards

    def fullest(self, task: Task) -> tuple[tuple[int, ...], int] | None:
        """Cards that hold the pod now, the fullest first, and the thousandths that stay free on them."""
        if self.cpu < task.cpu_milli or self.memory < task.memory_mib:
            return None
        able = sorted((free, c) for c, free in enumerate(self.cards) if free >= max(task.milli, 1))
        if len(able) < task.gpus:
            return None
        chosen = able[: task.gpus]
        return tuple(c for _, c in chosen), sum(free for free, _ in chosen) - task.gpu_milli

    def instead(self, task: Task, worth: Callable[[Task], float], limit: float) -> Instead | None:
        """The slots of least worth found whose room the pod needs; None if they are worth ``limit`` or more."""
        losses = [worth(kept) for kept, _ in self.slots]
        found = self._cards_for(task, losses, limit)
        if found is None:
            return None
        cards, gone = found
        if not self._enough_beside(task, losses, gone):
            return None
        loss = sum(losses[place] for place in gone)
        return Instead(loss, tuple(sorted(gone)), cards) if loss < limit else None

    def _cards_for(
        self, task: Task, losses: Sequence[float], limit: float
    ) -> tuple[tuple[int, ...], set[int]] | None:
        """The cheapest cards to clear, each by itself, and the slots that go; whole slots of several cards last."""
        options = []
        for card, free in enumerate(self.cards):
            gone = self._cleared(card, task.milli - free, losses)
            cost = None if gone is None else sum(losses[place] for place in gone)
            if gone is not None and cost is not None and cost < limit:
                options.append((cost, free, card, gone))
        if len(options) < task.gpus:
            return None
        options.sort(key=lambda one: one[:3])
        chosen = options[: task.gpus]
        gone = {place for _, _, _, places in chosen for place in places}
        cards = tuple(card for _, _, card, _ in chosen)
        return self._freed_together(task, gone) or (cards, gone)

    def _cleared(self, card: int, need: int, losses: Sequence[float]) -> tuple[int, ...] | None:
        """Slots of a card that free so many thousandths: one alone, or several by their worth."""
        if need <= 0:
            return ()
        there = [place for place, (_, cards) in enumerate(self.slots) if card in cards]
        if sum(self.slots[place][0].milli for place in there) < need:
            return None
        alone = [place for place in there if self.slots[place][0].milli >= need]
        several, freed = [], 0
        for place in sorted(there, key=lambda one: losses[one] / self.slots[one][0].milli):
            several.append(place)
            freed += self.slots[place][0].milli
            if freed >= need:
                break
        ways = [(place,) for place in alone] + [tuple(several)]
        return min(ways, key=lambda places: sum(losses[place] for place in places))

    def _freed_together(
        self, task: Task, gone: set[int]
    ) -> tuple[tuple[int, ...], set[int]] | None:
        """Cards that a few of the slots free together: one slot of two cards serves a pod of two."""
        if task.gpus < 2:
            return None
        freed = {card: self.cards[card] for place in gone for card in self.slots[place][1]}
        for place in gone:
            for card in self.slots[place][1]:
                freed[card] += self.slots[place][0].milli
        cards = tuple(sorted(card for card, free in freed.items() if free >= task.milli))
        if len(cards) < task.gpus:
            return None
        cards = cards[: task.gpus]
        needed = {place for place in gone if set(cards) & set(self.slots[place][1])}
        return cards, needed

    def _enough_beside(self, task: Task, losses: Sequence[float], gone: set[int]) -> bool:
        """Let further slots go until CPU and memory suffice, then keep those that need not; False if they never do."""
        freed = [self.slots[place][0] for place in gone]
        cpu = task.cpu_milli - self.cpu - sum(one.cpu_milli for one in freed)
        memory = task.memory_mib - self.memory - sum(one.memory_mib for one in freed)
        lack_cpu, lack_memory = max(cpu, 0), max(memory, 0)

        def per_use(place: int) -> float:
            one = self.slots[place][0]
            gained = min(one.cpu_milli, lack_cpu) + min(one.memory_mib, lack_memory) / _MIB_PER_CPU
            return losses[place] / max(gained, 1.0)

        further = []
        for place in sorted(set(range(len(self.slots))) - gone, key=per_use):
            if cpu <= 0 and memory <= 0:
                break
            further.append(place)
            cpu -= self.slots[place][0].cpu_milli
            memory -= self.slots[place][0].memory_mib
        if cpu > 0 or memory > 0:
            return False
        for place in sorted(further, key=lambda one: -losses[one]):
            one = self.slots[place][0]
            if cpu + one.cpu_milli <= 0 and memory + one.memory_mib <= 0:
                further.remove(place)
                cpu += one.cpu_milli
                memory += one.memory_mib
        gone.update(further)
        return True
