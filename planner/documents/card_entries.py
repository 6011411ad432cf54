"""Cards in the plan document: those of every placed pod, and what each shared card holds before and after."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from models.cards.kinds import MILLI, VGPU, CardAsk, CardKind, Vector
from models.cluster import Node
from models.plan import CardEntry, GangEntry, NodeEntry, PodGroupEntry
from models.workloads import PodSpec
from planner.capacity.cards.card_packing import Piece, pack_cards
from planner.encode.prepared import Prepared
from planner.encode.victims.after_evictions import cards_without
from planner.problem.cards import CardTable

NO_CARD = (-1, -1, -1)
Cards = tuple[int, ...]


def with_cards(
    prepared: Prepared,
    gangs: tuple[GangEntry, ...],
    nodes: tuple[NodeEntry, ...],
    evicted: Collection[str],
) -> tuple[tuple[GangEntry, ...], tuple[NodeEntry, ...]]:
    """The same entries with cards where pods share them."""
    table = prepared.problem.cards
    if table is None:
        return gangs, nodes
    dealer = _Dealer(prepared, cards_without(table, evicted) if evicted else table)
    for gang in gangs:
        for part in gang.pods:
            if part.action == "place" and part.node is not None:
                dealer.add(gang, part)
    dealer.deal()
    return (
        tuple(dealer.gang(gang) for gang in gangs),
        tuple(dealer.node(row, entry, table) for row, entry in enumerate(nodes)),
    )


@dataclass(slots=True)
class _Pod:
    ask: CardAsk
    cards: Cards = ()


class _Dealer:
    def __init__(self, prepared: Prepared, left: CardTable) -> None:
        self._prepared, self._left = prepared, left
        self._row = {name: row for row, name in enumerate(prepared.problem.node_names)}
        self._by_node: dict[int, list[_Pod]] = {}
        self._by_part: dict[int, list[_Pod | None]] = {}

    def add(self, gang: GangEntry, part: PodGroupEntry) -> None:
        """Note the pods of a part that ask for cards."""
        row = self._row[part.node or ""]
        pods: list[_Pod | None] = []
        for spec in self._specs(gang, part):
            ask = self._prepared.book.ask(spec)
            pod = None if ask is None else _Pod(ask)
            pods.append(pod)
            if pod is not None:
                self._by_node.setdefault(row, []).append(pod)
        if any(pods):
            self._by_part[id(part)] = pods

    def _specs(self, gang: GangEntry, part: PodGroupEntry) -> Iterator[PodSpec]:
        snapshot = self._prepared.snapshot
        yield from (snapshot.pod_by_name[name].spec for name in part.names)
        promised = part.count - len(part.names)
        template = snapshot.gang_by_name[gang.full_name].template(part.role) if promised else None
        if template is not None:
            yield from (template.spec for _ in range(promised))

    def deal(self) -> None:
        """Choose the cards of all pods, node by node."""
        for row, pods in self._by_node.items():
            kinds = self._kinds(row)
            pieces = [
                Piece(pod.ask.count, tuple(pod.ask.on(kind) or NO_CARD for kind in kinds))
                for pod in pods
            ]
            free = [tuple(int(n) for n in one) for one in self._left.free[row][: len(kinds)]]
            for pod, cards in zip(pods, pack_cards(free, pieces) or (), strict=False):
                pod.cards = tuple(sorted(cards))

    def _kinds(self, row: int) -> list[CardKind]:
        node: Node = self._prepared.snapshot.nodes[row]
        return [kind for _, kind in self._prepared.book.cards(node)]

    def gang(self, entry: GangEntry) -> GangEntry:
        """The entry with the cards of its placed pods."""
        if not any(id(part) in self._by_part for part in entry.pods):
            return entry
        parts = []
        for part in entry.pods:
            pods = self._by_part.get(id(part))
            if pods is not None:
                cards = tuple(pod.cards if pod else () for pod in pods)
                part = part.model_copy(update={"cards": cards})
            parts.append(part)
        return entry.model_copy(update={"pods": tuple(parts)})

    def node(self, row: int, entry: NodeEntry, table: CardTable) -> NodeEntry:
        """The entry with its cards, where the node has some."""
        kinds = self._kinds(row)
        if not kinds:
            return entry
        came: list[list[int]] = [[0, 0, 0] for _ in kinds]
        for pod in self._by_node.get(row, ()):
            for card in pod.cards:
                for d, amount in enumerate(pod.ask.on(kinds[card]) or (0, 0, 0)):
                    came[card][d] += amount
        guessed = {
            card
            for name in table.assumed
            if table.holds.get(name, (-1, ()))[0] == row
            for card, _ in table.holds[name][1]
        }
        cards = []
        for card, kind in enumerate(kinds):
            before = _used(kind.capacity, table.free[row, card].tolist())
            after = _used(kind.capacity, self._left.free[row, card].tolist())
            total = [a + c for a, c in zip(after, came[card], strict=True)]
            cards.append(
                CardEntry(
                    name=table.names[row][card],
                    capacity=_named(kind.family, kind.capacity),
                    before=_named(kind.family, before),
                    after=_named(kind.family, total),
                    assumed=card in guessed,
                )
            )
        return entry.model_copy(update={"cards": tuple(cards)})


def _used(capacity: Vector, free: Sequence[int]) -> list[int]:
    return [have - left for have, left in zip(capacity, free, strict=True)]


_WORDS: Mapping[str, tuple[str, ...]] = {
    MILLI: ("milliGpu",),
    VGPU: ("memoryMib", "coresPercent", "shares"),
}


def _named(family: str, amounts: Sequence[int]) -> dict[str, int]:
    return dict(zip(_WORDS.get(family, ("memory",)), amounts, strict=False))
