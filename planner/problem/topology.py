"""Topology domains by index: nested sets of nodes, and where a gang or a part of it has to stay together.

The domains of a forest are nested or disjoint, never crossing. A *level* holds domains of one tier; a node outside
all of them is a place of its own there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

RULE_TIER = 1 << 30
"""Tier of domains that only a rule of some gang makes: no topology object, no level, no path of a node."""
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Domain:
    """A set of nodes (ascending indices) that a topology object or a label value stands for."""

    name: str
    tier: int
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Level:
    """Domains of one tier, as the objective counts them.

    Attributes
    ----------
    place
        Per node the number of its place: domains of the tier first, then nodes outside all of them.
    names
        Per place the domain's or node's name.
    """

    name: str
    tier: int
    place: tuple[int, ...]
    names: tuple[str, ...]

    @cached_property
    def place_of(self) -> IntArray:
        """``place`` as an array."""
        return np.array(self.place, dtype=np.int64)

    def count(self, nodes: Iterable[int]) -> int:
        """Places that hold some of the nodes."""
        return len({self.place[node] for node in nodes})


@dataclass(frozen=True)
class TopologyForest:
    """All domains of a cluster.

    Attributes
    ----------
    levels
        Tiers with more than one place, the finest first.
    top_tier
        Tier of the virtual domain above all: a rule with this tier or a higher one binds nothing.
    tier_of_name
        Tier names to tiers.
    fault
        Why no rule about topology can be kept (domains that contain each other), "" where there is none.
    """

    domains: tuple[Domain, ...] = ()
    levels: tuple[Level, ...] = ()
    top_tier: int = 1
    tier_of_name: tuple[tuple[str, int], ...] = ()
    fault: str = ""
    _within: dict[int, tuple[int, ...]] = field(default_factory=dict, compare=False, repr=False)
    _place: dict[tuple[tuple[int, ...], int], IntArray] = field(
        default_factory=dict, compare=False, repr=False
    )

    def within(self, tier: int) -> tuple[int, ...]:
        """The largest domains of at most this tier: whoever shares a domain of the tier is inside one of them."""
        if tier not in self._within:
            inside: set[int] = set()
            found = []
            allowed = [d for d, one in enumerate(self.domains) if one.tier <= tier and one.nodes]
            for number in sorted(allowed, key=lambda d: (-len(self.domains[d].nodes), d)):
                if self.domains[number].nodes[0] not in inside:
                    inside.update(self.domains[number].nodes)
                    found.append(number)
            self._within[tier] = tuple(sorted(found))
        return self._within[tier]

    def sums(self, choices: tuple[int, ...], counts: IntArray) -> IntArray:
        """Sums of ``[nodes]`` counts over each of these disjoint domains, in their order.

        Nodes beyond those of the forest (imagined ones) are in no domain.
        """
        key = (choices, len(counts))
        if key not in self._place:
            place = np.full(len(counts), len(choices), dtype=np.int64)
            for position, number in enumerate(choices):
                place[self.arrays(number)] = position
            self._place[key] = place
        found = np.zeros(len(choices) + 1, dtype=np.int64)
        np.add.at(found, self._place[key], counts)
        return found[:-1]

    def home(self, choices: Iterable[int], nodes: Iterable[int]) -> int | None:
        """The domain among disjoint ``choices`` that holds all nodes; None where there is none."""
        wanted = set(nodes)
        for number in choices:
            members = self.members(number)
            if wanted and wanted <= members:
                return number
        return None

    def members(self, number: int) -> frozenset[int]:
        """Nodes of a domain as a set."""
        return self._members[number]

    @cached_property
    def _members(self) -> tuple[frozenset[int], ...]:
        return tuple(frozenset(one.nodes) for one in self.domains)

    def arrays(self, number: int) -> IntArray:
        """Nodes of a domain as an array."""
        return self._arrays[number]

    @cached_property
    def _arrays(self) -> tuple[IntArray, ...]:
        return tuple(np.array(one.nodes, dtype=np.int64) for one in self.domains)

    def path(self, node: int) -> tuple[str, ...]:
        """Names of the domains that hold a node, the widest first."""
        return self._paths.get(node, ())

    @cached_property
    def _paths(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, list[str]] = {}
        order = sorted(
            range(len(self.domains)),
            key=lambda d: (-len(self.domains[d].nodes), -self.domains[d].tier, d),
        )
        for number in order:
            if self.domains[number].tier == RULE_TIER:
                continue
            for node in self.domains[number].nodes:
                found.setdefault(node, []).append(self.domains[number].name)
        return {node: tuple(names) for node, names in found.items()}


NO_TOPOLOGY = TopologyForest()
