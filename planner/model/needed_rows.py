"""I7, a victim is needed: rows for what every such plan has in common.

A victim whose room no newcomer holds, on one of its nodes or in a queue that both are below, could stay. Where no
newcomer connects its nodes with those of the gangs that may evict it, these cannot have needed it. Whether what they
hold is enough, and who needed that, is left to the check of the plan. Where gangs wait in its own queue that may
reclaim, its leaving may be what entitles them: there is no row for it.

Sets: v losses (kinds of single pods per group, or gangs), s shapes, g groups, q queues, d dimensions.
Variables: e_v lost pods, x_sg placed pods, t_qd whether new pods use more of a queue than is free now.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from models.rules import RuleId
from planner.model.evictions import Evictions
from planner.model.rows import Formulation
from planner.model.variables import Terms
from planner.problem.victims import EACH_ALONE, VictimKind


def victim_needed(form: Formulation, evictions: Evictions) -> None:
    """``e_v <= most_v (sum of x_sg over its nodes and the shapes of newcomers + sum t_qd)``."""
    rows = _Rows(form, evictions)
    gangs: dict[int, list[tuple[int, int]]] = {}
    for kind, g in evictions.pods:
        one = evictions.victims.kinds[kind]
        if one.gang == EACH_ALONE:
            rows.alone(kind, g)
        else:
            gangs.setdefault(one.gang, []).append((kind, g))
    for gang, places in gangs.items():
        rows.gang(gang, places)


class _Rows:
    """The switches of queues, made where they are first asked for."""

    def __init__(self, form: Formulation, evictions: Evictions) -> None:
        self.form = form
        self.evictions = evictions
        self._switches: dict[tuple[int, int], int | None] = {}

    def alone(self, kind: int, g: int) -> None:
        """Pods that are gangs of their own: each needs its own node."""
        column, pods = self.evictions.pods[kind, g]
        group = self.form.groups[g]
        most = self.evictions.counts[kind, g]
        if group.size > 1:
            most = self._largest[kind, g]
        self._row([(column, pods)], most, [kind], [g])

    def gang(self, gang: int, places: list[tuple[int, int]]) -> None:
        """A gang: one of its nodes is enough."""
        lost = [self.evictions.pods[place] for place in places]
        kinds = list(dict.fromkeys(kind for kind, _ in places))
        most = self.evictions.victims.gangs[gang].running
        self._row(lost, most, kinds, dict.fromkeys(g for _, g in places))

    def _row(self, lost: Terms, most: int, kinds: list[int], groups: Iterable[int]) -> None:
        if any(self._entitles(kind) for kind in kinds):
            return
        classes = self.form.classes
        comers = [k for k, one in enumerate(classes) if not one.growing]
        shapes = {item.shape for k in comers for item in classes[k].example.items}
        spots = self.form.variables.spots.at
        columns = {
            zone.columns[g]: None
            for g in groups
            for shape in sorted(shapes)
            if (zone := spots.get((shape, g))) is not None
        }
        takers: Terms = [(column, -most) for column in columns]
        for kind in kinds:
            takers += [(switch, -most) for switch in self._in_queues(kind, comers)]
        self.form.model.at_most([*lost, *takers], 0, RuleId.VICTIM_NEEDED)
        self._part_row(lost, most, kinds, set(groups))

    def _part_row(self, lost: Terms, most: int, kinds: list[int], groups: set[int]) -> None:
        """The same for gangs that may evict it, anywhere in the part of the cluster that newcomers connect with it."""
        if self.form.problem.domain_rooms:
            return  # domains connect nodes too
        parts = {self._parts.get(g, -1) for g in groups}
        if len(set(self._parts.values()) | parts) == 1:
            return
        evictors = [
            k
            for k in range(len(self.form.classes))
            if any(self._may_evict(k, self.evictions.victims.kinds[kind]) for kind in kinds)
        ]
        shapes = {item.shape for k in evictors for item in self.form.classes[k].example.items}
        takers: Terms = [
            (column, -most)
            for shape in sorted(shapes)
            for column in {
                zone.columns[g]: None
                for (one, g), zone in self.form.variables.spots.at.items()
                if one == shape and self._parts.get(g, -1) in parts
            }
        ]
        for kind in kinds:
            takers += [(switch, -most) for switch in self._in_queues(kind, evictors)]
        self.form.model.at_most([*lost, *takers], 0, RuleId.VICTIM_NEEDED)

    @cached_property
    def _parts(self) -> dict[int, int]:
        """Group to its part: groups that pods of one waiting gang may use are in one part."""
        part: dict[int, int] = {}
        at: dict[int, set[int]] = {}
        for shape, g in self.form.variables.spots.at:
            at.setdefault(shape, set()).add(g)
        for one in self.form.classes:
            if one.growing:
                continue
            mine = set().union(*(at.get(item.shape, set()) for item in one.example.items))
            joined = {part[g] for g in mine if g in part}
            number = min(mine, default=-1)
            for g in {*mine, *(g for g, n in part.items() if n in joined)}:
                part[g] = number
        return part

    def _may_evict(self, k: int, victim: VictimKind) -> bool:
        victims, demand = self.evictions.victims, self.form.classes[k].demands[0]
        starter = victims.starters[demand]
        if self.form.classes[k].growing or not starter.causes:
            return False
        if self.form.problem.queue_names[self.form.classes[k].example.queue] == victim.queue:
            return victims.preempt and starter.priority > victim.priority
        common = not starter.asks.isdisjoint(victim.request)
        return victims.reclaim and victim.reclaimable and common

    @cached_property
    def _largest(self) -> dict[tuple[int, int], int]:
        """The most pods of a kind that one node of a group has."""
        group_of = {node: g for g, group in enumerate(self.form.groups) for node in group.nodes}
        found: dict[tuple[int, int], int] = {}
        for one in self.evictions.victims.pods:
            place = (one.kind, group_of.get(one.node, -1))
            found[place] = max(found.get(place, 0), len(one.names))
        return found

    def _entitles(self, kind: int) -> bool:
        """Some waiting gang may use what the queue of the victim deserves."""
        victims = self.evictions.victims
        if not victims.reclaim:
            return False
        queues = {
            level
            for one in self.form.classes
            if not one.growing and victims.starters[one.demands[0]].causes
            for level in victims.entitlement_levels[
                self.form.problem.queue_names[one.example.queue]
            ]
        }
        return victims.kinds[kind].queue in queues

    def _in_queues(self, kind: int, comers: Iterable[int]) -> list[int]:
        """Switches of the queues that the pod shares with newcomers, where more than what is free could be asked."""
        victims = self.evictions.victims
        one = victims.kinds[kind]
        shared = set(victims.queue_chains[one.queue])
        chains = {q for k in comers for q in self.form.classes[k].example.queue_chain}
        found = []
        for queue in sorted(shared & chains):
            for d, amount in enumerate(one.vector):
                switch = self._switch(queue, d) if amount else None
                if switch is not None:
                    found.append(switch)
        return found

    def _switch(self, queue: int, dimension: int) -> int | None:
        """t: ``sum request u >= (room + 1) t``; None where that cannot be."""
        key = (queue, dimension)
        if key in self._switches:
            return self._switches[key]
        problem = self.form.problem
        room = int(problem.queue_room[queue][dimension]) if queue in problem.queue_room else -1
        if room < 0:
            self._switches[key] = None
            return None
        terms: Terms = []
        for k, one in enumerate(self.form.classes):
            if queue in one.example.queue_chain:
                for i, item in enumerate(one.example.items):
                    amount = int(problem.requests[item.shape, dimension])
                    terms += self.form.variables.pods_of(k, i, amount) if amount else []
        most = sum(factor * self.form.model.upper[column] for column, factor in terms)
        excess = self.evictions.victims.queue_excess.get(queue)
        if excess is not None and int(excess[dimension]):
            room = 0
        if most <= room:
            self._switches[key] = None
            return None
        switch = self._switches[key] = self.form.model.variable(0, 1)
        self.form.model.at_least([*terms, (switch, -(room + 1))], 0, RuleId.VICTIM_NEEDED)
        return switch
