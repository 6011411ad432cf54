"""Gangs that must be in one domain of a topology key, as choices of domains beside those of the topology forest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planner.problem.topology import RULE_TIER, Domain, TopologyForest

Tied = Mapping[str, Sequence[tuple[str, frozenset[str]]]]
"""Gang to (words, nodes): one of these sets must hold all its pods."""


class TiedGangs:
    """Adds domains to a forest as gangs need them."""

    def __init__(self, forest: TopologyForest, tied: Tied, node_number: Mapping[str, int]) -> None:
        self._forest, self._tied, self._node_number = forest, tied, node_number
        self._added: list[Domain] = []
        self._numbers: dict[tuple[int, ...], int] = {}

    def choices(self, gang: str, given: tuple[int, ...] | None) -> tuple[int, ...] | None:
        """Domains of which one must hold the gang: its own, inside one of those that are given."""
        if gang not in self._tied:
            return given
        found: dict[int, None] = {}
        for words, names in self._tied[gang]:
            nodes = {self._node_number[name] for name in names}
            for number in (None,) if given is None else given:
                inside = nodes if number is None else nodes & self._forest.members(number)
                if inside:
                    found[self._number(words, tuple(sorted(inside)))] = None
        return tuple(sorted(found))

    def _number(self, words: str, nodes: tuple[int, ...]) -> int:
        if nodes not in self._numbers:
            self._numbers[nodes] = len(self._forest.domains) + len(self._added)
            self._added.append(Domain(words, RULE_TIER, nodes))
        return self._numbers[nodes]

    def forest(self) -> TopologyForest:
        """The forest with all domains added so far."""
        if not self._added:
            return self._forest
        return replace(
            self._forest, domains=(*self._forest.domains, *self._added), _within={}, _place={}
        )
