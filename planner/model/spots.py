"""Columns for pods on node groups: pods that ask for the same share one, wherever they are admitted alike.

Shapes are *alike* when they request the same; they differ in where the predicates admit them. On a node they are the
same, so the rows of a node count them together: one column per request and group. A *zone* is a set of groups that
admit the same of several shapes alike; which shape's pods go to which zone is a transport problem with whole supplies
and demands, whose vertices are whole. So only the counts per request and group are hard, and they are far fewer than
counts per shape and group where many selectors ask for the same pods.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem
from planner.reduce.node_groups import NodeGroup
from planner.reduce.partition import node_cells


@dataclass(frozen=True, slots=True)
class Zone:
    """Groups that admit the same shapes of those that request the same; where pods prefer nodes, of one cell.

    Attributes
    ----------
    shapes
        Shapes alike that all of its groups admit, ascending.
    columns
        Group to the pods of all these shapes on it.
    routed
        Shape to its pods in the zone; empty for a single shape, whose pods the columns are.
    """

    shapes: tuple[int, ...]
    columns: dict[int, int]
    routed: dict[int, int]

    def pods_of(self, shape: int) -> Iterable[int]:
        """Columns whose sum is the pods of a shape in the zone."""
        return (self.routed[shape],) if self.routed else self.columns.values()

    def distributed(self, values: Sequence[int]) -> dict[int, dict[int, int]]:
        """Group to shape to pods: the zone's pods of each shape, put on its groups in any way."""
        found: dict[int, dict[int, int]] = {}
        left = {shape: values[column] for shape, column in self.routed.items()}
        for group, column in self.columns.items():
            room = values[column]
            if not self.routed:
                if room:
                    found[group] = {self.shapes[0]: room}
                continue
            for shape in self.shapes:
                take = min(room, left[shape])
                if take > 0:
                    found.setdefault(group, {})[shape] = take
                    left[shape] -= take
                    room -= take
        return found


@dataclass(frozen=True)
class Spots:
    """All zones of a model."""

    zones: tuple[Zone, ...] = ()
    by_shape: dict[int, list[Zone]] = field(default_factory=dict)
    at: dict[tuple[int, int], Zone] = field(default_factory=dict)

    @property
    def own(self) -> dict[tuple[int, int], int]:
        """(shape, group) to the column of shapes that share theirs with no other one there."""
        return {
            (zone.shapes[0], group): column
            for zone in self.zones
            if not zone.routed
            for group, column in zone.columns.items()
        }

    def columns(self) -> set[int]:
        """All columns."""
        every = (column for zone in self.zones for column in zone.columns.values())
        return {*every, *(column for zone in self.zones for column in zone.routed.values())}

    def by_group(self) -> dict[int, list[tuple[int, int]]]:
        """Group to (a shape that it admits, column of the pods that request the same)."""
        found: dict[int, list[tuple[int, int]]] = {}
        for zone in self.zones:
            for group, column in zone.columns.items():
                found.setdefault(group, []).append((zone.shapes[0], column))
        return found

    def placed(self, values: Sequence[int]) -> dict[int, dict[int, int]]:
        """Group to shape to pods of a solution."""
        found: dict[int, dict[int, int]] = {}
        for zone in self.zones:
            for group, shapes in zone.distributed(values).items():
                found.setdefault(group, {}).update(shapes)
        return found

    def put(self, values: list[int], placed: Mapping[tuple[int, int], int]) -> None:
        """Add pods per (shape, group) to a solution."""
        for (shape, group), count in placed.items():
            zone = self.at[shape, group]
            values[zone.columns[group]] += count
            if zone.routed:
                values[zone.routed[shape]] += count

    def trim(self, values: list[int], wanted: Mapping[int, int]) -> None:
        """Take pods away from a solution until there are so many of each shape."""
        left = dict(wanted)
        for zone in self.zones:
            room = None
            if zone.routed:
                room = 0
                for shape, column in zone.routed.items():
                    values[column] = min(values[column], left.get(shape, 0))
                    left[shape] = left.get(shape, 0) - values[column]
                    room += values[column]
            for column in zone.columns.values():
                most = left.get(zone.shapes[0], 0) if room is None else room
                values[column] = min(values[column], most)
                if room is None:
                    left[zone.shapes[0]] = most - values[column]
                else:
                    room -= values[column]


def create_spots(
    model: LinearModel,
    problem: PlacementProblem,
    groups: Sequence[NodeGroup],
    supply: Mapping[int, int],
    apart: Collection[int] = (),
) -> Spots:
    """Add the columns; ``supply`` is shape to the most pods of it, shapes in ``apart`` keep columns of their own."""
    alike: dict[object, list[int]] = {}
    for shape in sorted(supply):
        alike.setdefault(shape if shape in apart else _request(problem, shape), []).append(shape)
    asked = [[shape for shape in same if supply[shape] > 0] for same in alike.values()]
    members: dict[tuple[tuple[int, ...], int], list[int]] = {}
    cells = node_cells(problem) if problem.wishes is not None else None
    for g, group in enumerate(groups):
        holds = [fit > 0 for fit in group.fits]
        for same in asked:
            admitted = tuple([shape for shape in same if holds[shape]])
            if admitted:
                cell = 0 if cells is None else int(cells[group.nodes[0]])
                members.setdefault((admitted, cell), []).append(g)
    found = Spots()
    zones: list[Zone] = []
    for (shapes, _), inside in members.items():
        pods = sum(supply[shape] for shape in shapes)
        columns = {g: model.variable(0, min(_most(groups[g], shapes), pods)) for g in inside}
        routed = {
            shape: model.variable(0, min(supply[shape], _of_one(groups, inside, shape)))
            for shape in shapes[1:] and shapes
        }
        zone = Zone(shapes, columns, routed)
        zones.append(zone)
        for shape in shapes:
            found.by_shape.setdefault(shape, []).append(zone)
            found.at.update(((shape, g), zone) for g in inside)
    return Spots(tuple(zones), found.by_shape, found.at)


def _most(group: NodeGroup, shapes: Sequence[int]) -> int:
    """Pods of shapes alike that fit on a group at most: as many as of one of them where it admits all the same."""
    if not group.mixed:
        return group.fits[shapes[0]]
    return sum(group.fits[shape] for shape in shapes)


def _of_one(groups: Sequence[NodeGroup], inside: Sequence[int], shape: int) -> int:
    """Pods of one shape that fit in a zone; told only where groups admit different shapes."""
    if not any(groups[g].mixed for g in inside):
        return int(np.iinfo(np.int64).max)
    return sum(groups[g].fits[shape] for g in inside)


def _request(problem: PlacementProblem, shape: int) -> tuple[object, ...]:
    """What a pod of a shape takes on a node, cards included."""
    cards = problem.cards
    mine = () if cards is None else (cards.need[shape].tobytes(), int(cards.count[shape]))
    shared = tuple(one.asks.get(shape, 0) for one in problem.domain_rooms)
    even = tuple((shape in one.shapes, shape in one.matching) for one in problem.spreads)
    return (
        problem.requests[shape].tobytes(),
        int(problem.shape_gpus[shape]),
        *shared,
        *even,
        *mine,
    )
