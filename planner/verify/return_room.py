"""Whether evicted pods of a gang would still fit where they ran, beside chosen newcomers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from models.cards.kinds import CARD_RESOURCES
from models.resources import PODS
from models.workloads import Gang, Pod
from planner.verify.arrivals import Arrival
from planner.verify.readiness import stays_legal
from planner.verify.state import State, Usage
from planner.verify.subgroups import group_key

_MOST_STEPS = 20_000
_Room = dict[tuple[str, str, str], int]
_Legal = Callable[[tuple[Pod, ...]], bool]


class ReturnRoom:
    """What the plan leaves free for gangs of a queue that lost pods, with only some newcomers in place.

    The plan without an eviction has to be right: so room counts where and for what the newcomers ask (I1), and queue
    limits where they ask for something (I4). Everything else that is evicted stays away.
    """

    def __init__(self, state: State, queue: str, arrivals: Sequence[Arrival]) -> None:
        self._state, self._queue = state, queue
        self._arrivals = tuple(arrivals)
        self._left: _Room = {}
        moved = [one for one in state.reading.arrivals if one.moved]
        self._on_nodes([*arrivals, *moved])
        self._in_queues([one for one in arrivals if not one.moved])

    def legal_return(self, gang: Gang, lost: Sequence[Pod]) -> tuple[Pod, ...]:
        """Some of a gang's lost pods that fit back and leave the gang legal; () where there are none.

        Exact up to a bound on the work; beyond it, and where cards are shared and nobody tells who holds which, the
        answer is ().
        """
        back = self._by_sums(gang, lost)
        return back if not back or self._cards_allow(back) else ()

    def _cards_allow(self, back: Sequence[Pod]) -> bool:
        """Whether these pods get their cards back beside the newcomers, whose cards may be chosen anew."""
        state = self._state
        if not state.book:
            return True
        if state.cards_guessed:
            return False
        for name in {pod.node or "" for pod in back if state.book.ask(pod.spec) is not None}:
            usage = dict(state.held_before.get(name, {}))
            for pod in state.reading.evicted.values():
                if pod.node == name:
                    state.hold(usage, pod, -1)
            for pod in back:
                if pod.node == name:
                    state.hold(usage, pod)
            for number, one in enumerate(self._arrivals):
                if one.node == name:
                    state.hold(usage, one.pod, one.count, name=f"#back-{number}-{one.gang.name}")
            if state.tray(name, usage) is None:
                return False
        return True

    def _by_sums(self, gang: Gang, lost: Sequence[Pod]) -> tuple[Pod, ...]:
        state = self._state
        staying, before, done = (
            state.staying(gang),
            state.running_before(gang),
            state.succeeded(gang),
        )

        def legal(back: tuple[Pod, ...]) -> bool:
            return stays_legal(gang, [*staying, *back], before, done)

        kinds = list(_kinds(gang, lost).values())
        if staying and not (
            gang.subgroups or gang.restarts_on_eviction
        ):  # if any set fits back, one pod of it does
            singles = ((kind[0],) for kind in kinds if self.fitting(self._left, kind) > 0)
            return next((one for one in singles if legal(one)), ())
        needed = max(gang.min_member - len(staying) - len(done), 1)
        return _Search(self, kinds, min(needed, len(lost)), legal).find(0, self._left, ())

    def _on_nodes(self, arrivals: Iterable[Arrival]) -> None:
        state = self._state
        asked: dict[str, set[str]] = {}
        came: dict[str, Usage] = {}
        for one in arrivals:
            names = asked.setdefault(one.node, {PODS})
            names.update(name for name, _ in state.request(one.pod.spec))
            usage = came.setdefault(one.node, {PODS: 0})
            state.add(usage, one.pod.spec, one.count)
            usage[PODS] += one.count
        gone: dict[str, Usage] = {}
        away = [(pod, pod.node or "") for pod in state.reading.evicted.values()]
        away += [(one.pod, one.pod.node or "") for one in state.reading.arrivals if one.moved]
        for pod, where in away:
            usage = gone.setdefault(where, {PODS: 0})
            state.add(usage, pod.spec)
            usage[PODS] += 1
        for name, resources in asked.items():
            node = state.snapshot.node_by_name.get(name)
            if node is None:
                continue
            for resource in resources:
                if resource in CARD_RESOURCES and resource not in node.allocatable:
                    continue  # cards decide
                held = state.held_before[name].get(resource, 0)
                held += came[name].get(resource, 0) - gone.get(name, {}).get(resource, 0)
                self._left["node", name, resource] = node.allocatable.amount(resource) - held

    def _in_queues(self, arrivals: Iterable[Arrival]) -> None:
        state, book = self._state, self._state.queues
        charged = {name: dict(usage) for name, usage in state.queue_before.items()}
        for pod in state.reading.evicted.values():
            owner = state.snapshot.gang_by_name[pod.gang]
            state.add(charged.setdefault(owner.queue, {}), pod.spec, -1)
        asked: dict[str, set[str]] = {}
        for one in arrivals:
            state.add(charged.setdefault(one.gang.queue, {}), one.pod.spec, one.count)
            for level in book.levels(one.gang.queue):
                names = asked.setdefault(level, set())
                names.update(name for name, _ in state.request(one.pod.spec))
        for level in book.levels(self._queue):
            used = state.queue_usage(charged, level)
            for resource in asked.get(level, ()):
                limit = book.limit(level, resource)
                if limit is not None:
                    self._left["queue", level, resource] = limit - used.get(resource, 0)

    def _demands(self, pod: Pod) -> list[tuple[tuple[str, str, str], int]]:
        request = [*self._state.request(pod.spec), (PODS, 1)]
        places = [("node", pod.node or "")]
        places += [("queue", level) for level in self._state.queues.levels(self._queue)]
        return [
            ((kind, name, resource), amount)
            for kind, name in places
            for resource, amount in request
            if (kind, name, resource) in self._left
        ]

    def fitting(self, left: _Room, kind: Sequence[Pod]) -> int:
        """Pods of a kind that fit back."""
        most = len(kind)
        for key, amount in self._demands(kind[0]):
            most = min(most, max(left[key], 0) // amount)
        return most

    def without(self, left: _Room, kind: Sequence[Pod], count: int) -> _Room:
        """What is left after so many pods of a kind came back."""
        rest = dict(left)
        for key, amount in self._demands(kind[0]):
            rest[key] -= amount * count
        return rest


def _kinds(gang: Gang, lost: Sequence[Pod]) -> Mapping[tuple[object, ...], list[Pod]]:
    """Lost pods that nothing tells apart."""
    found: dict[tuple[object, ...], list[Pod]] = {}
    for pod in lost:
        groups = tuple(group_key(policy, pod) for policy in gang.subgroups)
        found.setdefault((pod.node, id(pod.spec), pod.role, groups), []).append(pod)
    return found


class _Search:
    """Numbers of pods per kind, the largest first, until a legal set is found."""

    def __init__(
        self, room: ReturnRoom, kinds: Sequence[Sequence[Pod]], needed: int, legal: _Legal
    ) -> None:
        self._room, self._kinds, self._needed, self._legal = room, kinds, needed, legal
        self._steps = 0

    def find(self, at: int, left: _Room, back: tuple[Pod, ...]) -> tuple[Pod, ...]:
        """A legal set that extends ``back`` with pods of the kinds from ``at`` on."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return ()
        if at == len(self._kinds):
            return back if back and self._legal(back) else ()
        fitting = [self._room.fitting(left, kind) for kind in self._kinds[at:]]
        if len(back) + sum(fitting) < self._needed:
            return ()
        kind = self._kinds[at]
        for count in range(fitting[0], -1, -1):
            rest = self._room.without(left, kind, count)
            found = self.find(at + 1, rest, (*back, *kind[:count]))
            if found:
                return found
        return ()
