"""A snapshot ready for enumeration: which sets of gangs can start together (I1-I6), for the oracle."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from models.effective import EffectivePolicy
from models.gpu import gpus_in, whole_gpu_names
from models.resources import PODS, Resources
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.testing.oracle.admission import free_room
from planner.testing.oracle.entry import Entry
from planner.testing.oracle.gang_options import GangView, Option, PodKind, view_gang
from planner.testing.oracle.packing import fits
from planner.testing.oracle.queue_shares import QueueShares
from planner.testing.oracle.takable import takable_pods
from planner.testing.oracle.topology import Forest, placings

if TYPE_CHECKING:
    from planner.testing.oracle.placements import Arrival

Delivery = Mapping[str, Option]
_TOLERANCE = Fraction(1, 1000)


class Situation:
    """Snapshot and policy with everything that the enumeration asks again and again.

    Parameters
    ----------
    already_placed
        Pods per node that take room and count for their queue on top of the snapshot: node to (queue, request).
    gone
        Running pods that have left: they take no room and count for no queue. Shares and what gangs lack stay those
        of the snapshot.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        policy: EffectivePolicy,
        already_placed: Iterable[tuple[str, str, Resources]] = (),
        gone: Iterable[Pod] = (),
    ) -> None:
        self.snapshot = snapshot
        self.policy = policy
        self.shares = QueueShares(snapshot, policy)
        self.entry = Entry(snapshot, policy, self.shares)
        self._extra = tuple(already_placed)
        self._gone = {pod.full_name: pod for pod in gone}
        self._answers: dict[frozenset[str], bool] = {}
        self._rooms: dict[tuple[str, str], Fraction | None] = {}

    @cached_property
    def views(self) -> dict[str, GangView]:
        """Gangs that are planned, by full name."""
        return {
            gang.full_name: view_gang(self.snapshot, self.policy, gang)
            for gang in self.snapshot.gangs
            if not gang.asks_nothing
        }

    @cached_property
    def room(self) -> dict[str, dict[str, int]]:
        """Free amounts per node."""
        room = free_room(self.snapshot)
        for pod in self._gone.values():
            left = room[pod.node or ""]
            left[PODS] = left.get(PODS, 0) + 1
            for name, amount in pod.spec.request.items():
                left[name] = left.get(name, 0) + amount
        for node, _, request in self._extra:
            room[node][PODS] = room[node].get(PODS, 0) - 1
            for name, amount in request.items():
                room[node][name] = room[node].get(name, 0) - amount
        return room

    @cached_property
    def used_by_queue(self) -> dict[str, Counter[str]]:
        """Requests of running pods per queue, descendants not added."""
        used: dict[str, Counter[str]] = {}
        for gang in self.snapshot.gangs:
            for pod in self.snapshot.pods_of(gang):
                if pod.running and pod.full_name not in self._gone:
                    used.setdefault(gang.queue, Counter()).update(pod.spec.request.as_dict())
        for _, queue, request in self._extra:
            used.setdefault(queue, Counter()).update(request.as_dict())
        return used

    @cached_property
    def waiting(self) -> dict[str, GangView]:
        """Gangs that wait before the plan."""
        return {name: view for name, view in self.views.items() if not view.ready}

    @cached_property
    def startable(self) -> dict[str, GangView]:
        """Waiting gangs that fit alone beside what runs, less what some waiting gang may take."""
        return self._fitting(self.waiting)

    @cached_property
    def growing(self) -> dict[str, GangView]:
        """Running gangs of whose further pods a smallest legal number fits in the same way."""
        running = {name: view for name, view in self.views.items() if view.ready}
        return self._fitting({name: view for name, view in running.items() if view.options})

    def _fitting(self, views: Mapping[str, GangView]) -> dict[str, GangView]:
        takable = takable_pods(self)
        if not takable:
            return {name: view for name, view in views.items() if self.can_start([name])}
        found = {}
        for name, view in views.items():
            gone = [pod for pod in takable if pod.gang != name]
            if Situation(self.snapshot, self.policy, self._extra, gone).can_start([name]):
                found[name] = view
        return found

    def used_with_children(self, queue: str) -> Counter[str]:
        """Requests of running pods of the queue and, with hierarchy, of its descendants."""
        total: Counter[str] = Counter()
        for name in self._known_queues:
            if queue in self.shares.levels(name):
                total.update(self.used_by_queue.get(name, Counter()))
        return total

    def without(self, gone: Iterable[Pod]) -> Situation:
        """The same with these running pods gone too."""
        return Situation(self.snapshot, self.policy, self._extra, [*self._gone.values(), *gone])

    def can_start(self, names: Collection[str]) -> bool:
        """Whether these waiting gangs can all start together; subsets of a feasible set are feasible."""
        key = frozenset(names)
        if key not in self._answers:
            smaller = (key - {name} for name in key)
            self._answers[key] = (
                not any(self._answers.get(one) is False for one in smaller)
                and self.entry.admits(key)
                and any(self.packs(one) for one in self._minimal_deliveries(sorted(key)))
            )
        return self._answers[key]

    def startable_sets(self) -> Iterator[frozenset[str]]:
        """Every set of gangs that can start together, the empty one included."""
        names = sorted(self.startable)
        for size in range(len(names) + 1):
            for chosen in itertools.combinations(names, size):
                if self.can_start(chosen):
                    yield frozenset(chosen)

    def packs(self, delivery: Delivery, keep_without_gpu_pods: Iterable[str] = ()) -> bool:
        """Whether a delivery respects queue limits and fits on the nodes."""
        if not self.within_limits(delivery):
            return False
        closed = tuple(keep_without_gpu_pods)
        each = [
            list(placings(self.forest, self.views[name].gang, self.running(name), option))
            for name, option in delivery.items()
        ]
        return any(
            fits(self.room, sum(chosen, Counter()), closed) for chosen in itertools.product(*each)
        )

    def allows(self, arrivals: Sequence[Arrival]) -> bool:
        """Further rules on a placement; none here."""
        return True

    @cached_property
    def forest(self) -> Forest:
        """Topology domains."""
        return Forest(self.snapshot, self.policy)

    def running(self, name: str) -> list[Pod]:
        """Running pods of a gang that have not left."""
        gang = self.views[name].gang
        return [
            pod
            for pod in self.snapshot.pods_of(gang)
            if pod.running and pod.full_name not in self._gone
        ]

    def within_limits(self, delivery: Delivery) -> bool:
        """I4 and I5: open queues, and limits in every dimension that a new pod requests."""
        return self.takes(
            [
                (name, kind, count)
                for name, option in delivery.items()
                for kind, count in option.counts
            ]
        )

    def takes(self, pods: Iterable[tuple[str, PodKind, int]]) -> bool:
        """The same for pods given as (gang, kind, number)."""
        new: dict[str, Counter[str]] = {}
        for name, kind, count in pods:
            queue = self.views[name].queue
            if not self.shares.open_for_work(queue):
                return False
            for level in self.shares.levels(queue):
                asked = new.setdefault(level, Counter())
                asked.update({one: amount * count for one, amount in kind.request})
        return all(
            self._within(level, dimension, amount)
            for level, amounts in new.items()
            for dimension, amount in amounts.items()
            if amount > 0
        )

    def gpus_running(self, queue: str) -> int:
        """Whole GPUs of the queue's running pods before the plan."""
        names = whole_gpu_names(self.policy.policy.gpu_models)
        return gpus_in(self.used_by_queue.get(queue, Counter()), names)

    def _within(self, queue: str, dimension: str, added: int) -> bool:
        key = (queue, dimension)
        if key not in self._rooms:
            self._rooms[key] = self._room_in(queue, dimension)
        room = self._rooms[key]
        return room is None or added <= room

    def _room_in(self, queue: str, dimension: str) -> Fraction | None:
        """What the queue may still take, with the tolerance of the water filling; None without a limit."""
        limit = self.shares.limit(queue, dimension)
        if limit is None:
            return None
        members = [name for name in self._known_queues if queue in self.shares.levels(name)]
        used = sum(self.used_by_queue.get(name, Counter())[dimension] for name in members)
        return limit - used + max(_TOLERANCE, limit / 10**9)

    @cached_property
    def _known_queues(self) -> set[str]:
        return {queue.name for queue in self.snapshot.queues} | set(self.used_by_queue)

    def _minimal_deliveries(self, names: list[str]) -> Iterator[Delivery]:
        for chosen in itertools.product(*(self.views[name].minimal for name in names)):
            yield dict(zip(names, chosen, strict=True))
