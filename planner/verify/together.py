"""Whether several waiting gangs fit at once beside the running pods that are left (I1 to I6)."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

from models.cards.kinds import CARD_RESOURCES
from models.resources import PODS
from models.workloads import Gang
from planner.verify.domains import Nodes
from planner.verify.needs import Need, Piece
from planner.verify.packing import packs
from planner.verify.predicates import Doorkeeper
from planner.verify.room import Stall
from planner.verify.state import State, Usage

MOST_CHOICES = 500
"""Sets of pods and domains of all gangs together that are tried."""
MOST_WORK = 1_000
"""Part demands of one packing that are looked at."""
Pods = frozenset[str]
_UNCOUNTED = 1 << 60


class Together:
    """Answers for sets of gangs; None where it is not decided.

    ``work`` counts kinds of nodes times kinds of pods that were packed.
    """

    def __init__(self, state: State, starters: Mapping[str, tuple[Gang, Need]]) -> None:
        self._state = state
        self._starters = starters
        self._keeper = Doorkeeper(state.policy)
        self._admitted: dict[tuple[int, bool, str], frozenset[str]] = {}
        self.work = 0
        self._known: dict[tuple[Pods, Pods], bool | None] = {}
        self._pods = {pod.full_name: pod for pod in state.snapshot.pods}

    def fits(self, names: Pods, gone: Pods) -> bool | None:
        """Whether the minima of these gangs fit with these running pods gone."""
        key = names, gone
        if key not in self._known:
            self._known[key] = self._fits(sorted(names), gone)
        return self._known[key]

    def _fits(self, names: Sequence[str], gone: Pods) -> bool | None:
        gangs = [self._starters[name] for name in names]
        if any(need.counts is None for _, need in gangs):
            return None
        sets = [sorted(need.counts or ()) for _, need in gangs]
        domains = [self._domains(gang, gone) for gang, _ in gangs]
        total = 1
        for one in (*sets, *domains):
            total *= len(one)
        if total > MOST_CHOICES:
            return None
        held, charged = self._use(gone)
        loose = any(self._has_more_rules(gang, need) for gang, need in gangs)
        undecided = False
        for counts in itertools.product(*sets):
            if not self._within_limits(gangs, counts, charged):
                continue
            for within in itertools.product(*domains):
                answer = self._packs(gangs, counts, within, held)
                if answer and not loose:
                    return True
                undecided = undecided or answer is not False
        return None if undecided else False

    def _domains(self, gang: Gang, gone: Pods) -> Sequence[Nodes | None]:
        domains = self._state.domains
        tier = domains.tier_of(gang.topology)
        if tier is None:
            return (None,)
        if domains.circular:
            return ()
        running = self._state.running_before(gang)
        return domains.choices(
            tier, {pod.node or "" for pod in running if pod.full_name not in gone}
        )

    def _has_more_rules(self, gang: Gang, need: Need) -> bool:
        """Rules that sums do not decide: between pods, on cards, on domains of subgroups."""
        state = self._state
        return (
            gang.full_name in state.ruled_gangs
            or any(state.book.ask(piece.spec) is not None for piece in need.pieces)
            or any(state.domains.tier_of(policy.topology) is not None for policy in gang.subgroups)
        )

    def _use(self, gone: Collection[str]) -> tuple[dict[str, Usage], dict[str, Usage]]:
        state = self._state
        held, charged = dict(state.held_before), dict(state.queue_before)
        for name in gone:
            pod = self._pods[name]
            queue = state.snapshot.gang_by_name[pod.gang].queue
            node = held[pod.node or ""] = dict(held[pod.node or ""])
            state.hold(node, pod, -1)
            usage = charged[queue] = dict(charged.get(queue, {}))
            state.add(usage, pod.spec, -1)
        return held, charged

    def _within_limits(
        self,
        gangs: Sequence[tuple[Gang, Need]],
        counts: Sequence[tuple[int, ...]],
        charged: Mapping[str, Usage],
    ) -> bool:
        book, asked = self._state.queues, dict[str, Usage]()
        for (gang, need), chosen in zip(gangs, counts, strict=True):
            if book.why_closed(gang.queue):
                return False
            for level in book.limiting(gang.queue):
                usage = asked.setdefault(level, {})
                for piece, count in zip(need.pieces, chosen, strict=True):
                    self._state.add(usage, piece.spec, count)
        for level, usage in asked.items():
            used = self._state.queue_usage(charged, level)
            for name, amount in usage.items():
                limit = book.limit(level, name)
                if amount and limit is not None and used.get(name, 0) + amount > limit:
                    return False
        return True

    def _packs(
        self,
        gangs: Sequence[tuple[Gang, Need]],
        counts: Sequence[tuple[int, ...]],
        within: Sequence[Nodes | None],
        held: Mapping[str, Usage],
    ) -> bool | None:
        wanted: dict[tuple[tuple[tuple[str, int], ...], frozenset[str]], int] = {}
        for (gang, need), chosen, domain in zip(gangs, counts, within, strict=True):
            for piece, count in zip(need.pieces, chosen, strict=True):
                if count:
                    nodes = self._open(piece, gang.queue)
                    nodes = nodes if domain is None else nodes & domain
                    key = self._state.request(piece.spec), nodes
                    wanted[key] = wanted.get(key, 0) + count
        requests = [request for request, _ in wanted]
        names = sorted({name for request in requests for name, _ in request})
        stalls: dict[tuple[tuple[int, ...], frozenset[int]], Stall] = {}
        for node in self._state.snapshot.nodes:
            admitted = frozenset(i for i, (_, nodes) in enumerate(wanted) if node.name in nodes)
            if not admitted:
                continue
            usage = held[node.name]
            free = {
                name: _UNCOUNTED
                if name in CARD_RESOURCES and name not in node.allocatable
                else node.allocatable.amount(name) - usage.get(name, 0)
                for name in (*names, PODS)
            }
            look = tuple(free.values()), admitted
            stalls.setdefault(look, Stall(0, node, free)).nodes += 1
        places = [(stall, admitted) for (_, admitted), stall in stalls.items()]
        self.work += len(places) * len(wanted)
        return packs(tuple(wanted.values()), requests, places, MOST_WORK)

    def _open(self, piece: Piece, queue: str) -> frozenset[str]:
        """Nodes that admit a piece of a queue's gang."""
        key = (id(piece.spec), piece.marked, queue if self._keeper.grouped else "")
        if key not in self._admitted:
            found = self._state.queues.listed.get(queue)
            self._admitted[key] = frozenset(
                node.name
                for node in self._state.snapshot.nodes
                if not self._keeper.why_closed(piece.spec, node, marked=piece.marked, queue=found)
            )
        return self._admitted[key]
