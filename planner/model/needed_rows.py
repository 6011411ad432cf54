"""I7, a victim is needed: rows for what every such plan has in common.

A victim does not fit back only where gangs that may evict it hold its room: on one of its nodes, or in a queue that
both are below. Which of several gangs a pod belongs to, and whether what it holds is enough, is left to the check of
the plan, so the rows forbid no legal plan.

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
    """``e_v <= most_v (sum of x_sg over its nodes and the shapes of its evictors + sum t_qd)``."""
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
    """Evictors by what decides about them, and the switches of queues."""

    def __init__(self, form: Formulation, evictions: Evictions) -> None:
        self.form = form
        self.evictions = evictions
        self._classes: dict[tuple[str, int, bool, frozenset[str]], list[int]] = {}
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
        evictors = {k for kind in kinds for k in self._evictors(kind)}
        shapes = {item.shape for k in evictors for item in self.form.classes[k].example.items}
        spots = self.form.variables.spots.at
        columns = {
            zone.columns[g]: None
            for g in groups
            for shape in sorted(shapes)
            if (zone := spots.get((shape, g))) is not None
        }
        takers: Terms = [(column, -most) for column in columns]
        for kind in kinds:
            takers += [(switch, -most) for switch in self._in_queues(kind, evictors)]
        self.form.model.at_most([*lost, *takers], 0, RuleId.VICTIM_NEEDED)

    @cached_property
    def _largest(self) -> dict[tuple[int, int], int]:
        """The most pods of a kind that one node of a group has."""
        group_of = {node: g for g, group in enumerate(self.form.groups) for node in group.nodes}
        found: dict[tuple[int, int], int] = {}
        for one in self.evictions.victims.pods:
            place = (one.kind, group_of.get(one.node, -1))
            found[place] = max(found.get(place, 0), len(one.names))
        return found

    def _evictors(self, kind: int) -> list[int]:
        """Classes that may evict pods of the kind, entitled or not."""
        one = self.evictions.victims.kinds[kind]
        key = (one.queue, one.priority, one.reclaimable, frozenset(one.request))
        if key not in self._classes:
            self._classes[key] = [
                k for k in range(len(self.form.classes)) if self._may_evict(k, one)
            ]
        return self._classes[key]

    def _may_evict(self, k: int, victim: VictimKind) -> bool:
        victims, demand = self.evictions.victims, self.form.classes[k].demands[0]
        starter = victims.starters[demand]
        if self.form.classes[k].growing or not starter.causes:
            return False
        if self.form.problem.queue_names[self.form.classes[k].example.queue] == victim.queue:
            return victims.preempt and starter.priority > victim.priority
        common = not starter.asks.isdisjoint(victim.request)
        return victims.reclaim and victim.reclaimable and common

    def _in_queues(self, kind: int, evictors: Iterable[int]) -> list[int]:
        """Switches of the queues that the pod shares with evictors, where more than what is free could be asked."""
        victims = self.evictions.victims
        one = victims.kinds[kind]
        shared = set(victims.queue_chains[one.queue])
        chains = {q for k in evictors for q in self.form.classes[k].example.queue_chain}
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
