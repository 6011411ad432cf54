"""Columns about topology, and how to read them: domains that gangs choose, pods per domain, places that are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from planner.model.variables import Terms
from planner.reduce.disaggregate import RegionShare

Nodes = frozenset[int]


@dataclass
class Regions:
    """Columns by meaning.

    Attributes
    ----------
    nodes
        Nodes of every region.
    pods
        ``[class]`` region to terms per item.
    starts
        ``(class, region)`` of classes whose gangs choose a domain as a whole, to terms of their number.
    within
        ``(class, part, domain)`` to whether the part is there: the gang (-1) or a subgroup of it.
    partitions
        ``(class, item, domain)`` to its partitions.
    fixed
        ``(class, region)`` to the running gangs of the class that are there and may only grow.
    fits
        First node of every group to the pods of each shape that fit into the group.
    """

    nodes: list[Nodes] = field(default_factory=list)
    pods: dict[int, dict[int, dict[int, Terms]]] = field(default_factory=dict)
    starts: dict[tuple[int, int], Terms] = field(default_factory=dict)
    within: dict[tuple[int, int, int], int] = field(default_factory=dict)
    partitions: dict[tuple[int, int, int], int] = field(default_factory=dict)
    fixed: dict[tuple[int, int], int] = field(default_factory=dict)
    fits: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    _number: dict[Nodes, int] = field(default_factory=dict)

    def number(self, nodes: Nodes) -> int:
        """The region of these nodes."""
        if nodes not in self._number:
            self._number[nodes] = len(self.nodes)
            self.nodes.append(nodes)
        return self._number[nodes]

    def fitting(self, nodes: Nodes, shape: int) -> int:
        """Upper bound on the pods of a shape that the groups of a region hold."""
        if len(nodes) < len(self.fits):
            return sum(self.fits[node][shape] for node in nodes if node in self.fits)
        return sum(fits[shape] for node, fits in self.fits.items() if node in nodes)

    def shares(self, k: int, values: Sequence[int]) -> list[RegionShare]:
        """What a solution places for a class, region by region; empty for classes that nothing binds."""
        found = []
        for region, items in self.pods.get(k, {}).items():
            width = max(items, default=-1) + 1
            pods = tuple(_value(items.get(i, []), values) for i in range(width))
            gangs = -1
            if (k, region) in self.starts:
                gangs = _value(self.starts[k, region], values)
            elif (k, region) in self.fixed:
                gangs = self.fixed[k, region]
            if gangs > 0 or any(pods):
                found.append(RegionShare(self.nodes[region], gangs, pods))
        return found


def _value(terms: Terms, values: Sequence[int]) -> int:
    return sum(factor * values[column] for column, factor in terms)


@dataclass
class Gathering:
    """How the model counts places per level: column by column, or as one bound.

    Attributes
    ----------
    places
        ``(class, unit, level, place)`` to whether a unit of the class's gang (index into ``gathered``) has pods there.
    totals
        Level to a column that is at least what the started gangs need in any case.
    """

    places: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    totals: dict[int, int] = field(default_factory=dict)
