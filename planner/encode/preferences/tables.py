"""Terms of preferred rules as tables over nodes and domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from models.cluster import Node
from models.pod_terms import PreferredNodes
from models.selectors import Expression, NodeSelectorTerm, Taint
from planner.encode.pod_rules.domains_by_key import KeyDomains
from planner.encode.pod_rules.reach import Reach, expression_words
from planner.encode.predicates import show_taint
from planner.problem.wishes import (
    TAINT_POINTS,
    IntArray,
    NodeWish,
    PodWish,
    SpreadWish,
    Wishes,
)

SOFT_TAINT = "PreferNoSchedule"


@dataclass(frozen=True, slots=True)
class Rows:
    """What a pod would rather have of its node alone."""

    nodes: tuple[PreferredNodes, ...] = ()
    taints: tuple[Taint, ...] = ()


@dataclass(frozen=True, slots=True)
class PodTerm:
    """A preferred term about other pods, as its owners have it; ``copy`` counts equal ones of the same pod."""

    near: bool
    weight: int
    key: str
    reach: Reach
    copy: int = 0


@dataclass(frozen=True, slots=True)
class SpreadTerm:
    """A constraint that schedules anyway, with the nodes that count for it; ``wording`` is as the owners wrote it."""

    key: str
    skew: int
    reach: Reach
    nodes: frozenset[str]
    wording: tuple[object, ...] = ()


Term = TypeVar("Term", PodTerm, SpreadTerm)


@dataclass(frozen=True, slots=True)
class Owned(Generic[Term]):
    """A term with the wishes of its owners, those that it selects, and node to matching pods that hold it."""

    term: Term
    owners: frozenset[int]
    selected: frozenset[int]
    held: Mapping[str, int]


def wishes_of(
    nodes: Sequence[Node],
    domains: KeyDomains,
    rows: Mapping[int, Rows],
    pods: Iterable[Owned[PodTerm]],
    spreads: Iterable[Owned[SpreadTerm]],
) -> Wishes:
    """The tables; wishes whose rows say the same share theirs."""
    known: dict[Rows, tuple[NodeWish, ...]] = {}
    by_wish: dict[int, tuple[NodeWish, ...]] = {}
    for wish, one in rows.items():
        if one not in known:
            known[one] = _node_wishes(nodes, one)
        if known[one]:
            by_wish[wish] = known[one]
    places = _Places(nodes, domains)
    return Wishes(
        by_wish,
        tuple(made for one in pods for made in _pod_wishes(places, one)),
        tuple(_spread_wish(places, one) for one in spreads),
    )


def _node_wishes(nodes: Sequence[Node], rows: Rows) -> tuple[NodeWish, ...]:
    found = [
        NodeWish(
            f"nodeAffinity for {_words(one.term)}",
            one.weight,
            np.array([not one.term.matches(node.name, node.labels) for node in nodes], np.bool_),
        )
        for one in rows.nodes
    ]
    found += [
        NodeWish(
            f"taint {show_taint(taint)}",
            TAINT_POINTS,
            np.array([taint in node.taints for node in nodes], np.bool_),
        )
        for taint in rows.taints
    ]
    return tuple(one for one in found if one.unmet.any())


def _words(term: NodeSelectorTerm) -> str:
    entries: tuple[Expression, ...] = (*term.match_expressions, *term.match_fields)
    return ",".join(map(expression_words, entries))


def _pod_wishes(places: _Places, one: Owned[PodTerm]) -> Iterable[PodWish]:
    term = one.term
    place, held = places.of(term.key, one.held, None)
    kind, verb = ("podAffinity", "to") if term.near else ("podAntiAffinity", "against")
    words = f"{kind} {verb} {term.reach.words()} in its {term.key}"
    for owner in sorted(one.owners):
        yield PodWish(words, term.weight, term.near, owner, one.selected, place, held)


def _spread_wish(places: _Places, one: Owned[SpreadTerm]) -> SpreadWish:
    term = one.term
    place, held = places.of(term.key, one.held, term.nodes)
    words = (
        f"topologySpreadConstraints over {term.key} (maxSkew {term.skew}) of {term.reach.words()}"
    )
    return SpreadWish(words, term.skew, one.owners, one.selected, place, held)


class _Places:
    """Domains by number; terms of one key over the same nodes share the table."""

    def __init__(self, nodes: Sequence[Node], domains: KeyDomains) -> None:
        self._nodes, self._domains = nodes, domains
        self._known: dict[tuple[str, frozenset[str] | None], tuple[dict[str, int], IntArray]] = {}

    def of(
        self, key: str, held: Mapping[str, int], only: frozenset[str] | None
    ) -> tuple[IntArray, IntArray]:
        """``[nodes]`` domain of each node, and what each domain holds."""
        if (key, only) not in self._known:
            self._known[key, only] = self._numbered(key, only)
        number, place = self._known[key, only]
        counts = np.zeros(int(place.max(initial=-1)) + 1, np.int64)
        for node, pods in held.items():
            if node in number:
                counts[number[node]] += pods
        return place, counts

    def _numbered(self, key: str, only: frozenset[str] | None) -> tuple[dict[str, int], IntArray]:
        """Node to the number of its domain, and the same as an array with -1 outside all domains."""
        of = self._domains.of(key)
        inside = {name: domain for name, domain in of.items() if only is None or name in only}
        number = {domain: index for index, domain in enumerate(sorted(set(inside.values())))}
        found = {name: number[domain] for name, domain in inside.items()}
        return found, np.array([found.get(node.name, -1) for node in self._nodes], np.int64)
