"""Whether one placement problem only takes away from another one.

If it does, every plan of the new problem is one of the old, and worth at least as much there, tier by tier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from planner.problem.placement import Demand, IntArray, PlacementProblem, Standing


def takes_away(
    old: PlacementProblem,
    new: PlacementProblem,
    stood: Sequence[Standing],
    stand: Sequence[Standing],
) -> bool:
    """Whether every plan of the new problem is one of the old, worth at least as much there, tier by tier."""
    rows = {name: index for index, name in enumerate(old.node_names)}
    if old.dimensions != new.dimensions or not rows.keys() >= set(new.node_names):
        return False
    at = np.array([rows[name] for name in new.node_names], dtype=np.int64)
    if (new.free > old.free[at]).any() or (new.node_gpus != old.node_gpus[at]).any():
        return False
    if (new.node_has_gpu_pods != old.node_has_gpu_pods[at]).any():
        return False
    return _same_queues(old, new) and _same_gangs(old, new, at, (stood, stand))


def _same_queues(old: PlacementProblem, new: PlacementProblem) -> bool:
    """Queues deserve and use the same, and none admits more."""
    if _by_name(old, old.deserved_milli_gpus) != _by_name(new, new.deserved_milli_gpus):
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


def _same_demand(
    old: PlacementProblem, earlier: Demand, new: PlacementProblem, demand: Demand, at: IntArray
) -> bool:
    def needs(one: Demand) -> tuple[object, ...]:
        rules = (one.need, one.role_need, one.subgroups, one.min_subgroups, one.gpus)
        return (one.ready, *rules, one.minimum, len(one.items))

    chains = (
        {problem.queue_names[queue] for queue in one.queue_chain}
        for problem, one in ((old, earlier), (new, demand))
    )
    if needs(earlier) != needs(demand) or len({frozenset(chain) for chain in chains}) > 1:
        return False
    for a, b in zip(earlier.items, demand.items, strict=True):
        same = (a.role, a.count, a.step, a.names, a.subgroup) == (
            b.role,
            b.count,
            b.step,
            b.names,
            b.subgroup,
        )
        if not same or (old.requests[a.shape] != new.requests[b.shape]).any():
            return False
        if (new.admits[b.shape] & ~old.admits[a.shape][at]).any():
            return False
    return True
