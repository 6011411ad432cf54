"""The minimal sets of reasons against an enumeration in which obstacles are taken away one by one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain, combinations

import other_worlds as worlds
import pytest
from test_reasons_are_true import World

from planner.encode.eligibility import standings
from planner.explain.waiting import explain_waiting
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.testing.oracle.queue_shares import QueueShares
from planner.testing.random_snapshots import random_case

BATCHES, PER_BATCH = 6, 12
FAMILY = {
    "quota": "limits", "quota_never": "limits", "guarantee_reserved": "guarantees",
    "cluster_capacity": "room", "fragmentation": "room", "never_fits": "nodes",
    "node_selection": "predicates", "time_window": "predicates", "lower_priority": "starts",
}  # fmt: skip
FAMILIES = ("limits", "room", "predicates", "starts")


class Lattice:
    """Whether a gang can start with only some families of obstacles in force."""

    def __init__(self, world: World, name: str, placed: list[object]) -> None:
        self._world, self._name, self._placed = world, name, placed
        self.possible = cache(self._possible)

    def _possible(self, enforced: frozenset[str]) -> bool:
        snapshot, groups = self._world.snapshot, "predicates" in enforced
        if "limits" not in enforced:
            snapshot = worlds.without_limits(snapshot)
        if "room" not in enforced:
            snapshot = worlds.emptied(snapshot, self._name)
        if not groups:
            snapshot = worlds.opened(snapshot)
        placed = self._placed if "starts" in enforced else []
        if "room" not in enforced:
            snapshot = worlds.roomy(snapshot, placed)  # type: ignore[arg-type]
        situation = self._world.situation(snapshot, placed, groups=groups)
        if "limits" in enforced:  # shares must not grow with the nodes
            situation.shares = QueueShares(self._world.snapshot, self._world.case.policy)
        return situation.can_start([self._name])

    def minimal_sets(self) -> set[frozenset[str]]:
        """All sets with which it cannot start, and without any one of which it can."""
        blocked: list[frozenset[str]] = []
        for one in map(frozenset, _subsets(FAMILIES)):
            if any(less <= one for less in blocked):
                continue
            if not self.possible(one):
                blocked.append(one)
        return set(blocked)


def _subsets(items: Iterable[str]) -> Iterable[tuple[str, ...]]:
    every = tuple(items)
    return chain.from_iterable(combinations(every, size) for size in range(len(every) + 1))


def _explained(world: World) -> dict[str, tuple[tuple[str, ...], ...]]:
    placed_in = standings(world.prepared, world.startable)
    found = explain_waiting(
        world.prepared, world.assignment, world.startable, placed_in, exact=exact_fit
    )
    names = world.problem.gang_names
    return {
        names[world.problem.demands[i].gang]: one.sets for one in found for i in one.group.demands
    }


@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_code_is_in_a_minimal_set_and_every_minimal_set_is_told(batch: int) -> None:
    told = 0
    for seed in range(1000 + batch * PER_BATCH, 1000 + (batch + 1) * PER_BATCH):
        world = World(random_case(seed))
        for name, sets in _explained(world).items():
            index = world.number[name]
            alone = index not in world.startable
            placed = [] if alone else world.placed(world.assignment.pods)
            where = (world.case.name, name, sets)
            _check(Lattice(world, name, placed), sets, where)
            codes = {code for one in sets for code in one}
            assert codes == {one.code for one in world.reasons[name]}, where
            told += 1
    assert told > 5


def _check(lattice: Lattice, sets: tuple[tuple[str, ...], ...], where: object) -> None:
    families = {frozenset(FAMILY[code] for code in one) - {"guarantees"} for one in sets}
    actual = lattice.minimal_sets()
    if ("never_fits",) in sets:
        assert not lattice.possible(frozenset()), where
        return
    assert families <= actual, (where, actual)
    untold = {one for one in actual - families if not _repeats(one, families)}
    assert not untold, (where, untold)


def _repeats(one: frozenset[str], told: set[frozenset[str]]) -> bool:
    """A limit as large as the cluster says again what the nodes say."""
    return "limits" in one and any("limits" not in other for other in told)
