"""Other nodes for the same newcomers, so that every victim is needed.

A victim is needed only where the gangs that may evict it take its room. The model of sums does not tell whose pods
are where; here every class has its own pods per node.

Sets: k classes, i items, n nodes. Variables: y_kin pods, b_j whether j pods of an entry would not fit back, s_jd
whether dimension d forbids it: ``sum over evictors request_d y >= room_d - j v_d + 1``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.capacity.fit import node_counts
from planner.encode.victims.after_evictions import without
from planner.encode.victims.victim_causes import VictimCauses
from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import IntArray, PlacementProblem
from planner.problem.victims import EACH_ALONE, Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.domain_of_gang import apart_where_bound, home_of, keeps_topology
from planner.reduce.gang_classes import GangClass
from planner.search.construct.victim_needed import Loss, losses, queue_fits
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

MOST_CELLS = 4_000
"""Items times nodes up to which other nodes are searched for."""
WORK = 2.0
"""Deterministic work units of that search."""

Spots = dict[tuple[int, int], list[tuple[int, int]]]


@dataclass
class _Pods:
    """Columns y per (class, item) and node, with the requests of an item's pod."""

    columns: dict[tuple[int, int, int], int]
    by_node: dict[int, list[tuple[int, int, int]]]


def needed_placement(
    problem: PlacementProblem,
    victims: Victims,
    classes: Sequence[GangClass],
    assignment: Assignment,
) -> Assignment | None:
    """The same pods on other nodes with every victim needed; None where none was found."""
    after = without(problem, victims, assignment.evicted)
    causes = VictimCauses(problem, victims, assignment)
    classes = apart_where_bound(classes)
    busy = [k for k, one in enumerate(classes) if any(assignment.pods.get(d) for d in one.demands)]
    cells = sum(len(classes[k].example.items) for k in busy) * len(after.node_names)
    if cells > MOST_CELLS or problem.cards is not None:
        return None
    model = LinearModel()
    pods = _pods(model, after, classes, busy, assignment)
    for loss in losses(victims, assignment, causes):
        members = _members(classes, busy, assignment, loss.evictors)
        if members is None:
            return None
        back = queue_fits(after, victims, assignment, loss)
        _needed(model, after, victims, classes, pods, loss, members, back)
    goal = _fewest_gpu_nodes(model, after, classes, pods)
    limits = SolveLimits(seconds=WORK, deterministic=True, workers=1)
    found = CpSatBackend().solve(model, goal, pins=(), limits=limits)
    if found.values is None:
        return None
    moved = _assignment(classes, busy, assignment, pods, found.values)
    return moved if keeps_topology(problem, moved) else None


def _pods(
    model: LinearModel,
    after: PlacementProblem,
    classes: Sequence[GangClass],
    busy: Sequence[int],
    assignment: Assignment,
) -> _Pods:
    """All pods of every item find a node; nodes hold what is placed on them."""
    pods = _Pods({}, {})
    for k in busy:
        for i, item in enumerate(classes[k].example.items):
            total = sum(n for d in classes[k].demands for _, n in _spots(assignment, d, i))
            if not total:
                continue
            fits = node_counts(after, item.shape)
            fits = _at_home(after, classes[k], assignment, fits)
            for node in map(int, np.flatnonzero(fits)):
                column = model.variable(0, min(int(fits[node]), total))
                pods.columns[k, i, node] = column
                pods.by_node.setdefault(node, []).append((k, i, column))
            terms = [(c, 1) for (kk, ii, _), c in pods.columns.items() if (kk, ii) == (k, i)]
            model.equal(terms, total, "all pods")
    for node, members in pods.by_node.items():
        for d in range(len(after.dimensions)):
            terms = [(c, _amount(after, classes, k, i, d)) for k, i, c in members]
            model.at_most([t for t in terms if t[1]], int(after.free[node, d]), "room")
    return pods


def _at_home(
    problem: PlacementProblem, one: GangClass, assignment: Assignment, fits: IntArray
) -> IntArray:
    """Pods that fit, only in the domain where the class's gang is now where it has to stay in one."""
    if one.example.choices is None:
        return fits
    home = home_of(problem, one.example, assignment.pods[one.demands[0]])
    found = np.zeros_like(fits)
    if home is not None:
        nodes = problem.topology.arrays(home)
        found[nodes] = fits[nodes]
    return found


def _spots(assignment: Assignment, demand: int, item: int) -> Sequence[tuple[int, int]]:
    return assignment.pods.get(demand, {}).get(item, ())


def _amount(
    problem: PlacementProblem, classes: Sequence[GangClass], k: int, i: int, dimension: int
) -> int:
    return int(problem.requests[classes[k].example.items[i].shape, dimension])


def _members(
    classes: Sequence[GangClass],
    busy: Sequence[int],
    assignment: Assignment,
    evictors: frozenset[int],
) -> frozenset[int] | None:
    """Classes of the evictors; None where only some started gangs of a class are evictors."""
    found = set()
    for k in busy:
        started = {d for d in classes[k].demands if assignment.pods.get(d)}
        if started <= evictors:
            found.add(k)
        elif started & evictors:
            return None
    return frozenset(found)


def _needed(
    model: LinearModel,
    after: PlacementProblem,
    victims: Victims,
    classes: Sequence[GangClass],
    pods: _Pods,
    loss: Loss,
    members: frozenset[int],
    back: Sequence[int],
) -> None:
    """Too few pods of the gang fit back for any legal return."""
    blocked: list[tuple[int, int]] = []
    total = 0
    first = victims.kinds[loss.entries[0][0].kind]
    alone = first.gang == EACH_ALONE
    gang = None if alone else victims.gangs[first.gang]
    given_up = gang is not None and sum(n for _, n in loss.entries) == gang.running
    for (one, count), admitted in zip(loss.entries, back, strict=True):
        steps = min(count if given_up else 1, admitted)
        vector = victims.kinds[one.kind].vector
        for j in range(1, steps + 1):
            switches = []
            for d, amount in enumerate(vector):
                terms = [
                    (c, _amount(after, classes, k, i, d))
                    for k, i, c in pods.by_node.get(one.node, ())
                    if k in members
                ]
                terms = [term for term in terms if term[1]]
                if not amount or not terms:
                    continue
                least = max(int(after.free[one.node, d]) - j * amount + 1, 1)
                switch = model.variable(0, 1)
                model.at_least([*terms, (switch, -least)], 0, "needed")
                switches.append((switch, -1))
            b = model.variable(0, 1)
            model.at_most([(b, 1), *switches], 0, "needed")
            blocked.append((b, 1))
        total += steps
    returning = 0
    if given_up and gang is not None:
        surplus = 0 if gang.subgroups else min(gang.surplus, gang.running - 1)
        returning = gang.running - surplus - 1
    model.at_least(blocked, total - returning, "needed")


def _fewest_gpu_nodes(
    model: LinearModel, after: PlacementProblem, classes: Sequence[GangClass], pods: _Pods
) -> TierGoal:
    terms = []
    for node, members in pods.by_node.items():
        if after.node_has_gpu_pods[node] or not after.node_gpus[node]:
            continue
        used = model.variable(0, 1)
        for k, i, column in members:
            if after.shape_gpus[classes[k].example.items[i].shape] > 0:
                model.at_most([(column, 1), (used, -model.upper[column])], 0, "used_nodes")
        terms.append((used, int(after.node_gpus[node])))
    expression = Expression(tuple(c for c, _ in terms), tuple(f for _, f in terms))
    return TierGoal("packing", "min", after.gpu_unit, expression, 0)


def _assignment(
    classes: Sequence[GangClass],
    busy: Sequence[int],
    assignment: Assignment,
    pods: _Pods,
    values: Sequence[int],
) -> Assignment:
    """Give each class's pods to its gangs, as many per item as they had."""
    pools: dict[tuple[int, int], list[list[int]]] = {}
    for (k, i, node), column in sorted(pods.columns.items()):
        if values[column]:
            pools.setdefault((k, i), []).append([node, values[column]])
    found = Assignment({}, assignment.evicted)
    for k in busy:
        for demand in classes[k].demands:
            items: Mapping[int, list[tuple[int, int]]] = assignment.pods.get(demand, {})
            for i, spots in items.items():
                left = sum(n for _, n in spots)
                mine = found.pods.setdefault(demand, {}).setdefault(i, [])
                while left:
                    spot = pools[k, i][0]
                    take = min(spot[1], left)
                    mine.append((spot[0], take))
                    spot[1] -= take
                    left -= take
                    if not spot[1]:
                        pools[k, i].pop(0)
    return found
