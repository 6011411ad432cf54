"""A victim is needed: without the newcomers that may not evict it, it would not fit back where it ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from planner.prepare.disaggregate import Assignment
from planner.prepare.fill import room_after
from planner.prepare.fit import Room
from planner.prepare.victim_causes import VictimCauses
from planner.prepare.without import without
from planner.problem.placement import IntArray, PlacementProblem
from planner.problem.victims import EACH_ALONE, VictimPods, Victims

Evicted = tuple[VictimPods, int]
"""Pods of one kind on one node, and how many of them go."""


@dataclass(frozen=True, slots=True)
class Needless:
    """A victim that would fit back: its kind, and the demands that may evict it."""

    kind: int
    evictors: frozenset[int]


def needless_victim(
    problem: PlacementProblem,
    victims: Victims,
    assignment: Assignment,
    causes: VictimCauses,
) -> Needless | None:
    """The first victim that is not needed, None where all are."""
    gone = frozenset(assignment.evicted)
    pods = [(one, sum(name in gone for name in one.names)) for one in victims.pods]
    lost = [(one, count) for one, count in pods if count]
    after = without(problem, victims, assignment.evicted)
    rooms: dict[frozenset[int], Room] = {}
    gangs: dict[int, list[Evicted]] = {}
    for entry in lost:
        kind = victims.kinds[entry[0].kind]
        if kind.gang != EACH_ALONE:
            gangs.setdefault(kind.gang, []).append(entry)
    alone = [entry for entry in lost if victims.kinds[entry[0].kind].gang == EACH_ALONE]
    for entries in [*([entry] for entry in alone), *gangs.values()]:
        evictors = frozenset(
            one
            for entry in entries
            for one in (*causes.preemptors(entry[0].kind), *causes.reclaimers(entry[0].kind))
        )
        if evictors not in rooms:
            rooms[evictors] = _room(after, assignment, evictors)
        if _returns(rooms[evictors], victims, entries):
            return Needless(entries[0][0].kind, evictors)
    return None


def _room(after: PlacementProblem, assignment: Assignment, evictors: frozenset[int]) -> Room:
    """Room beside the evictors and the gangs that ran before."""
    staying = {
        demand: items
        for demand, items in assignment.pods.items()
        if demand in evictors or after.demands[demand].ready
    }
    return room_after(after, Assignment(staying))


def _returns(room: Room, victims: Victims, entries: list[Evicted]) -> bool:
    """Whether some of the pods fit back so that what is left of the gang is legal."""
    first = victims.kinds[entries[0][0].kind]
    if first.gang == EACH_ALONE:
        return bool(_fitting(room, victims, entries, most=1))
    gang = victims.gangs[first.gang]
    back = _fitting(room, victims, entries)
    lost = sum(count for _, count in entries)
    returned = sum(back.values())
    if not returned:
        return False
    if lost < gang.running or returned == lost:
        return not gang.subgroups or returned == lost
    return _legal_loss(victims, first.gang, entries, back, lost - returned)


def _legal_loss(
    victims: Victims, number: int, entries: list[Evicted], back: Mapping[int, int], lost: int
) -> bool:
    """Whether a gang that was given up could have lost only what does not fit back."""
    gang = victims.gangs[number]
    if lost > gang.surplus or gang.subgroups:
        return False
    for role, spare in gang.role_surplus.items():
        gone = sum(
            count - back.get(index, 0)
            for index, (one, count) in enumerate(entries)
            if victims.kinds[one.kind].role == role
        )
        if gone > spare:
            return False
    return True


def _fitting(
    room: Room, victims: Victims, entries: list[Evicted], most: int | None = None
) -> dict[int, int]:
    """Entry to how many of its pods fit back on their nodes and in their queues, one entry after the other."""
    free: dict[int, IntArray] = {}
    queues = {queue: amounts.copy() for queue, amounts in room.queues.items()}
    found: dict[int, int] = {}
    for index, (one, count) in enumerate(entries):
        kind = victims.kinds[one.kind]
        vector = np.array(kind.vector, dtype=np.int64)
        node = free.setdefault(one.node, room.free[one.node].copy())
        chain = [queues[q] for q in victims.queue_chains[kind.queue] if q in queues]
        wanted = count if most is None else min(count, most)
        fit = min(wanted, _copies(node, vector), *(_copies(q, vector, limit=True) for q in chain))
        if fit > 0:
            found[index] = fit
            node -= vector * fit
            for q in chain:
                q[q >= 0] -= (vector * fit)[q >= 0]
    return found


def _copies(room: IntArray, vector: IntArray, *, limit: bool = False) -> int:
    """How many of these requests fit; ``limit``: negative room is none at all."""
    asked = (vector > 0) & (room >= 0) if limit else vector > 0
    if not asked.any():
        return int(np.iinfo(np.int64).max)
    return int((room[asked] // vector[asked]).min())


def kinds_caused_by(
    causes: VictimCauses, kinds: Iterable[int], evictors: frozenset[int]
) -> list[int]:
    """Evicted kinds that only these demands may evict."""
    return [
        kind
        for kind in kinds
        if evictors.issuperset((*causes.preemptors(kind), *causes.reclaimers(kind)))
    ]
