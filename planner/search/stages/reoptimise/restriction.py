"""Whether one placement problem only takes away from another one.

If it does, every plan of the new problem is one of the old, and worth at least as much there, tier by tier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import zip_longest

import numpy as np

from planner.problem.domain_rooms import DomainRoom
from planner.problem.placement import Demand, IntArray, PlacementProblem, Standing
from planner.problem.spreads import Spread


def takes_away(
    old: PlacementProblem,
    new: PlacementProblem,
    stood: Sequence[Standing],
    stand: Sequence[Standing],
) -> bool:
    """Whether every plan of the new problem is one of the old, worth at least as much there, tier by tier."""
    if old.cards is not None or new.cards is not None or not _measure_alike(old, new):
        return False
    rows = {name: index for index, name in enumerate(old.node_names)}
    if old.dimensions != new.dimensions or not rows.keys() >= set(new.node_names):
        return False
    at = np.array([rows[name] for name in new.node_names], dtype=np.int64)
    if (new.free > old.free[at]).any() or (new.node_gpus != old.node_gpus[at]).any():
        return False
    if (new.node_has_gpu_pods != old.node_has_gpu_pods[at]).any():
        return False
    if not _share_alike(old, new):
        return False
    return _same_queues(old, new) and _same_gangs(old, new, at, (stood, stand))


def _measure_alike(old: PlacementProblem, new: PlacementProblem) -> bool:
    """GPUs have the same unit; where a gang has to stay together, domains hold the same nodes."""
    if (old.gpu_unit, old.gpu_scale) != (new.gpu_unit, new.gpu_scale):
        return False
    gathers = any(together(one) for problem in (old, new) for one in problem.demands)
    return not gathers or (old.node_names == new.node_names and old.topology == new.topology)


def _share_alike(old: PlacementProblem, new: PlacementProblem) -> bool:
    """What domains share, and pods that are to be spread evenly: a node less may leave more room for what is left."""
    if not (old.domain_rooms or new.domain_rooms or old.spreads or new.spreads):
        return True
    if old.node_names != new.node_names or not np.array_equal(old.requests, new.requests):
        return False
    pairs = (*_pairs(old.domain_rooms, new.domain_rooms), *_pairs(old.spreads, new.spreads))
    return all(
        one is not None
        and other is not None
        and all(
            np.array_equal(getattr(one, field.name), getattr(other, field.name))
            for field in fields(one)
        )
        for one, other in pairs
    )


def _pairs(
    old: Sequence[DomainRoom] | Sequence[Spread], new: Sequence[DomainRoom] | Sequence[Spread]
) -> Iterator[tuple[DomainRoom | Spread | None, DomainRoom | Spread | None]]:
    yield from zip_longest(old, new)


def together(demand: Demand) -> bool:
    """The gang or a part of it has to be, or wants to be, in one topology domain."""
    items = any(item.choices is not None for item in demand.items)
    subgroups = any(one.choices is not None for one in demand.subgroups)
    return bool(demand.gathered) or demand.choices is not None or items or subgroups


def _same_queues(old: PlacementProblem, new: PlacementProblem) -> bool:
    """Queues deserve and use the same, and none admits more."""
    if _by_name(old, old.deserved_milli_gpus) != _by_name(new, new.deserved_milli_gpus):
        return False
    if old.admission_room != new.admission_room:
        return False
    used = _by_name(old, old.running_gpus)
    if any(used.get(name, 0) != gpus for name, gpus in _by_name(new, new.running_gpus).items()):
        return False
    rooms = {old.queue_names[queue]: room for queue, room in old.queue_room.items()}
    for queue, room in new.queue_room.items():
        before = rooms.get(new.queue_names[queue])
        if before is None:
            return False
        limited = before >= 0
        if (room[limited] < 0).any() or (room[limited] > before[limited]).any():
            return False
    return True


def _by_name(problem: PlacementProblem, amounts: Mapping[int, int]) -> dict[str, int]:
    return {problem.queue_names[queue]: amount for queue, amount in amounts.items()}


def _same_gangs(
    old: PlacementProblem,
    new: PlacementProblem,
    at: IntArray,
    standing: tuple[Sequence[Standing], Sequence[Standing]],
) -> bool:
    """Every gang is as it was, stands where it stood, and its pods are admitted nowhere new."""
    stood, stand = standing
    before = {old.gang_names[one.gang]: one for one in old.demands}
    place = {
        old.gang_names[old.demands[one.demand].gang]: (one.tier_class, one.rank) for one in stood
    }
    for one in stand:
        name = new.gang_names[new.demands[one.demand].gang]
        if place.get(name) != (one.tier_class, one.rank):
            return False
    for demand in new.demands:
        earlier = before.get(new.gang_names[demand.gang])
        if earlier is None or not _same_demand(old, earlier, new, demand, at):
            return False
    return True


def same_needs(one: Demand, other: Demand) -> bool:
    """Two demands ask for the same in every respect but shapes, whose numbers differ from problem to problem."""

    def fields(demand: Demand) -> Demand:
        items = tuple(replace(item, shape=0) for item in demand.items)
        return replace(demand, gang=0, queue=0, queue_chain=(), items=items)

    return fields(one) == fields(other)


def _same_demand(
    old: PlacementProblem, earlier: Demand, new: PlacementProblem, demand: Demand, at: IntArray
) -> bool:
    before = {old.queue_names[queue] for queue in earlier.queue_chain}
    if before != {new.queue_names[queue] for queue in demand.queue_chain}:
        return False
    if not same_needs(earlier, demand):
        return False
    for a, b in zip(earlier.items, demand.items, strict=True):
        if (old.requests[a.shape] != new.requests[b.shape]).any():
            return False
        if (new.admits[b.shape] & ~old.admits[a.shape][at]).any():
            return False
    return True
