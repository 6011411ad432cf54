"""Placing one gang: up to its minimum at once, then pod by pod; an attempt that fails leaves no trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from models.placement import Placement
from models.snapshot import Snapshot
from planner.simulate.candidates import Candidate
from planner.simulate.homes import Home
from planner.simulate.queue_use import QueueUse
from planner.simulate.room import Room, Taken
from planner.simulate.shapes import Shapes
from planner.simulate.units import Unit, Units, needs_units, units_of


class Serving:
    """A gang while it is served; large GPU requests are tried first, they are the hardest to place.

    ``homes`` are the domains of which one must hold it; the one with the least room that will do is taken.
    """

    def __init__(
        self,
        candidate: Candidate,
        shapes: Shapes,
        room: Room,
        queues: QueueUse,
        homes: Sequence[Home] = (None,),
    ) -> None:
        self._homes = homes
        self._home: Home = homes[0] if len(homes) == 1 else None
        self.candidate = candidate
        self.queue = candidate.gang.queue
        self.need = candidate.need
        self._room, self._queues = room, queues
        self._shapes = [shapes.number(one, self.queue) for one in candidate.supplies]
        self._left = [one.count for one in candidate.supplies]
        self._role_need = dict(candidate.role_need)
        self._log: list[tuple[int, Taken]] = []
        self._kept: list[tuple[int, Taken]] = []
        self.started = False
        self._units: Units | None = units_of(candidate) if needs_units(candidate) else None
        self._order = sorted(
            range(len(self._left)), key=lambda one: -room.gpus_of(self._shapes[one])
        )

    @property
    def left(self) -> int:
        """Pods that may still be placed."""
        return sum(self._left)

    def holds(self) -> dict[str, int]:
        """Requests of its running and placed pods."""
        found: dict[str, int] = {}
        placed = ((self.candidate.supplies[i].spec, sum(n for _, n in t)) for i, t in self._kept)
        for spec, pods in (*((pod.spec, 1) for pod in self.candidate.running), *placed):
            for name, amount in spec.request.items():
                found[name] = found.get(name, 0) + pods * amount
        return found

    def start(self) -> bool:
        """Place the minimum, or nothing."""
        if self._hopeless():
            return False
        for home in self._by_room():
            self._home = home
            units = units_of(self.candidate) if self._units is not None else None
            done = self._place_minimum() if units is None else self._place_units(units)
            self._settle(done)
            if done:
                self._homes, self._units, self.started = (home,), units, True
                return True
        return False

    def _by_room(self) -> list[Home]:
        """Domains that hold enough pods, counted kind by kind; those with the least room first."""
        if any(home is None for home in self._homes):
            return [None]
        slots = {shape: self._room.slots(shape) for shape in set(self._shapes)}
        found: list[tuple[int, int]] = []
        for place, home in enumerate(self._homes):
            each = {shape: int(counts[home].sum()) for shape, counts in slots.items()}
            most = sum(
                min(left, each[shape]) for left, shape in zip(self._left, self._shapes, strict=True)
            )
            if most >= self.need:
                found.append((sum(each.values()), place))
        return [self._homes[place] for _, place in sorted(found)]

    def grow(self) -> bool:
        """Place one more pod (or one more unit of pods) of a ready gang."""
        if len(self._homes) != 1:
            return False
        if self._units is None:
            done = any(self._take(index, 1) for index in self._order)
        else:
            done = bool(self._take_open(1) or self._next_unit(self._units))
        self._settle(done)
        return done

    def placements(self, snapshot: Snapshot) -> Iterator[Placement]:
        """What was placed, pods by name as far as they exist."""
        used = [0] * len(self._left)
        for index, taken in self._kept:
            supply = self.candidate.supplies[index]
            for node, count in taken:
                names = supply.names[used[index] : used[index] + count]
                used[index] += count
                yield Placement(
                    gang=self.candidate.gang.full_name,
                    role=supply.role,
                    node=snapshot.nodes[node].name,
                    count=count,
                    names=names,
                )

    def _hopeless(self) -> bool:
        """Earlier attempts with the same shapes have shown that too few pods fit."""
        most = [
            min(left, self._room.bound(shape))
            for left, shape in zip(self._left, self._shapes, strict=True)
        ]
        if sum(most) < self.need:
            return True
        return any(
            sum(most[index] for index in self._of_role(role)) < need
            for role, need in self._role_need.items()
        )

    def _of_role(self, role: str) -> list[int]:
        return [index for index in self._order if self.candidate.supplies[index].role == role]

    def _place_minimum(self) -> bool:
        for role in sorted(self._role_need):
            for index in self._of_role(role):
                self._take(index, self._role_need[role])
            if self._role_need[role] > 0:
                return False
        for index in self._order:
            self._take(index, self.need)
        return self.need <= 0

    def _place_units(self, units: Units) -> bool:
        for policy, lacking in enumerate(units.lacking):
            while lacking > 0:
                completed = self._next_unit(units, policy)
                if not completed:
                    return False
                lacking -= completed
        while self._lacks():
            if not self._take_open(max(self.need, 1)) and not self._next_unit(units):
                return False
        return True

    def _lacks(self) -> bool:
        return self.need > 0 or any(need > 0 for need in self._role_need.values())

    def _take_open(self, count: int) -> int:
        """Single pods of open supplies, roles that still lack pods first."""
        opened = self._units.open if self._units else set()
        for index in self._order:
            role_need = self._role_need.get(self.candidate.supplies[index].role, 0)
            if index in opened and role_need > 0:
                taken = self._take(index, role_need)
                if taken:
                    return taken
        if any(need > 0 for need in self._role_need.values()):
            return 0
        return next((n for i in self._order if i in opened and (n := self._take(i, count))), 0)

    def _next_unit(self, units: Units, policy: int | None = None) -> int:
        """Place the next unit (of a policy) that fits, those that help a lacking role first.

        Returns the subgroups that it completes, at least 1; 0 where none fits.
        """
        for unit in sorted(units.waiting, key=lambda one: not self._helps(one)):
            if policy is not None and (unit.policy != policy or not unit.completes):
                continue
            units.waiting.remove(unit)
            if self._place_unit(unit):
                if unit.opens:
                    units.open |= set(unit.supplies)
                return max(unit.completes, 1)
        return 0

    def _helps(self, unit: Unit) -> bool:
        return any(
            self._role_need.get(self.candidate.supplies[index].role, 0) > 0
            for index in unit.supplies
        )

    def _place_unit(self, unit: Unit) -> bool:
        before, missing = len(self._log), unit.size
        order = [index for index in self._order if index in unit.supplies]
        for index in order:
            wanted = self._role_need.get(self.candidate.supplies[index].role, 0)
            missing -= self._take(index, min(wanted, missing))
        for index in order:
            missing -= self._take(index, missing)
        if missing:
            self._undo(before)
        return not missing

    def _take(self, index: int, count: int) -> int:
        shape = self._shapes[index]
        count = min(count, self._left[index])
        if count > 0:
            count = min(count, self._queues.count(self.queue, shape))
        if count <= 0:
            return 0
        taken = self._room.take(shape, count, tentative=bool(self._log), within=self._home)
        if not taken:
            return 0
        self._log.append((index, taken))
        return self._count(index, taken, 1)

    def _count(self, index: int, taken: Taken, sign: int) -> int:
        pods = sum(count for _, count in taken)
        self._left[index] -= sign * pods
        self.need -= sign * pods
        role = self.candidate.supplies[index].role
        if role in self._role_need:
            self._role_need[role] -= sign * pods
        self._queues.charge(self.queue, self._shapes[index], sign * pods)
        return pods

    def _undo(self, mark: int) -> None:
        while len(self._log) > mark:
            index, taken = self._log.pop()
            self._room.give_back(self._shapes[index], taken)
            self._count(index, taken, -1)

    def _settle(self, done: bool) -> None:
        if done:
            self._kept += self._log
            self._log = []
        else:
            self._undo(0)
