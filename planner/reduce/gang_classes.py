"""Interchangeable gangs as one class, and back (apply / invert)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from planner.problem.placement import Demand, PlacementProblem, Standing
from planner.reduce.partition import gathers_exactly

RankKind = tuple[str, int]
"""Class and rank."""
_CLASSES = ("covered", "rest", "all")


def in_tier_order(kinds: Iterable[RankKind], *, cluster_scope: bool) -> list[RankKind]:
    """Classes and ranks, each once, highest first; in cluster scope ranks go before classes."""

    def place(kind: RankKind) -> tuple[int, int]:
        side, rank = _CLASSES.index(kind[0]), kind[1]
        return (rank, side) if cluster_scope else (side, rank)

    return sorted(dict.fromkeys(kinds), key=place)


@dataclass(frozen=True, slots=True)
class GangClass:
    """Gangs that are the same for every rule and tier.

    Attributes
    ----------
    demands
        Indices into ``problem.demands``, in the order in which they start: creation, then name.
    tier_class, rank
        Their standing; gangs that run already and may only grow have the class "".
    grows_in
        Class in which their elastic pods count, with their rank.
    """

    demands: tuple[int, ...]
    example: Demand
    tier_class: str = ""
    rank: int = 0
    grows_in: str = "rest"

    @property
    def size(self) -> int:
        """Number of gangs."""
        return len(self.demands)

    @property
    def growing(self) -> bool:
        """Its gangs run already; their further pods are elastic."""
        return self.example.ready

    @property
    def most_elastic(self) -> int:
        """Pods beyond the minimum that one of its gangs can receive at most."""
        items = self.example.items
        most = sum(item.count // item.step * item.step for item in items)
        return most if self.growing else most - self.example.minimum[-1]


def gang_classes(
    problem: PlacementProblem,
    standings: Sequence[Standing],
    *,
    aggregate: bool = True,
    apart: Collection[int] = (),
) -> tuple[GangClass, ...]:
    """Classes of the startable gangs and of the running ones that can grow; others take no part.

    Demands in ``apart`` (gangs that may lose pods as well) make a class each, and so do those whose domains the model
    counts one by one.
    """
    standing = {one.demand: one for one in standings}
    counted = gathers_exactly(problem)
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, demand in enumerate(problem.demands):
        if index not in standing:
            continue
        place = standing[index]
        alone = not aggregate or demand.grouped or _partitioned(demand) or index in apart
        alone = alone or (counted and bool(demand.gathered))
        key: tuple[object, ...] = (index,) if alone else _key(demand)
        label = (place.tier_class, place.rank, place.grows_in)
        groups.setdefault((*label, *key), []).append(index)
    found = []
    for members in groups.values():
        members.sort(key=lambda one: problem.gang_order[problem.demands[one].gang])
        example = problem.demands[members[0]]
        place = standing[members[0]]
        found.append(
            GangClass(tuple(members), example, place.tier_class, place.rank, place.grows_in)
        )
    return tuple(found)


def _partitioned(demand: Demand) -> bool:
    """Its pods come in multiples: sums over a class of such gangs need not split (3 pods in twos are 4)."""
    return any(item.step > 1 for item in demand.items)


def _key(demand: Demand) -> tuple[object, ...]:
    items = tuple((item.role, item.shape, item.count, item.step) for item in demand.items)
    together = (demand.choices, demand.gathered)
    asked = (demand.queue, demand.ready, demand.need, demand.role_need, demand.admission)
    return (*asked, items, together)


def split_pods(gang_class: GangClass, started: int, pods: Sequence[int]) -> list[dict[int, int]]:
    """Invert a class: per started gang (in order) the pods of each item, from the class's sums.

    ``pods`` holds the pods per item over all started gangs (running gangs all take part). The sums satisfy the rows
    of the class, whose polytope has the integer decomposition property (box bounds, lower bounds on the laminar
    family of roles and total), so a split exists; it is found by giving every gang its minima first.
    """
    members = gang_class.size if gang_class.growing else started
    left = list(pods)
    splits: list[dict[int, int]] = [{} for _ in range(members)]
    demand = gang_class.example
    for position, split in enumerate(splits):
        _take_minimum(demand, split, left, members - position)
    for split in splits:
        for index, item in enumerate(demand.items):
            take = min(item.count // item.step * item.step - split.get(index, 0), left[index])
            if take > 0:
                split[index] = split.get(index, 0) + take
                left[index] -= take
    if any(left):
        raise ArithmeticError(f"{sum(left)} pods of a class belong to no gang")
    return splits


def _take_minimum(demand: Demand, split: dict[int, int], left: list[int], gangs_left: int) -> None:
    """Role minima, then the number needed.

    No item may be left with more than the gangs that follow can take, nor a role with too little for them.
    """
    capacity = [item.count // item.step * item.step for item in demand.items]
    for index, item in enumerate(demand.items):
        excess = left[index] - capacity[index] * (gangs_left - 1)
        if excess > capacity[index]:
            raise ArithmeticError(f"{excess - capacity[index]} pods of a class belong to no gang")
        if excess > 0:
            _move(split, left, index, -(-excess // item.step) * item.step)
    role_need: Mapping[str, int] = dict(demand.role_need)
    for role, need in role_need.items():
        have = sum(count for index, count in split.items() if demand.items[index].role == role)
        _fill(demand, split, left, capacity, need - have, role)
    _fill(demand, split, left, capacity, demand.need - sum(split.values()), None, gangs_left)


def _fill(
    demand: Demand,
    split: dict[int, int],
    left: list[int],
    capacity: list[int],
    missing: int,
    role: str | None,
    gangs_left: int = 1,
) -> None:
    """Take missing pods; beyond the role minima first where the most is left over the other gangs' needs."""
    role_need = dict(demand.role_need)
    while missing > 0:
        options = [
            index
            for index, item in enumerate(demand.items)
            if (role is None or item.role == role)
            and left[index] > 0
            and split.get(index, 0) < capacity[index]
        ]
        if not options:
            raise ArithmeticError("too few pods to make the gangs of a class ready")
        if role is None:
            spare = {i: _spare(demand, left, role_need, i, gangs_left - 1) for i in options}
            index = max(options, key=lambda one: (spare[one], -one))
        else:
            index = max(options, key=lambda one: (left[one], -one))
        step = demand.items[index].step
        _move(split, left, index, step)
        missing -= step


def _spare(
    demand: Demand, left: list[int], role_need: Mapping[str, int], index: int, gangs_after: int
) -> int:
    """Pods of an item's role that the gangs which follow do not need for their role minimum."""
    role = demand.items[index].role
    total = sum(left[i] for i, item in enumerate(demand.items) if item.role == role)
    return total - role_need.get(role, 0) * gangs_after


def _move(split: dict[int, int], left: list[int], index: int, count: int) -> None:
    split[index] = split.get(index, 0) + count
    left[index] -= count
