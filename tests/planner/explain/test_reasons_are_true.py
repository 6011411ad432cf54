"""Every reason is checked against the enumeration, in a cluster without the obstacle that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import other_worlds as worlds
import pytest

from models.plan import Reason
from models.snapshot import Snapshot
from planner.capacity.fit import Room
from planner.encode.eligibility import standings
from planner.encode.prepared import Prepared, prepare
from planner.explain.groups import objective_positions
from planner.explain.waiting import waiting_reasons
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import gang_classes
from planner.search.construct.fill import fill_starts
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.oracle.situation import Situation
from planner.testing.random_snapshots import RandomCase, random_case

BATCHES, PER_BATCH = 6, 25
QUOTA = {"quota", "quota_never"}
ROOM = {"cluster_capacity", "fragmentation"}
STRUCTURAL = {"queue_closed", "unsupported", "not_enough_pods", "admission_gate", "dependency"}
KNOWN = QUOTA | ROOM | STRUCTURAL | {
    "guarantee_reserved", "never_fits", "node_selection", "lower_priority", "time_window",
}  # fmt: skip


class World:
    """A random case with a greedy plan, its reasons, and the enumeration before and after the plan."""

    def __init__(self, case: RandomCase) -> None:
        self.case, self.snapshot = case, case.snapshot
        self.prepared: Prepared = prepare(case.snapshot, case.policy, exact_least)
        self.problem = self.prepared.problem
        self.startable = startable_demands(self.problem, exact_fit)
        placed_in = standings(self.prepared, self.startable)
        self.positions = objective_positions(self.prepared, placed_in)
        self.assignment, room = Assignment({}), Room(self.problem)
        classes = gang_classes(self.problem, placed_in)
        order = sorted(
            (one for one in classes if not one.growing),
            key=lambda one: self.positions[one.demands[0]],
        )
        fill_starts(self.problem, order, self.assignment, room, exact_fit)
        self.reasons = waiting_reasons(
            self.prepared, self.assignment, self.startable, placed_in, exact=exact_fit
        )
        self.number = {self.problem.gang_names[one.gang]: i for i, one in self._waiting()}

    def _waiting(self) -> Iterable[tuple[int, object]]:
        return [
            (i, one)
            for i, one in enumerate(self.problem.demands)
            if not one.ready and i not in self.assignment.pods
        ]

    def placed(self, demands: Iterable[int]) -> list[tuple[str, str, object]]:
        """(node, queue, request) of every pod of started gangs."""
        found = []
        for index in demands:
            demand = self.problem.demands[index]
            case = self.prepared.cases[demand.gang]
            for item, spots in self.assignment.pods[index].items():
                request = self.request(demand.items[item].shape)
                for node, count in spots:
                    name = self.problem.node_names[node]
                    found += [(name, case.gang.queue, request)] * count
        return found

    def request(self, shape: int) -> dict[str, int]:
        names, amounts = self.problem.dimensions[:-1], self.problem.requests[shape]
        return worlds.Resources(
            {name: int(n) for name, n in zip(names, amounts[:-1], strict=True) if n}
        )

    def situation(self, snapshot: Snapshot, placed: Iterable[object], *, groups: bool) -> Situation:
        policy = self.case.policy if groups else replace(self.case.policy, nodegroup=False)
        return Situation(snapshot, policy, placed)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_codes_hold_where_they_are_given_and_only_there(batch: int) -> None:
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        world = World(random_case(seed))
        where = world.case.name
        waiting = {
            case.gang.full_name
            for case in world.prepared.cases
            if not case.ready and not case.gang.finished
        } - {world.problem.gang_names[world.problem.demands[i].gang] for i in world.assignment.pods}
        # Gangs that run and leave pods waiting, or that nothing will ever fill, have reasons too.
        others = set(world.reasons) - waiting
        ready = {case.gang.full_name for case in world.prepared.cases if case.ready}
        asks_nothing = {gang.full_name for gang in world.snapshot.gangs if gang.asks_nothing}
        assert waiting <= set(world.reasons), where
        assert others <= ready | asks_nothing, where
        assert all(world.reasons.values()), where
        codes = {
            n: {one.code for one in found} for n, found in world.reasons.items() if n in waiting
        }
        assert set().union(*codes.values()) <= KNOWN, where
        for name, index in world.number.items():
            found = {one.code: one for one in world.reasons[name]}
            assert len(found) == len(world.reasons[name]), (where, name)
            alone = index not in world.startable
            placed = [] if alone else world.placed(world.assignment.pods)
            _check_nodes(world, name, found, placed)
            _check_limits(world, name, found, placed)
            if not alone:
                _check_takers(world, name, index, found)
            _check_messages(found.values())


def _check_nodes(world: World, name: str, found: dict[str, Reason], placed: list[object]) -> None:
    where = (world.case.name, name)
    lifted = worlds.without_limits(world.snapshot)
    fits_nodes = world.situation(lifted, placed, groups=True).can_start([name])
    selection = found.get("node_selection")
    lasting = selection is not None and "openNodes" in selection.data
    if fits_nodes:
        assert not found.keys() & (ROOM | {"never_fits", "node_selection"}), where
        assert found.keys() & QUOTA, where
        return
    empty = worlds.emptied(lifted, name)
    if "time_window" in found:
        by_day = Situation(empty, worlds.by_day(world.case.policy), ())
        assert by_day.can_start([name]) != lasting, where
        return
    assert lasting or found.keys() & (ROOM | {"never_fits"}), where
    fits_empty = world.situation(empty, (), groups=True).can_start([name])
    fits_anywhere = world.situation(worlds.opened(empty), (), groups=False).can_start([name])
    assert ("never_fits" in found) == (not fits_anywhere), where
    assert lasting == (fits_anywhere and not fits_empty), where
    now = world.situation(worlds.opened(lifted), placed, groups=False).can_start([name])
    if lasting:
        assert bool(found.keys() & ROOM) == (not now), where
    elif fits_empty:
        assert found.keys() & ROOM, where
        assert ("node_selection" in found) == now, where
    for row in found["cluster_capacity"].data["short"] if "cluster_capacity" in found else ():
        assert row["need"] > row["free"], where
    if "fragmentation" in found and "podsFit" in found["fragmentation"].data:
        data = found["fragmentation"].data
        assert data["podsFit"] < data["podsNeeded"], where


def _check_limits(world: World, name: str, found: dict[str, Reason], placed: list[object]) -> None:
    where = (world.case.name, name)
    situation = world.situation(world.snapshot, placed, groups=True)
    view = situation.views[name]
    within = any(situation.within_limits({name: option}) for option in view.minimal)
    room = found.keys() & (ROOM | {"never_fits", "node_selection"})
    if not within and not room:
        assert found.keys() & QUOTA, where
    if (
        found.keys() & QUOTA
        and "queues" not in found.get("quota", Reason(code="", message="")).data
    ):
        assert not within, where
    for code in found.keys() & {"quota", "quota_never", "guarantee_reserved"}:
        for row in found[code].data.get("limits", ()):
            limit = situation.shares.limit(row["queue"], row["dimension"])
            assert limit is not None, where
            assert abs(limit - row["limit"]) <= 1 + limit / 10**9, where
            assert row["need"] > row["left"], where
    if "quota_never" in found:
        gang = world.snapshot.gang_by_name[name]
        only = replace(
            world.snapshot,
            gangs=(gang,),
            pods=tuple(pod for pod in world.snapshot.pods if pod.gang == name),
        )
        lonely = world.situation(only, (), groups=True)
        assert not any(lonely.within_limits({name: one}) for one in lonely.views[name].minimal)


def _check_takers(world: World, name: str, index: int, found: dict[str, Reason]) -> None:
    where = (world.case.name, name)
    place = world.positions[index]
    assert "lower_priority" in found, where
    kept = [one for one in world.assignment.pods if world.positions[one] < place]
    first = not world.situation(world.snapshot, world.placed(kept), groups=True).can_start([name])
    data = found["lower_priority"].data
    assert ("choice" in data) == (not first), where
    assert data["total"] == data["inQueue"] + data["elsewhere"] > 0, where
    names = {one: i for i, one in enumerate(world.problem.gang_names)}
    started = {world.problem.demands[one].gang: one for one in world.assignment.pods}
    for taker in data["gangs"]:
        position = world.positions[started[names[taker]]]
        assert position < place if first else position == place, where


def _check_messages(reasons: Iterable[Reason]) -> None:
    """One sentence, a small letter or a number at the start, no leftovers of formatting."""
    for reason in reasons:
        assert re.match(r"[a-z0-9]", reason.message), reason.message
        assert not re.search(
            r"  |None|\{|\(\)|\.$|\b1 (GPUs|CPUs|pods|nodes|gangs)\b", reason.message
        )
