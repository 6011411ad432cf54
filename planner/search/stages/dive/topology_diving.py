"""From a solution that does not say which domains its gangs are in to pods on nodes.

Gangs that have to be in one domain are given nodes first, as near to the solution as their domains allow. What they
take decides the rest: where the solution knew of domains, its relaxation goes on and decides the others' starts in
whole numbers; else they are relaxed and rounded anew on the room that is left, which costs seconds and keeps most of
what the domains would else cost.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from planner.model.build import BuiltModel, build
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping
from planner.reduce.shape_shares import ShapeShares, Share
from planner.search.construct.ejection import displaced
from planner.search.construct.fill import fill_starts, room_after
from planner.search.construct.place_in_domains import Settler
from planner.search.exact.fit_by_cpsat import exact_pack
from planner.search.stages.dive.domain_pattern_diving import whole_ways
from planner.search.stages.dive.start_diving import other_starts
from planner.search.stages.presolve.initial_groups import first_groups
from planner.search.stages.relax.relax_and_round import Inside, nearest, vertex_start
from planner.solve.backend import SolveLimits

LEAST_S = 1.0
"""Seconds at least for the starts of all other gangs beside those in domains: simply rounded they do not fit."""


def in_domains(
    built: BuiltModel,
    values: Sequence[int],
    limits: SolveLimits,
    *,
    inside: Inside | None = None,
    cluster_scope: bool = False,
    stopped: Callable[[], bool] = lambda: False,
    late: Callable[[], bool] | None = None,
) -> Assignment:
    """The gangs that a solution starts, at their minima on nodes; those that find none are left out.

    What is known of domains (``inside``) is followed first. Where it is ``late`` nothing is relaxed any more, but what
    is left is filled until ``stopped``.
    """
    problem, classes = built.form.problem, built.form.classes
    late = late or stopped
    until = math.inf if limits.deterministic else time.perf_counter() + limits.seconds
    costs = {} if inside is None else inside.costs
    settler = Settler(problem, shares_of(built, values), exact_pack, costs)
    decided = False
    if inside is not None:

        def then(found: tuple[float, ...]) -> tuple[float, ...] | None:
            nonlocal decided
            near = nearest(built, np.array(found))
            settler.shares = shares_of(built, near)
            settler.place_bound(_starting(built, near))
            left = max(until - time.perf_counter(), LEAST_S)
            given = (settler, built, inside.source, inside.relaxation)
            further = other_starts(*given, seconds=left, stopped=stopped)
            decided = further is not None
            return further

        given = (settler, built, inside.source, inside.goals, inside.relaxation)
        found = whole_ways(*given, seconds=until - time.perf_counter(), stopped=late, then=then)
        if found is not None:
            values = nearest(built, np.array(found))
            settler.shares = shares_of(built, values)
    if decided:
        settler.share_placed()
        starting = _starting(built, values)
        settler.place_others([index for index in starting if not settler.bound(index)])
        return _displaced(problem, classes, settler.found, starting, stopped)
    starting = _starting(built, values)
    settler.place_bound(starting)
    followed = inside is not None  # then the values are no solution yet
    anew = None
    if (settler.found.pods or followed) and not late():
        left = replace(limits, seconds=min(until - time.perf_counter(), limits.seconds))
        anew = _decided_anew(settler, classes, left, cluster_scope, late)
    if anew is None:
        if late():
            settler.exact = (
                None  # what is rounded anyhow does not pack, and searching for it takes seconds
            )
        settler.place_others([index for index in starting if not settler.bound(index)])
        return _displaced(problem, classes, settler.found, starting, stopped)
    rest, solution = anew
    other = Settler(rest.form.problem, shares_of(rest, solution), exact_pack)
    wanted = list(dict.fromkeys([*starting, *_starting(rest, solution)]))
    other.place_others(
        [index for index in _starting(rest, solution) if index not in settler.found.pods]
    )
    both = Assignment({**settler.found.pods, **other.found.pods})
    return _displaced(problem, classes, both, wanted, stopped)


def _displaced(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    assignment: Assignment,
    wanted: Sequence[int],
    stopped: Callable[[], bool],
) -> Assignment:
    """What is left filled, then gangs of high ranks in place of lower ones where all that counts is node by node."""
    fill_starts(problem, classes, assignment, room_after(problem, assignment), None, stopped)
    if problem.domain_rooms or problem.spreads or problem.cards is not None:
        return assignment
    return displaced(problem, classes, assignment, wanted, stopped)


def shares_of(built: BuiltModel, values: Sequence[int]) -> ShapeShares:
    """Pods of every shape on every group in a solution."""
    form = built.form
    found = []
    for zone in form.variables.spots.zones:
        inside = np.zeros(len(form.groups), dtype=bool)
        groups = np.zeros(len(form.groups), dtype=np.int64)
        for group, column in zone.columns.items():
            inside[group] = True
            groups[group] = values[column]
        shapes = {shape: values[column] for shape, column in zone.routed.items()}
        found.append(Share(inside, groups, shapes or {zone.shapes[0]: int(groups.sum())}))
    return ShapeShares(form.problem, form.groups, found)


def _starting(built: BuiltModel, values: Sequence[int]) -> list[int]:
    """Demands that a solution starts, in the order of their classes."""
    started = built.started(values)
    return [
        index
        for one, count in zip(built.form.classes, started, strict=True)
        for index in one.demands[:count]
    ]


def _decided_anew(
    settler: Settler,
    classes: Sequence[GangClass],
    limits: SolveLimits,
    cluster_scope: bool,
    stopped: Callable[[], bool],
) -> tuple[BuiltModel, tuple[int, ...]] | None:
    """A model of all other gangs on what is left, and a solution; None where there is none in time."""
    problem = settler.problem
    if problem.domain_rooms or problem.spreads:
        return None
    others = [left for one in classes if (left := _without_pods(settler, one)) is not None]
    remaining = beside(settler)
    groups = first_groups(Grouping(remaining), aggregate=True)
    rest = build(remaining, others, groups, cluster_scope=cluster_scope)
    solution = vertex_start(rest, limits, stopped, trading=True)
    return None if solution is None else (rest, solution.values)


def _without_pods(settler: Settler, one: GangClass) -> GangClass | None:
    """A class of gangs that have been placed counts as started and asks for nothing more; the others as they are."""
    if one.growing or not settler.bound(one.demands[0]):
        return one
    placed = tuple(index for index in one.demands if index in settler.found.pods)
    nothing = replace(
        one.example,
        items=(),
        need=0,
        role_need=(),
        minimum=tuple(0 for _ in one.example.minimum),
        choices=None,
        gathered=(),
        admission=(),
    )
    return replace(one, demands=placed, example=nothing) if placed else None


def beside(settler: Settler) -> PlacementProblem:
    """The problem once the gangs that have been placed are there."""
    room = settler.room
    return replace(
        settler.problem,
        free=room.free.copy(),
        queue_room=settler.queues_left(),
        admission_room=tuple(max(left, 0) for left in room.admission),
        demands=tuple(
            replace(one, admission=()) if one.gang in room.entered else one
            for one in settler.problem.demands
        ),
        node_has_gpu_pods=room.busy.copy(),
    )
