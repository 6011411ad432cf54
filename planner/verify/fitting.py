"""Whether a waiting gang fits beside a given use of nodes and queues (I1 to I6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.workloads import Gang, PodSpec
from planner.verify.domains import Nodes
from planner.verify.needs import Need, Piece
from planner.verify.packing import packs
from planner.verify.prefilter import passes_prefilter
from planner.verify.room import Room, Stall
from planner.verify.state import State, Usage

Counts = tuple[int, ...]


class Fitting:
    """Answers for many gangs beside the same use.

    Parameters
    ----------
    held
        Requests and number of pods per node.
    charged
        Requests per queue, children not included.
    """

    def __init__(
        self,
        state: State,
        held: Mapping[str, Usage],
        charged: Mapping[str, Usage],
        specs: list[PodSpec],
    ) -> None:
        self.state = state
        self._held, self._specs = held, specs
        self._unchanged: Fitting | None = None
        self._rooms: dict[Nodes | None, Room] = {}
        self._charged = charged
        self._left: dict[tuple[str, str], int | None] = {}
        self._totals: dict[str, Usage] = {}
        self._known: dict[tuple[object, ...], bool | None] = {}

    def changed(self, held: Mapping[str, Usage], charged: Mapping[str, Usage]) -> Fitting:
        """Answers where these nodes hold something else, and all queues ask for so much."""
        found = Fitting(self.state, held, charged, self._specs)
        found._unchanged = self
        return found

    def fits(self, gang: Gang, need: Need) -> bool | None:
        """Whether some set of pods that makes the gang ready can be placed; None where that is not decided.

        Room alone decides nothing for a gang that rules between pods concern, unless it is too small.
        """
        answer = self._fits(gang, need)
        return None if answer and gang.full_name in self.state.ruled_gangs else answer

    def _fits(self, gang: Gang, need: Need) -> bool | None:
        if self.state.queues.why_closed(gang.queue) or not need.possible:
            return False
        if self.state.admission.refuses([gang]):
            return False
        if need.counts is None:
            return None
        undecided = False
        choices = self._choices(gang)
        sets = sorted(need.counts)
        if None not in choices:  # what fits nowhere fits into no domain
            sets = [
                one for one in sets if self._fits_counts(gang.queue, need, one, None) is not False
            ]
        for within in choices if sets else ():
            for counts in sets:
                answer = self._fits_counts(gang.queue, need, counts, within)
                if answer and self._bound_inside(gang):
                    answer = None  # its subgroups choose domains of their own
                if answer:
                    return True
                undecided = undecided or answer is None
        return None if undecided else False

    def _choices(self, gang: Gang) -> Sequence[Nodes | None]:
        """Domains of which one must hold the gang with its running pods; (None,) = anywhere."""
        domains = self.state.domains
        tier = domains.tier_of(gang.topology)
        if domains.circular and (tier is not None or self._bound_inside(gang)):
            return ()
        if tier is None:
            return (None,)
        held = {pod.node or "" for pod in self.state.running_before(gang)}
        found = domains.choices(tier, held)
        return [one for one in found if passes_prefilter(self.state, gang, one)]

    def _bound_inside(self, gang: Gang) -> bool:
        tiers = (self.state.domains.tier_of(policy.topology) for policy in gang.subgroups)
        return any(tier is not None for tier in tiers)

    def _room(self, within: Nodes | None) -> Room:
        if within not in self._rooms:
            before = self._unchanged
            self._rooms[within] = (
                Room(self.state, self._held, self._specs, within)
                if before is None
                else before._room(within).changed(self._held)
            )
        return self._rooms[within]

    def _fits_counts(
        self, queue: str, need: Need, counts: Counts, within: Nodes | None
    ) -> bool | None:
        asked = [(piece, count) for piece, count in zip(need.pieces, counts, strict=True) if count]
        key = (
            queue,
            within,
            *((self.state.look(piece.spec), piece.marked, count) for piece, count in asked),
        )
        if key not in self._known:
            total: Usage = {}
            for piece, count in asked:
                self.state.add(total, piece.spec, count)
            self._known[key] = self._within_limits(queue, total) and self._on_nodes(
                queue, need, counts, within
            )
        return self._known[key]

    def _within_limits(self, queue: str, total: Usage) -> bool:
        for level in self.state.queues.limiting(queue):
            for resource, amount in total.items():
                left = self._left_in(level, resource)
                if left is not None and amount > left:
                    return False
        return True

    def _left_in(self, queue: str, resource: str) -> int | None:
        key = (queue, resource)
        if key not in self._left:
            if queue not in self._totals:
                self._totals[queue] = self.state.queue_usage(self._charged, queue)
            limit = self.state.queues.limit(queue, resource)
            used = self._totals[queue].get(resource, 0)
            self._left[key] = None if limit is None else limit - used
        return self._left[key]

    def _on_nodes(
        self, queue: str, need: Need, counts: Counts, within: Nodes | None
    ) -> bool | None:
        pieces = [(one, n) for one, n in zip(need.pieces, counts, strict=True) if n]
        stalls: dict[int, Stall] = {}
        admitted: dict[int, int] = {}  # bit per piece
        for index, (piece, wanted) in enumerate(pieces):
            fitting = 0
            for stall, per_node in self._room(within).places(piece, queue):
                fitting += per_node * stall.nodes
                stalls[id(stall)] = stall
                admitted[id(stall)] = admitted.get(id(stall), 0) | 1 << index
                if fitting >= wanted and len(pieces) == 1:
                    return None if self._guessed(piece) else True
            if fitting < wanted:
                return False
        requests = [self.state.request(piece.spec) for piece, _ in pieces]
        groups = {
            bits: frozenset(index for index in range(len(pieces)) if bits >> index & 1)
            for bits in set(admitted.values())
        }
        places = [(stall, groups[admitted[key]]) for key, stall in stalls.items()]
        together = packs(tuple(n for _, n in pieces), requests, places)
        shared = any(self.state.book.ask(piece.spec) is not None for piece, _ in pieces)
        return None if shared and together else together  # sums prove nothing about cards

    def _guessed(self, piece: Piece) -> bool:
        """Whether running pods may hold other cards than are assumed here: some do not tell theirs."""
        state = self.state
        return state.book.ask(piece.spec) is not None and state.cards_guessed
