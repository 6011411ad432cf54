"""Free room of a cluster, with nodes that look the same counted together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace

from models.cards.kinds import CARD_RESOURCES, CardAsk
from models.cluster import Node
from models.queues import Queue
from models.resources import PODS
from models.workloads import PodSpec
from planner.verify.cards import Tray
from planner.verify.needs import Piece
from planner.verify.predicates import GROUP_LABEL, ZONE_KEY, Doorkeeper
from planner.verify.remembered import Remembered
from planner.verify.state import State, Usage

_UNCOUNTED = 1 << 60
"""Amount of a card resource that a node does not list: its cards decide."""
_COMMON = ("cpu", "memory", "ephemeral-storage")
_Look = tuple[object, ...]
"""What tells nodes apart: their face, what is free, their cards."""


@dataclass(slots=True)
class Stall:
    """Nodes with the same free room that the predicates cannot tell apart.

    Attributes
    ----------
    face
        Number of what the predicates see; ``node`` is one of them.
    tray
        Cards of one of the nodes where pods share cards; None where those on it have no cards together.
    """

    face: int
    node: Node
    free: Mapping[str, int]
    nodes: int = 0
    tray: Tray | None = None

    def pods(self, request: tuple[tuple[str, int], ...], ask: CardAsk | None = None) -> int:
        """Pods of a request that fit on one of the nodes, on its cards too where they ask for some."""
        most = self.free.get(PODS, 0)
        if ask is not None:
            most = min(most, self.tray.pods(ask) if self.tray else 0)
        for name, amount in request:
            most = min(most, self.free.get(name, 0) // amount)
        return max(most, 0)


class Room:
    """Free room beside a given use of the nodes.

    Parameters
    ----------
    used
        Requests and number of pods per node, see :attr:`State.held_before`.
    specs
        Specifications that will be asked for: only labels which they test tell nodes apart.
    within
        Nodes that count; None = all.
    """

    def __init__(
        self,
        state: State,
        used: Mapping[str, Usage],
        specs: Iterable[PodSpec],
        within: frozenset[str] | None = None,
    ) -> None:
        self._state = state
        nodes = state.snapshot.node_by_name
        here = list(nodes.values()) if within is None else [nodes[n] for n in sorted(within)]
        asked = list(specs)
        self._keys, self._by_name = _tested(asked)
        self._resources = sorted({name for spec in asked for name, _ in state.request(spec)})
        self._keeper = Doorkeeper(state.policy)
        self._faces: dict[tuple[object, ...], int] = {}
        self._admitted: dict[tuple[int, bool, str, int], bool] = {}
        self._orders: dict[str, list[Stall]] = {}
        self._found: dict[tuple[int, bool, str], Remembered[tuple[Stall, int]]] = {}
        self._stalls: dict[_Look, Stall] = {}
        self._looks: dict[str, _Look] = {}
        for node in here:
            look, stall = self._stall(node, used[node.name])
            self._looks[node.name] = look
            self._stalls.setdefault(look, stall).nodes += 1

    def changed(self, used: Mapping[str, Usage]) -> Room:
        """The room where the use of these nodes is another one; nodes elsewhere do not count."""
        other = copy(self)
        other._orders, other._found = {}, {}
        other._stalls, other._looks = dict(self._stalls), dict(self._looks)
        nodes = self._state.snapshot.node_by_name
        for name in used:
            if name in self._looks:
                look, stall = self._stall(nodes[name], used[name])
                other._count(self._looks[name], stall, -1)
                other._count(look, stall, 1)
                other._looks[name] = look
        return other

    def _count(self, look: _Look, stall: Stall, nodes: int) -> None:
        """More or fewer nodes that look so, without a change of what other rooms hold."""
        known = self._stalls.get(look, stall)
        self._stalls[look] = replace(known, nodes=known.nodes + nodes)
        if not self._stalls[look].nodes:
            del self._stalls[look]

    def _stall(self, node: Node, usage: Usage) -> tuple[_Look, Stall]:
        """What a node looks like, and a stall for its kind that counts no node yet."""
        face = self._faces.setdefault(
            (
                node.conditions.get("Ready", "True") == "True",
                node.unschedulable,
                node.taints,
                tuple(node.labels.get(key) for key in self._keys),
                node.name if self._by_name else "",
            ),
            len(self._faces),
        )
        free = {
            name: node.allocatable.amount(name) - usage.get(name, 0)
            for name in (*self._resources, PODS)
        }
        for name in self._resources:
            if name in CARD_RESOURCES and name not in node.allocatable:
                free[name] = _UNCOUNTED
        tray = self._state.tray(node.name, dict(usage)) if self._state.book else None
        look = (face, *free.values(), tray.look() if tray else None)
        return look, Stall(face, node, free, tray=tray)

    def places(self, piece: Piece, queue: str) -> Iterator[tuple[Stall, int]]:
        """Stalls that admit a piece of a queue's gang and have room, with the pods that fit on one node."""
        owner = queue if self._keeper.grouped else ""
        key = (self._state.look(piece.spec), piece.marked, owner)
        if key not in self._found:
            self._found[key] = Remembered(self._search(piece, queue))
        return iter(self._found[key])

    def _search(self, piece: Piece, queue: str) -> Iterator[tuple[Stall, int]]:
        request = self._state.request(piece.spec)
        rare = next((name for name, _ in request if name not in _COMMON), "")
        least = dict(request).get(rare, 1)
        ask = self._state.book.ask(piece.spec)
        for stall in self._by_free(rare or PODS):
            if stall.free.get(rare or PODS, 0) < least:
                return
            fitting = stall.pods(request, ask)
            if fitting and self._admits(piece, queue, stall):
                yield stall, fitting

    def _by_free(self, resource: str) -> list[Stall]:
        if resource not in self._orders:
            self._orders[resource] = sorted(
                self._stalls.values(), key=lambda stall: stall.free.get(resource, 0), reverse=True
            )
        return self._orders[resource]

    def _admits(self, piece: Piece, queue: str, stall: Stall) -> bool:
        owner = queue if self._keeper.grouped else ""
        key = (id(piece.spec), piece.marked, owner, stall.face)
        if key not in self._admitted:
            found: Queue | None = self._state.queues.listed.get(queue)
            self._admitted[key] = not self._keeper.why_closed(
                piece.spec, stall.node, marked=piece.marked, queue=found
            )
        return self._admitted[key]


def _tested(specs: Iterable[PodSpec]) -> tuple[tuple[str, ...], bool]:
    """Label keys that some specification or policy tests, and whether one names nodes."""
    keys, by_name = {GROUP_LABEL, ZONE_KEY}, False
    for spec in specs:
        keys.update(key for key, _ in spec.node_selector)
        for term in spec.node_affinity or ():
            keys.update(one.key for one in term.match_expressions)
            by_name = by_name or bool(term.match_fields)
    return tuple(sorted(keys)), by_name
