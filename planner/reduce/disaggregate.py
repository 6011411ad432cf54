"""Back from groups and classes to pods on nodes (invert)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.capacity.fit import Placed, Room
from planner.problem.placement import PlacementProblem
from planner.reduce.gang_classes import GangClass, split_pods
from planner.reduce.node_groups import NodeGroup
from planner.reduce.partition import bound_inside

ExactPack = Callable[
    [PlacementProblem, Sequence[int], Mapping[int, int], int | None], list[Placed] | None
]
"""Packs pods per shape onto nodes by search, GPU pods on at most so many of them; None if it found no packing."""


@dataclass(frozen=True)
class GroupPacking:
    """Pods placed on concrete nodes, and what did not pack.

    Attributes
    ----------
    failed
        Groups whose pods did not all pack, or not on as few nodes as the model says.
    missing
        Shape to pods without a node.
    """

    placed: tuple[Placed, ...]
    failed: tuple[int, ...]
    missing: Mapping[int, int]


def pack_groups(
    problem: PlacementProblem,
    groups: Sequence[NodeGroup],
    counts: Mapping[int, Mapping[int, int]],
    exact: ExactPack | None,
    gpu_nodes: Mapping[int, int] | None = None,
) -> GroupPacking:
    """Pack every group's pods onto its nodes: tight greedy first, then by search; leftovers go anywhere.

    The room of other groups is used for what does not pack, so a failed group need not cost a pod. ``gpu_nodes`` says
    per group on how many nodes its GPU pods have to fit.
    """
    room = Room(replace(problem, spreads=()))  # a solution is even as a whole, not pod by pod
    placed: list[Placed] = []
    failed: list[int] = []
    left: dict[int, int] = {}
    for index in sorted(counts):
        limit = (gpu_nodes or {}).get(index)
        found = _pack(problem, room, groups[index].nodes, counts[index], limit, exact)
        if found is None or (limit is not None and _gpu_nodes(problem, found) > limit):
            failed.append(index)
        if found is None:
            found = _pack_part(room, groups[index].nodes, counts[index], left)
        placed.extend(found)
    missing = _place_anywhere(room, placed, left)
    return GroupPacking(tuple(placed), tuple(failed), missing)


def _gpu_nodes(problem: PlacementProblem, placed: Sequence[Placed]) -> int:
    """Nodes that receive GPU pods."""
    return len({one.node for one in placed if problem.shape_gpus[one.shape] > 0})


def _pack(
    problem: PlacementProblem,
    room: Room,
    nodes: Sequence[int],
    counts: Mapping[int, int],
    limit: int | None,
    exact: ExactPack | None,
) -> list[Placed] | None:
    """A packing of all pods, on few nodes where that can be had; None if none was found.

    On one node only shared cards leave something to search: pods of one shape choose theirs before the next come.
    """
    with room.only(nodes):
        found = room.place(counts)
    good = found is not None and (limit is None or _gpu_nodes(problem, found) <= limit)
    if good or exact is None or (len(nodes) == 1 and problem.cards is None):
        return found
    searched = exact(problem, nodes, counts, limit)
    if searched is None:
        return found
    if found is not None:
        room.undo(found)
    room.take(searched)
    return searched


def _pack_part(
    room: Room, nodes: Sequence[int], counts: Mapping[int, int], left: dict[int, int]
) -> list[Placed]:
    """As many pods as the greedy walk packs; the others are added to ``left``."""
    placed: list[Placed] = []
    with room.only(nodes):
        for shape in room.by_size(counts):
            wanted = counts[shape]
            found = room.place_up_to(shape, wanted)
            placed.extend(found)
            short = wanted - sum(one.count for one in found)
            if short:
                left[shape] = left.get(shape, 0) + short
    return placed


def _place_anywhere(room: Room, placed: list[Placed], left: Mapping[int, int]) -> dict[int, int]:
    missing: dict[int, int] = {}
    for shape in room.by_size(left):
        found = room.place_up_to(shape, left[shape])
        placed.extend(found)
        short = left[shape] - sum(one.count for one in found)
        if short:
            missing[shape] = short
    return missing


@dataclass
class Assignment:
    """Pods of gangs on nodes: ``pods[demand][item]`` lists (node, count); ``evicted`` names running pods that go."""

    pods: dict[int, dict[int, list[tuple[int, int]]]]
    evicted: tuple[str, ...] = ()

    def copy(self) -> Assignment:
        """An assignment of its own, to be changed without changing this one."""
        return Assignment(
            {
                demand: {item: list(spots) for item, spots in items.items()}
                for demand, items in self.pods.items()
            },
            self.evicted,
        )

    def placed(self, problem: PlacementProblem) -> list[Placed]:
        """All pods by shape and node."""
        return [
            Placed(problem.demands[demand].items[item].shape, node, count)
            for demand, items in self.pods.items()
            for item, spots in items.items()
            for node, count in spots
        ]


@dataclass(frozen=True, slots=True)
class RegionShare:
    """What a class receives in one region: ``gangs`` as a whole, or (-1) a part of its only gang's pods.

    ``pods`` is per item; the nodes of two regions are disjoint or nested.
    """

    nodes: frozenset[int]
    gangs: int
    pods: tuple[int, ...]


@dataclass
class _Wanted:
    """Pods per item that one gang is to receive, apart by region (None = anywhere)."""

    demand: int
    parts: list[tuple[dict[int, int], frozenset[int] | None]]

    @property
    def width(self) -> int:
        """Nodes of the narrowest region; gangs that may go anywhere come last."""
        sizes = [len(nodes) for _, nodes in self.parts if nodes is not None]
        return min(sizes, default=1 << 62)


def assign_gangs(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    started: Sequence[int],
    pods: Sequence[Sequence[int]],
    packing: GroupPacking,
    shares: Mapping[int, Sequence[RegionShare]] | None = None,
) -> Assignment:
    """Give the placed pods to gangs: higher tiers first, in starting order, neighbours to the same gang.

    Where pods are missing, elastic ones yield first; a gang whose minimum cannot be served receives nothing. Gangs
    that are bound to a region are served from it, before others take its pods.
    """
    pool = _Pool(packing.placed)
    order = sorted(range(len(classes)), key=lambda k: _tier_order(classes[k]))
    wanted: list[_Wanted] = []
    for k in order:
        if shares and k in shares:
            wanted += _in_regions(classes[k], shares[k])
            continue
        if classes[k].example.choices is not None or bound_inside(classes[k].example):
            continue  # nothing says which domain: they are placed afterwards, one by one
        splits = split_pods(classes[k], started[k], pods[k])
        members = classes[k].demands[: len(splits)]
        wanted += [_Wanted(d, [(one, None)]) for d, one in zip(members, splits, strict=True) if one]
    short = dict(packing.missing)
    if short:
        wanted = _yield_elastic(problem, wanted, short)
    found: dict[int, dict[int, list[tuple[int, int]]]] = {}
    for one in sorted(wanted, key=lambda one: one.width):
        spots = pool.take(problem, one)
        if spots is not None:
            found[one.demand] = spots
    return Assignment(found)


def _in_regions(one: GangClass, shares: Sequence[RegionShare]) -> list[_Wanted]:
    """Whole gangs region by region, or the only gang with its pods region by region."""
    parts: list[tuple[dict[int, int], frozenset[int] | None]] = [
        ({i: n for i, n in enumerate(share.pods) if n}, share.nodes)
        for share in shares
        if share.gangs < 0
    ]
    if parts:
        return [_Wanted(one.demands[0], parts)]
    found: list[_Wanted] = []
    following = 0
    for share in shares:
        demands = one.demands[following : following + share.gangs]
        following += share.gangs
        width = len(one.example.items)
        padded = [*share.pods, *([0] * (width - len(share.pods)))]
        splits = split_pods(one, share.gangs, padded)
        found += [
            _Wanted(d, [(split, share.nodes)])
            for d, split in zip(demands, splits, strict=True)
            if split
        ]
    return found


def _tier_order(one: GangClass) -> tuple[int, int, int]:
    if one.growing:
        return (2, 0, one.demands[0])
    return (1 if one.tier_class == "rest" else 0, one.rank, one.demands[0])


def _yield_elastic(
    problem: PlacementProblem, wanted: list[_Wanted], short: dict[int, int]
) -> list[_Wanted]:
    """Take missing pods from those beyond a minimum, last gangs first."""
    result = []
    for one in reversed(wanted):
        demand = problem.demands[one.demand]
        if not demand.grouped and len(one.parts) == 1:
            split, nodes = one.parts[0]
            for index in sorted(split, reverse=True):
                split = dict(split)
                _drop_spare(one.demand, problem, split, index, short)
            one = _Wanted(one.demand, [({i: n for i, n in split.items() if n}, nodes)])
        result.append(one)
    return [one for one in reversed(result) if any(split for split, _ in one.parts)]


def _drop_spare(
    demand_index: int,
    problem: PlacementProblem,
    split: dict[int, int],
    index: int,
    short: dict[int, int],
) -> None:
    demand = problem.demands[demand_index]
    item = demand.items[index]
    role_need = dict(demand.role_need).get(item.role, 0)
    in_role = sum(n for i, n in split.items() if demand.items[i].role == item.role)
    spare = min(sum(split.values()) - demand.need, in_role - role_need, split[index])
    drop = min(spare, short.get(item.shape, 0)) // item.step * item.step
    if drop > 0:
        split[index] -= drop
        short[item.shape] -= drop


class _Pool:
    """Placed pods by shape, given out node by node."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        self._spots: dict[int, dict[int, int]] = {}
        for one in sorted(placed, key=lambda p: (p.shape, p.node)):
            nodes = self._spots.setdefault(one.shape, {})
            nodes[one.node] = nodes.get(one.node, 0) + one.count
        self._order = {shape: list(nodes) for shape, nodes in self._spots.items()}
        self._next = dict.fromkeys(self._spots, 0)
        self._left = {shape: sum(nodes.values()) for shape, nodes in self._spots.items()}

    def take(
        self, problem: PlacementProblem, wanted: _Wanted
    ) -> dict[int, list[tuple[int, int]]] | None:
        """Spots for every item, or None (and nothing taken) if a shape runs short in a region."""
        items = problem.demands[wanted.demand].items
        for split, nodes in wanted.parts:
            need: dict[int, int] = {}
            for index, count in split.items():
                need[items[index].shape] = need.get(items[index].shape, 0) + count
            if any(self._available(shape, nodes) < count for shape, count in need.items()):
                return None
        found: dict[int, list[tuple[int, int]]] = {}
        for split, nodes in wanted.parts:
            for index, count in split.items():
                found.setdefault(index, []).extend(self._give(items[index].shape, count, nodes))
        return found

    def _available(self, shape: int, nodes: frozenset[int] | None) -> int:
        if nodes is None:
            return self._left.get(shape, 0)
        spots = self._spots.get(shape, {})
        return sum(spots.get(node, 0) for node in nodes)

    def _give(self, shape: int, count: int, nodes: frozenset[int] | None) -> list[tuple[int, int]]:
        self._left[shape] -= count
        spots = self._spots[shape]
        given: list[tuple[int, int]] = []
        for node in self._order[shape][self._next[shape] :] if nodes is None else sorted(nodes):
            if not count:
                break
            take = min(spots.get(node, 0), count)
            if take:
                given.append((node, take))
                spots[node] -= take
                count -= take
            if nodes is None and not spots[node]:
                self._next[shape] += 1
        return given
