"""A victim is needed: without the newcomers that may not evict it, it would not fit back where it ran."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from planner.encode.victims.after_evictions import without
from planner.encode.victims.card_returns import cards_return
from planner.encode.victims.victim_causes import VictimCauses
from planner.problem.placement import IntArray, PlacementProblem
from planner.problem.victims import EACH_ALONE, VictimPods, Victims
from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import room_after

MOST_RETURNS = 2_000
"""Combinations of returning pods that are tried for a gang with subgroups."""

Evicted = tuple[VictimPods, int]
"""Pods of one kind on one node, and how many of them go."""


@dataclass(frozen=True, slots=True)
class Needless:
    """A victim that would fit back: its kind, and the demands that may evict it."""

    kind: int
    evictors: frozenset[int]


@dataclass(frozen=True, slots=True)
class Loss:
    """What one gang loses (pods that are gangs of their own: those of one kind and node), and who may evict it."""

    entries: list[Evicted]
    evictors: frozenset[int]


def losses(victims: Victims, assignment: Assignment, causes: VictimCauses) -> list[Loss]:
    """All losses of a plan."""
    gone = frozenset(assignment.evicted)
    pods = [(one, sum(name in gone for name in one.names)) for one in victims.pods]
    groups: dict[tuple[int, int], list[Evicted]] = {}
    for one, count in pods:
        if count:
            gang = victims.kinds[one.kind].gang
            key = (gang, len(groups)) if gang == EACH_ALONE else (gang, 0)
            groups.setdefault(key, []).append((one, count))
    evictors: dict[int, frozenset[int]] = {}
    for kind in causes.evicted:
        evictors[kind] = frozenset((*causes.preemptors(kind), *causes.reclaimers(kind)))
    return [
        Loss(entries, frozenset().union(*(evictors[one.kind] for one, _ in entries)))
        for entries in groups.values()
    ]


def needless_victim(
    problem: PlacementProblem,
    victims: Victims,
    assignment: Assignment,
    causes: VictimCauses,
) -> Needless | None:
    """The first victim that is not needed, None where all are."""
    loss = needless_loss(problem, victims, assignment, causes)
    return None if loss is None else Needless(loss.entries[0][0].kind, loss.evictors)


def needless_loss(
    problem: PlacementProblem,
    victims: Victims,
    assignment: Assignment,
    causes: VictimCauses,
) -> Loss | None:
    """The first loss of which something would fit back, None where there is none."""
    after = without(problem, victims, assignment.evicted)
    rooms: dict[frozenset[int], _Left] = {}
    for loss in losses(victims, assignment, causes):
        if loss.evictors not in rooms:
            rooms[loss.evictors] = _left(after, assignment, loss.evictors)
        if _returns(rooms[loss.evictors], victims, loss.entries) and cards_return(
            after, assignment, loss.evictors, _least(victims, loss.entries)
        ):
            return loss
    return None


def _least(victims: Victims, entries: list[Evicted]) -> list[Evicted]:
    """What returns at least: one of several gangs of one pod, else all pods of the gang."""
    alone = victims.kinds[entries[0][0].kind].gang == EACH_ALONE
    return [(entries[0][0], 1)] if alone else entries


def queue_fits(
    after: PlacementProblem, victims: Victims, assignment: Assignment, loss: Loss
) -> list[int]:
    """Per entry how many of its pods the queues would admit back, wherever the newcomers are."""
    left = _left(after, assignment, loss.evictors)
    free = _Left({}, left.queues)
    return [_fitting(free, victims, [entry]).get(0, 0) for entry in loss.entries]


@dataclass(frozen=True)
class _Left:
    """Room beside the evictors, where and for what they ask; -1 = nothing is asked for, so all fits."""

    nodes: dict[int, IntArray]
    queues: dict[int, IntArray]


def _left(after: PlacementProblem, assignment: Assignment, evictors: frozenset[int]) -> _Left:
    """What the evictors leave: the rules bind only where new pods ask for something."""
    staying = Assignment({d: items for d, items in assignment.pods.items() if d in evictors})
    room = room_after(after, staying)
    nodes: dict[int, IntArray] = {}
    queues: dict[int, IntArray] = {}
    for demand, items in staying.pods.items():
        one = after.demands[demand]
        for item, spots in items.items():
            asked = after.requests[one.items[item].shape] > 0
            for queue in one.queue_chain if spots else ():
                known = queues.setdefault(queue, np.full(len(asked), -1, dtype=np.int64))
                known[asked] = room.queues[queue][asked]
            for node, _ in spots:
                known = nodes.setdefault(node, np.full(len(asked), -1, dtype=np.int64))
                known[asked] = room.free[node][asked]
    return _Left(nodes, queues)


def _returns(room: _Left, victims: Victims, entries: list[Evicted]) -> bool:
    """Whether some of the pods fit back so that what is left of the gang is legal."""
    first = victims.kinds[entries[0][0].kind]
    if first.gang == EACH_ALONE:
        return bool(_fitting(room, victims, entries, most=1))
    gang = victims.gangs[first.gang]
    if gang.subgroups:
        return _some_return(room, victims, first.gang, entries)
    back = _fitting(room, victims, entries)
    lost = sum(count for _, count in entries)
    returned = sum(back.values())
    if not returned:
        return False
    if lost < gang.running or returned == lost:
        return True
    return _legal_loss(victims, first.gang, entries, back, lost - returned)


def _some_return(room: _Left, victims: Victims, number: int, entries: list[Evicted]) -> bool:
    """The same for a gang with subgroups: every number of pods per entry is tried, up to :data:`MOST_RETURNS`."""
    alone = [_fitting(room, victims, [entry]).get(0, 0) for entry in entries]
    total = 1
    for most in alone:
        total *= most + 1
    if total > MOST_RETURNS:
        return False
    for counts in itertools.product(*(range(most + 1) for most in alone)):
        back = [(one, n) for (one, _), n in zip(entries, counts, strict=True) if n]
        if not back:
            continue
        fitting = _fitting(room, victims, back)
        together = all(fitting.get(i, 0) == n for i, (_, n) in enumerate(back))
        left = [(one, lost - n) for (one, lost), n in zip(entries, counts, strict=True)]
        if together and _legal_subgroups(victims, number, left):
            return True
    return False


def _legal_subgroups(victims: Victims, number: int, lost: list[Evicted]) -> bool:
    """Whether a gang with subgroups may lose just these pods."""
    gang = victims.gangs[number]
    pods = sum(count for _, count in lost)
    if not pods:
        return True
    roles: Counter[str] = Counter()
    groups: Counter[int] = Counter()
    for one, count in lost:
        roles[victims.kinds[one.kind].role] += count
        groups.update(dict.fromkeys(victims.kinds[one.kind].subgroups, count))
    if pods > min(gang.surplus, gang.running - 1):
        return False
    if any(roles[role] > spare for role, spare in gang.role_surplus.items()):
        return False
    complete: Counter[int] = Counter()
    for place, group in enumerate(gang.subgroups):
        left = group.running - groups[place]
        if 0 < left < group.size and groups[place]:
            return False
        complete[group.policy] += left >= group.size
    return all(complete[policy] >= least for policy, least in enumerate(gang.min_subgroups))


def _legal_loss(
    victims: Victims, number: int, entries: list[Evicted], back: Mapping[int, int], lost: int
) -> bool:
    """Whether a gang that was given up could have lost only what does not fit back."""
    gang = victims.gangs[number]
    if lost > gang.surplus:
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
    room: _Left, victims: Victims, entries: list[Evicted], most: int | None = None
) -> dict[int, int]:
    """Entry to how many of its pods fit back on their nodes and in their queues, one entry after the other."""
    touched = {one.node for one, _ in entries}
    nodes = {node: room.nodes[node].copy() for node in touched if node in room.nodes}
    queues = {queue: amounts.copy() for queue, amounts in room.queues.items()}
    found: dict[int, int] = {}
    for index, (one, count) in enumerate(entries):
        kind = victims.kinds[one.kind]
        vector = np.array(kind.vector, dtype=np.int64)
        places = [queues[q] for q in victims.queue_chains[kind.queue] if q in queues]
        if one.node in nodes:
            places.append(nodes[one.node])
        wanted = count if most is None else min(count, most)
        fit = min(wanted, *(_copies(place, vector) for place in places), wanted)
        if fit > 0:
            found[index] = fit
            for place in places:
                place[place >= 0] -= (vector * fit)[place >= 0]
    return found


def _copies(room: IntArray, vector: IntArray) -> int:
    """How many of these requests fit; negative room is without limit."""
    asked = (vector > 0) & (room >= 0)
    if not asked.any():
        return int(np.iinfo(np.int64).max)
    return int((room[asked] // vector[asked]).min())
