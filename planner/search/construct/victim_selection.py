"""Victims for waiting pods, node by node at the least cost: a first plan, and the moves that improve one."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from planner.problem.placement import IntArray, PlacementProblem
from planner.problem.victims import Victims
from planner.search.construct.node_losses import Loss, NodeLosses
from planner.search.construct.queue_spare import QueueSpare

Chosen = tuple[tuple[Loss, int], ...]
"""Losses of one node, with their units."""


@dataclass
class Hosts:
    """Pods on nodes that make running ones leave.

    Attributes
    ----------
    shapes
        Node to the shapes of the newcomers on it.
    chosen
        Node to what it loses for them.
    cost
        Harm of all losses, each counted once.
    """

    shapes: dict[int, list[int]] = field(default_factory=dict)
    chosen: dict[int, Chosen] = field(default_factory=dict)
    cost: int = 0


class RoomMaker:
    """Keeps the cheapest losses that let newcomers onto their nodes.

    A gang that one node gives up has left everywhere; other nodes count on that only where they choose it themselves,
    at no further cost, so a node may always take its choice back.

    Parameters
    ----------
    free
        Room per node, negative where more is held than allocatable.
    gone
        Kind to pods that have left for others before.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        victims: Victims,
        losses: NodeLosses,
        spare: QueueSpare,
        free: IntArray,
        gone: Mapping[int, int],
    ) -> None:
        self.problem = problem
        self.losses = losses
        self.hosts = Hosts()
        self._victims = victims
        self._spare = spare
        self._free = free
        self._gone: Counter[int] = Counter()
        self._left: Counter[object] = Counter()
        self._budgets: Counter[int] = Counter()
        self._requests = [
            [(d, int(amount)) for d, amount in enumerate(request) if amount]
            for request in problem.requests
        ]
        self._count(gone, 1)

    def give(self, node: int, shape: int) -> bool:
        """Put one more pod onto a node, with what has to leave for it; False and no change where it cannot be had."""
        return self.host(node, [*self.hosts.shapes.get(node, ()), shape])

    def host(self, node: int, shapes: list[int]) -> bool:
        """Let a node hold these newcomers and no others; False and no change where it cannot."""
        before = self.hosts.chosen.get(node, ())
        self._book(before, -1)
        chosen = self._cover(node, shapes)
        self._book(before if chosen is None else chosen, 1)
        if chosen is None:
            return False
        self.hosts.shapes[node], self.hosts.chosen[node] = shapes, chosen
        return True

    def restore(self, node: int, shapes: list[int], chosen: Chosen) -> None:
        """Back to an earlier state of a node."""
        self._book(self.hosts.chosen.get(node, ()), -1)
        self._book(chosen, 1)
        self.hosts.shapes[node], self.hosts.chosen[node] = shapes, chosen

    def price(self, node: int, shape: int) -> int | None:
        """What one more pod of a shape would cost on a node, None where it cannot be had."""
        shapes, chosen, cost = (
            self.hosts.shapes.get(node, []),
            self.hosts.chosen.get(node, ()),
            self.hosts.cost,
        )
        if not self.give(node, shape):
            return None
        found = self.hosts.cost - cost
        self.restore(node, shapes, chosen)
        return found

    def victims(self) -> tuple[str, ...]:
        """Names of the pods that leave."""
        names: set[str] = set()
        given_up = {loss.gang for chosen in self.hosts.chosen.values() for loss, _ in chosen}
        for one in self._victims.pods:
            if self._victims.kinds[one.kind].gang in given_up - {-1}:
                names.update(one.names)
        for chosen in self.hosts.chosen.values():
            for loss, units in chosen:
                if loss.pods >= 0:
                    names.update(self._victims.pods[loss.pods].names[:units])
        return tuple(sorted(names))

    def neighbours(self, node: int) -> Iterator[int]:
        """Nodes that lose pods with the gangs that a node gives up."""
        for loss, _ in self.hosts.chosen.get(node, ()):
            yield from self.losses.nodes_of.get(loss.gang, ())

    def _pods_of(self, loss: Loss, units: int) -> dict[int, int]:
        """Pods per kind that leave with a loss, on all nodes."""
        return {loss.kinds[0]: units} if loss.pods >= 0 else self.losses.pods_of[loss.gang]

    def _book(self, chosen: Iterable[tuple[Loss, int]], sign: int) -> None:
        for loss, units in chosen:
            if loss.pods < 0:
                before = self._gone[loss.gang]
                self._gone[loss.gang] += sign
                if (before == 0) == (self._gone[loss.gang] == 0):
                    continue
            for key, _ in self.losses.limits.get(loss.pods, ()):
                self._left[key] += sign * units
            self.hosts.cost += sign * loss.cost * units
            self._account(loss, units, sign)

    def _account(self, loss: Loss, units: int, sign: int) -> None:
        if not self._spare.binds and not self._victims.budgets:
            return
        self._count(self._pods_of(loss, units), sign)

    def _count(self, pods: Mapping[int, int], sign: int) -> None:
        """Charge queues and budgets with pods that leave (1) or stay after all (-1)."""
        self._spare.take(pods, sign)
        for kind, count in pods.items():
            for budget in self._victims.kinds[kind].budgets:
                self._budgets[budget] += sign * count

    def _cover(self, node: int, shapes: Sequence[int]) -> Chosen | None:
        """Losses that free what the shapes lack, cheap ones first, without those that are not needed in the end."""
        lacking = self._lacking(node, shapes)
        if not lacking:
            return ()
        ranked = []
        for place, loss in enumerate(self.losses.at.get(node, ())):
            share = sum(
                min(loss.vector[d] * loss.most, amount) / amount for d, amount in lacking.items()
            )
            if share:
                cost = 0 if self._gone[loss.gang] and loss.pods < 0 else loss.cost * loss.most
                ranked.append((cost / share, place, loss))
        ranked.sort()
        taken: list[tuple[Loss, int]] = []
        for _, _, loss in ranked:
            if loss.pods >= 0 and any(self._includes(one, loss) for one, _ in taken):
                continue
            units = self._units(loss, lacking)
            if units and self._may(loss, units):
                if loss.pods < 0:
                    self._replace(taken, loss, lacking)
                taken.append((loss, units))
                self._book(taken[-1:], 1)
                for d in list(lacking):
                    lacking[d] -= loss.vector[d] * units
                if all(amount <= 0 for amount in lacking.values()):
                    break
        self._book(taken, -1)
        if any(amount > 0 for amount in lacking.values()):
            return None
        return self._needed(taken, lacking)

    def _includes(self, whole: Loss, surplus: Loss) -> bool:
        """Whether a gang that is given up has these pods."""
        return whole.pods < 0 and self._victims.kinds[surplus.kinds[0]].gang == whole.gang

    def _replace(self, taken: list[tuple[Loss, int]], whole: Loss, lacking: dict[int, int]) -> None:
        """Surplus of a gang leaves with the gang: it is not counted twice."""
        for one in [one for one in taken if one[0].pods >= 0 and self._includes(whole, one[0])]:
            taken.remove(one)
            self._book([one], -1)
            for d in lacking:
                lacking[d] += one[0].vector[d] * one[1]

    def _lacking(self, node: int, shapes: Sequence[int]) -> dict[int, int]:
        asked: dict[int, int] = {}
        for shape in shapes:
            for d, amount in self._requests[shape]:
                asked[d] = asked.get(d, 0) + amount
        free = self._free[node]
        found = {d: amount - int(free[d]) for d, amount in asked.items()}
        return {d: amount for d, amount in found.items() if amount > 0}

    def _units(self, loss: Loss, lacking: dict[int, int]) -> int:
        wanted = max(
            (
                -(-amount // loss.vector[d])
                for d, amount in lacking.items()
                if amount > 0 and loss.vector[d]
            ),
            default=0,
        )
        most = loss.most
        for key, limit in self.losses.limits.get(loss.pods, ()):
            most = min(most, limit - self._left[key])
        return max(min(wanted, most), 0)

    def _may(self, loss: Loss, units: int) -> bool:
        """Whether queues and budgets allow one more loss."""
        if loss.pods < 0 and self._gone[loss.gang]:
            return True
        if not self._spare.binds and not self._victims.budgets:
            return True
        pods = self._pods_of(loss, units)
        budgets: Counter[int] = Counter()
        for kind, count in pods.items():
            budgets.update(dict.fromkeys(self._victims.kinds[kind].budgets, count))
        allowed = self._victims.budgets
        return self._spare.allows(pods) and all(
            self._budgets[one] + count <= max(allowed[one], 0) for one, count in budgets.items()
        )

    @staticmethod
    def _needed(taken: list[tuple[Loss, int]], lacking: dict[int, int]) -> Chosen:
        """Give back what is not needed, dear losses first; ``lacking`` is at most 0 everywhere."""
        kept: list[tuple[Loss, int]] = []
        for loss, units in sorted(taken, key=lambda one: -one[0].cost):
            spare = min(
                (-amount // loss.vector[d] for d, amount in lacking.items() if loss.vector[d]),
                default=units,
            )
            back = min(spare, units)
            for d in lacking:
                lacking[d] += loss.vector[d] * back
            if units > back:
                kept.append((loss, units - back))
        return tuple(kept)


def cheapest_nodes(
    maker: RoomMaker, shape: int, wanted: int, nodes: Sequence[int], alike: Mapping[int, int]
) -> list[int]:
    """Hosts for so many pods, the cheapest first, fewer than wanted where no more can be had.

    ``alike`` maps nodes that cost the same as long as nothing was chosen to one key.
    """
    first: dict[tuple[bool, int], int | None] = {}
    heap: list[tuple[int, int]] = []
    for node in nodes:
        key = (node in alike, alike.get(node, node))
        if key not in first:
            first[key] = maker.price(node, shape)
        price = first[key]
        if price is not None:
            heap.append((price, node))
    heapq.heapify(heap)
    usable = {node for _, node in heap}
    found: list[int] = []
    while heap and len(found) < wanted:
        _, node = heapq.heappop(heap)
        price = maker.price(node, shape)
        if price is None:
            continue
        if heap and price > heap[0][0]:
            heapq.heappush(heap, (price, node))
            continue
        maker.give(node, shape)
        found.append(node)
        heapq.heappush(heap, (price, node))
        for other in usable.intersection(maker.neighbours(node)) - {node}:
            price = maker.price(other, shape)
            if price is not None:
                heapq.heappush(heap, (price, other))
    return found
