"""What one plan tells about another situation: a plan to begin with, and bounds that still hold.

A situation that only takes away (room, queue limits, gangs) from one that was planned has no plan that the other did
not have. Every bound of the earlier search then holds here as well, as long as the tiers above are as good as they
were there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from models.effective import EffectivePolicy
from models.placement import Placement
from models.plan import PlanResult, Tier
from models.snapshot import Snapshot
from planner.capacity.fit import Placed, Room
from planner.encode.eligibility import standings
from planner.encode.prepared import Prepared, prepare
from planner.encode.victims.victims import possible_victims
from planner.problem.placement import Demand, IntArray, PlacementProblem, Standing
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.domain_of_gang import keeps_topology
from planner.reduce.spread_filter import without_uneven
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.presolve.startable import startable_demands
from planner.search.stages.reoptimise.restriction import same_needs, takes_away, together
from planner.solve.known import KnownTier

EVICTION_EFFORT_S = 3.0
"""Least effort where pods may be evicted: relaxations alone choose no victims."""


@dataclass(frozen=True)
class WarmStart:
    """A plan that was made, with the problem that it solves.

    Attributes
    ----------
    placements, evicted
        Its new pods, and the running pods that go.
    tiers
        Its certificate.
    evicting
        Running pods could be evicted; bounds are then not carried over.
    effort_s
        Seconds (with ``--deterministic`` work) of integer search beyond the relaxations.
    documented
        Only its document is known, not the situation that it was made for.
    """

    placements: tuple[Placement, ...]
    evicted: tuple[str, ...]
    tiers: tuple[Tier, ...]
    policy: EffectivePolicy
    problem: PlacementProblem
    standings: tuple[Standing, ...]
    evicting: bool
    effort_s: float = math.inf
    documented: bool = False

    @classmethod
    def from_document(
        cls, result: PlanResult, prepared: Prepared, policy: EffectivePolicy, effort_s: float
    ) -> WarmStart:
        """From the document of an earlier plan: its new pods, as far as they still wait; no bounds."""
        return cls(
            placements=placements_of(result),
            evicted=(),
            tiers=(),
            policy=policy,
            problem=prepared.problem,
            standings=(),
            evicting=True,
            effort_s=effort_s,
            documented=True,
        )

    @classmethod
    def of(cls, snapshot: Snapshot, policy: EffectivePolicy, result: PlanResult) -> WarmStart:
        """From a verified plan of this snapshot."""
        prepared = prepare(snapshot, policy, exact_least)
        victims = possible_victims(prepared)
        startable = startable_demands(prepared.problem, exact_fit, victims)
        return cls.made(result, prepared, standings(prepared, startable, victims), victims)

    @classmethod
    def made(
        cls,
        result: PlanResult,
        prepared: Prepared,
        placed_in: Sequence[Standing],
        victims: Victims | None,
    ) -> WarmStart:
        """From a verified plan and what it was made from."""
        return cls(
            placements=placements_of(result),
            evicted=tuple(
                sorted(
                    name
                    for gang in result.gangs
                    for pods in gang.pods
                    if pods.action == "evict"
                    for name in pods.names
                )
            ),
            tiers=result.certificate.tiers,
            policy=prepared.policy,
            problem=prepared.problem,
            standings=tuple(placed_in),
            evicting=victims is not None,
        )

    def suits(self, prepared: Prepared) -> bool:
        """Whether the plan can be taken over at all; pods on shared cards are planned anew."""
        return self.problem.cards is None and prepared.problem.cards is None

    def beginning(self, prepared: Prepared, placed_in: Sequence[Standing]) -> Assignment:
        """What of the plan is possible here too: gangs of higher tiers first, each as a whole or not at all.

        With evictions the whole plan is taken, or none of it: every victim belongs to the gangs that it made room for.
        """
        if self.evicted:
            gone = frozenset(self.evicted)
            if not gone <= prepared.snapshot.pod_by_name.keys():
                return Assignment({})
        taken = _Taking(self, prepared.problem, placed_in)
        if self.evicted:
            return taken.everything(self.evicted)
        return taken.possible()

    def bounds(self, prepared: Prepared, placed_in: Sequence[Standing]) -> dict[str, KnownTier]:
        """Tiers whose bounds hold here too; none where anything might have become possible."""
        problem = prepared.problem
        same = self.policy.policy == prepared.policy.policy and not self.evicting
        if not same or not takes_away(self.problem, problem, self.standings, placed_in):
            return {}
        return {
            tier.name: KnownTier(tier.value, tier.bound)
            for tier in self.tiers
            if tier.bound is not None
        }

    def same_problem(self, other: WarmStart) -> bool:
        """Whether nothing that a plan depends on differs: each of the two problems takes away nothing."""
        if self.policy.policy != other.policy.policy or self.evicting or other.evicting:
            return False
        one, two = self.problem, other.problem
        return takes_away(one, two, self.standings, other.standings) and takes_away(
            two, one, other.standings, self.standings
        )


class Warm(Protocol):
    """What a search can be told of plans that were made."""

    @property
    def effort_s(self) -> float:
        """Seconds (with ``--deterministic`` work) of integer search beyond the relaxations."""
        ...

    @property
    def documented(self) -> bool:
        """Only a document is known, not the situation that it was made for."""
        ...

    def suits(self, prepared: Prepared) -> bool:
        """Whether anything can be taken over at all."""
        ...

    def beginning(self, prepared: Prepared, placed_in: Sequence[Standing]) -> Assignment:
        """A legal plan to begin with."""
        ...

    def bounds(self, prepared: Prepared, placed_in: Sequence[Standing]) -> dict[str, KnownTier]:
        """Tiers whose bounds hold here too."""
        ...


def placements_of(result: PlanResult) -> tuple[Placement, ...]:
    """The new pods of a plan document."""
    return tuple(
        Placement(gang.full_name, pods.role, pods.node, pods.count, pods.names)
        for gang in result.gangs
        for pods in gang.pods
        if pods.action == "place" and pods.node is not None
    )


class _Taking:
    """Takes a plan over, gang by gang."""

    def __init__(
        self, warm: WarmStart, problem: PlacementProblem, placed_in: Sequence[Standing]
    ) -> None:
        self.problem = problem
        self._documented = warm.documented
        self._node = {name: index for index, name in enumerate(problem.node_names)}
        self._of_gang: dict[str, list[Placement]] = {}
        for one in warm.placements:
            self._of_gang.setdefault(one.gang, []).append(one)
        earlier = {warm.problem.gang_names[one.gang]: one for one in warm.problem.demands}
        tier = {
            one.demand: (one.tier_class == "rest", one.rank, one.demand)
            for one in placed_in
            if one.tier_class
        }
        last = (True, 1 << 30, 0)
        self._order = sorted(
            (
                index
                for index, demand in enumerate(problem.demands)
                if (index in tier or demand.ready)
                and problem.gang_names[demand.gang] in self._of_gang
                and _as_before(
                    problem, demand, warm.problem, earlier.get(problem.gang_names[demand.gang])
                )
            ),
            key=lambda index: tier.get(index, (*last[:2], index)),
        )

    def everything(self, evicted: tuple[str, ...]) -> Assignment:
        """All gangs as they were; whoever uses it checks it as a whole."""
        found = {}
        for index in self._order:
            spots = self._spots(index)
            if spots is not None:
                found[index] = spots
        if len(found) < len(self._of_gang):
            return Assignment({})
        return Assignment(found, evicted)

    def possible(self) -> Assignment:
        """The gangs whose pods still fit where they were."""
        room = Room(self.problem)
        found = {}
        for index in self._order:
            spots = self._spots(index)
            if spots is not None and self._take(room, index, spots):
                found[index] = spots
        return without_uneven(self.problem, Assignment(found))

    def _spots(self, index: int) -> dict[int, list[tuple[int, int]]] | None:
        demand = self.problem.demands[index]
        found: dict[int, list[tuple[int, int]]] = {}
        for one in self._of_gang[self.problem.gang_names[demand.gang]]:
            node = self._node.get(one.node)
            counts = _items_of(demand, one)
            if node is None or counts is None or one.count < 1:
                return None
            for item, count in counts.items():
                if not self.problem.admits[demand.items[item].shape, node]:
                    return None
                found.setdefault(item, []).append((node, count))
        if not _enough(demand, found) or (self._documented and not _whole(demand, found)):
            return None
        return found if keeps_topology(self.problem, Assignment({index: found})) else None

    def _take(self, room: Room, index: int, spots: Mapping[int, Sequence[tuple[int, int]]]) -> bool:
        """Take the room of a gang; False and nothing taken if it is not there."""
        demand, requests = self.problem.demands[index], self.problem.requests
        pods = [
            Placed(demand.items[item].shape, node, count)
            for item, places in spots.items()
            for node, count in places
        ]
        asked: IntArray = np.zeros(requests.shape[1], dtype=np.int64)
        for pod in pods:
            asked += requests[pod.shape] * pod.count
        if not room.queues_admit(demand, asked):
            return False
        room.take(pods)
        if room.domains.broken or any((room.free[pod.node] < 0).any() for pod in pods):
            room.undo(pods)
            return False
        room.charge(demand, asked)
        return True


def _as_before(
    problem: PlacementProblem, demand: Demand, old: PlacementProblem, earlier: Demand | None
) -> bool:
    """Gangs that have to stay together, or with subgroups or partitions, are taken over only where nothing changed."""
    if earlier is None:
        return False
    if together(demand) and (
        problem.node_names != old.node_names or problem.topology != old.topology
    ):
        return False
    plain = not demand.grouped and all(item.step == 1 for item in demand.items)
    return (plain and not together(demand)) or same_needs(demand, earlier)


def _items_of(demand: Demand, placed: Placement) -> dict[int, int] | None:
    """Item to pods: those with these names, and promised pods of the role; None where others are among them."""
    found: dict[int, int] = {}
    promised = placed.count
    for index, item in enumerate(demand.items):
        if item.role == placed.role and (known := len(set(item.names) & set(placed.names))):
            found[index] = known
            promised -= known
    if not promised:
        return found
    growing = [
        index
        for index, item in enumerate(demand.items)
        if item.role == placed.role and item.count > len(item.names)
    ]
    for index in sorted(growing, key=lambda one: one not in found)[:1]:
        found[index] = found.get(index, 0) + promised
        return found
    return None


def _whole(demand: Demand, spots: Mapping[int, Sequence[tuple[int, int]]]) -> bool:
    """Partitions are taken from a document only with all their pods, subgroups where they are complete."""
    counts = {item: sum(count for _, count in places) for item, places in spots.items()}
    if any(item.step > 1 or item.choices is not None for item in demand.items):
        return all(counts.get(index, 0) == item.count for index, item in enumerate(demand.items))
    complete = [0] * len(demand.min_subgroups)
    for number, group in enumerate(demand.subgroups):
        members = (index for index, item in enumerate(demand.items) if number in item.subgroup)
        pods = sum(counts.get(index, 0) for index in members)
        if pods and pods < group.size - group.running:
            return False
        complete[group.policy] += bool(pods) or group.counted >= group.size
    return demand.ready or all(
        have >= least for have, least in zip(complete, demand.min_subgroups, strict=True)
    )


def _enough(demand: Demand, spots: Mapping[int, Sequence[tuple[int, int]]]) -> bool:
    """Numbers are within supply and, for a gang that waits, reach what it needs."""
    counts = {item: sum(count for _, count in places) for item, places in spots.items()}
    if any(count > demand.items[item].count for item, count in counts.items()):
        return False
    if demand.ready:
        return True
    by_role: dict[str, int] = {}
    for item, count in counts.items():
        role = demand.items[item].role
        by_role[role] = by_role.get(role, 0) + count
    return sum(counts.values()) >= demand.need and all(
        by_role.get(role, 0) >= need for role, need in demand.role_need
    )
