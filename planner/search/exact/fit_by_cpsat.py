"""Exact answers to two small questions by search: does this gang fit, do these pods pack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from planner.capacity.fit import Placed, Room
from planner.capacity.fits_alone import Fitting, roomy_domains
from planner.model.build import BuiltModel, build
from planner.model.card_choice import post_cards
from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.disaggregate import assign_gangs, pack_groups
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping, NodeGroup
from planner.search.stages.presolve.equal_node_packing import packed_in_ways, ways_to_fill
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

PACK_WORK = 0.5
"""Deterministic work units for one packing question."""
FIT_WORK = 10.0
"""Deterministic work units for one question whether a gang fits."""
MOST_CELLS = 4_000
"""Shapes times nodes up to which a packing is searched for."""


def exact_fit(problem: PlacementProblem, demand: Demand, room: Room) -> Fitting | None:
    """How the gang's minimum fits into the room; None if it does not, or if the search gave no answer in its limit.

    A gang that must stay in one domain is tried in each that counting does not rule out.
    """
    if demand.choices is None:
        return _exact_here(problem, demand, room)
    inside = replace(demand, choices=None)
    for number in roomy_domains(problem, demand, room):
        with room.only(problem.topology.arrays(number)):
            found = _exact_here(problem, inside, room)
        if found is not None:
            return found
    return None


def _exact_here(problem: PlacementProblem, demand: Demand, room: Room) -> Fitting | None:
    """Solve the placement model of this gang alone over node groups.

    Groups whose pods do not pack are split until the answer is certain.
    """
    alone = replace(
        problem,
        free=room.free_here,
        queue_room=room.queues,
        admission_room=tuple(room.admission),
        demands=(_as_waiting(demand, room),),
        cards=None if room.cards is None else room.cards.left(),
        domain_rooms=room.domains.rooms(),
        spreads=room.even.spreads(),
    )
    gang_class = GangClass((0,), alone.demands[0], "all", 1)
    grouping = Grouping(alone)
    groups = list(grouping.uniform())
    while True:
        built = build(alone, [gang_class], groups)
        start = built.form.variables.starts[0]
        assert start is not None
        goal = _least_pods_goal(built, start)
        found = CpSatBackend().solve(built.model, goal, pins=(), limits=_limits(FIT_WORK))
        if found.values is None or not built.started(found.values)[0]:
            return None
        packing = pack_groups(alone, groups, built.placed(found.values), exact_pack)
        if not packing.missing:
            counts = {i: n for i, n in enumerate(built.pods(found.values)[0]) if n}
            shares = built.shares(found.values)
            given = assign_gangs(
                alone, [gang_class], [1], built.pods(found.values), packing, shares
            )
            if 0 in given.pods:
                return Fitting(counts, list(packing.placed), given.pods[0])
        finer = _split(grouping, groups, packing.failed)
        if finer is None:
            return None
        groups = finer


def _as_waiting(demand: Demand, room: Room) -> Demand:
    """The gang as if nothing of it ran; one that has entered needs no admission."""
    admission = () if demand.gang in room.entered else demand.admission
    return replace(demand, ready=False, gathered=(), admission=admission)


def _least_pods_goal(built: BuiltModel, start: int) -> TierGoal:
    """Start the gang, with as few pods as possible: elastic ones come after all other gangs."""
    weights: dict[int, int] = {}
    for terms in built.form.variables.pods[0]:
        for column, coefficient in terms:
            weights[column] = weights.get(column, 0) - coefficient
    most = sum(-w * built.model.upper[column] for column, w in weights.items())
    weights[start] = weights.get(start, 0) + most + 1
    return TierGoal(
        "start", "max", "gangs", Expression(tuple(weights), tuple(weights.values())), most + 1
    )


def _split(
    grouping: Grouping, groups: Sequence[NodeGroup], failed: Sequence[int]
) -> list[NodeGroup] | None:
    result: list[NodeGroup] = []
    changed = False
    for index, group in enumerate(groups):
        if index in failed and group.size > 1:
            result.extend(grouping.split(group))
            changed = True
        else:
            result.append(group)
    return result if changed else None


def exact_pack(
    problem: PlacementProblem,
    nodes: Sequence[int],
    counts: Mapping[int, int],
    gpu_nodes: int | None = None,
) -> list[Placed] | None:
    """Pods of several shapes on these nodes, or None if no packing was found within the limit.

    With ``gpu_nodes`` GPU pods go to the first so many nodes only, which loses nothing where the nodes are alike.
    """
    shapes = sorted(counts)
    if len(shapes) * len(nodes) > MOST_CELLS or (len(shapes) < 2 and gpu_nodes is None):
        return None
    ways = ways_to_fill(problem, nodes, shapes) if gpu_nodes is None else None
    if ways is not None:
        return packed_in_ways(nodes, counts, ways, _limits(PACK_WORK))
    model = LinearModel()
    columns: dict[tuple[int, int], int] = {}
    for shape in shapes:
        request = problem.requests[shape]
        asked = request > 0
        within = nodes if gpu_nodes is None or not problem.shape_gpus[shape] else nodes[:gpu_nodes]
        for node in within:
            if not problem.admits[shape, node]:
                continue
            most = int((problem.free[node][asked] // request[asked]).min())
            most = min(most, _on_cards(problem, shape, node, most))
            if most > 0:
                columns[shape, node] = model.variable(0, min(most, counts[shape]))
    for shape in shapes:
        terms = [(columns[shape, node], 1) for node in nodes if (shape, node) in columns]
        model.equal(terms, counts[shape], "all pods")
    for node in nodes:
        for d in np.flatnonzero(problem.requests[shapes].max(axis=0)):
            terms = [
                (columns[shape, node], int(problem.requests[shape, d]))
                for shape in shapes
                if (shape, node) in columns
            ]
            model.at_most(terms, int(problem.free[node, d]), "room")
    if problem.cards is not None:
        post_cards(model, problem.cards, columns)
    goal = TierGoal("pack", "max", "pods", Expression(), 0)
    found = CpSatBackend().solve(model, goal, pins=(), limits=_limits(PACK_WORK))
    if found.values is None:
        return None
    return [
        Placed(shape, node, found.values[column])
        for (shape, node), column in columns.items()
        if found.values[column]
    ]


def _on_cards(problem: PlacementProblem, shape: int, node: int, most: int) -> int:
    table = problem.cards
    if table is None or not table.count[shape]:
        return most
    return int(table.pods(shape, table.free[[node]], table.kind[[node]])[0])


def _limits(work: float) -> SolveLimits:
    return SolveLimits(seconds=work, deterministic=True, workers=1)
