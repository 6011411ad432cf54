"""Limits and entitlements of Volcano queues (I4, I5, I8 of the conformance cases)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property

from models.broken_trees import BrokenTree, broken_trees
from models.cards.kinds import CARD_RESOURCES
from models.effective import EffectivePolicy
from models.queues import ROOT_QUEUE, Queue
from models.resources import BASE_DIMENSIONS, NO_RESOURCES, Resources, total_of
from models.snapshot import Snapshot
from planner.encode.water_filling import Claim, water_filling, whole_limit
from planner.problem.rule_names import is_rule


class QueueLimits:
    """What each queue may use and deserves under the policy's queue model.

    ``None`` as an amount means without limit. Amounts are integers in base units; under ``proportion`` the exact
    share is a fraction and :meth:`limit` its whole part.
    """

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        self.snapshot = snapshot
        self.queues = snapshot.queue_by_name
        self.proportional = policy.queue_model == "proportion"
        self.hierarchy = policy.hierarchy
        self._live = policy.admits_first
        self.total = snapshot.total
        self._cache: dict[tuple[str, str], int | None] = {}
        self._chains: dict[str, tuple[str, ...]] = {}
        self._children_reserve: dict[tuple[str, str], int] = {}

    def limit(self, queue: str, dimension: str) -> int | None:
        """I4: most that the queue may use of a dimension, None without limit."""
        key = (queue, dimension)
        if key not in self._cache:
            self._cache[key] = self._limit(queue, dimension)
        return self._cache[key]

    def _limit(self, name: str, dimension: str) -> int | None:
        queue = self.queues.get(name)
        if queue is None or queue.implicit or is_rule(dimension):
            return None
        if dimension in CARD_RESOURCES and not self.total.amount(dimension):
            return capability(
                queue, dimension
            )  # no node lists it: the cluster has no total to divide
        if self.proportional:
            return whole_limit(self.share(name, dimension))
        if self.hierarchy:
            return self._tree_limit(queue, dimension)
        return self._flat_limit(queue, dimension)

    def ceiling(self, name: str, dimension: str) -> int | None:
        """What capability and the guarantees of others leave a queue at most, whatever its share; None without limit.

        Differs from :meth:`limit` under ``proportion`` only, where the limit is the share.
        """
        queue = self.queues.get(name)
        if self.proportional and queue is not None and not queue.implicit:
            return self._flat_limit(queue, dimension)
        return self.limit(name, dimension)

    def share(self, queue: str, dimension: str) -> Fraction:
        """Exact water-filling share under ``proportion``."""
        return self._shares.get(queue, {}).get(dimension, Fraction(0))

    def deserved(self, name: str, dimension: str) -> Fraction:
        """I8: max(min(spec.deserved, limit), guarantee); the share under ``proportion``."""
        queue = self.queues.get(name)
        if queue is None or queue.implicit or is_rule(dimension):
            return Fraction(0)
        if self.proportional:
            return self.share(name, dimension)
        limit = self.limit(name, dimension)
        own = queue.deserved.amount(dimension)
        capped = own if limit is None else min(own, limit)
        return Fraction(max(capped, queue.guarantee.amount(dimension)))

    def has_deserved(self, name: str, dimension: str) -> bool:
        """Whether the dimension counts in the queue's entitlement (amount above 0, or a listed extended one)."""
        queue = self.queues.get(name)
        if queue is None or queue.implicit or is_rule(dimension):
            return False
        if self.proportional or self.deserved(name, dimension) > 0:
            return True
        return dimension not in BASE_DIMENSIONS and dimension in queue.deserved

    def chain(self, name: str) -> tuple[str, ...]:
        """The queue and, with hierarchy, its ancestors below the root."""
        if not self.hierarchy:
            return (name,)
        if name not in self._chains:
            self._chains[name] = self._chain(name)
        return self._chains[name]

    def limiting(self, name: str) -> tuple[str, ...]:
        """Where limits bind: the chain, and the root of a tree where it has a capability."""
        root, queue = self.queues.get(ROOT_QUEUE), self.queues.get(name)
        if not self.hierarchy or root is None or not root.capability or name == ROOT_QUEUE:
            return self.chain(name)
        unlisted = queue is None or queue.implicit
        return self.chain(name) if unlisted else (*self.chain(name), ROOT_QUEUE)

    def _chain(self, name: str) -> tuple[str, ...]:
        found = [name]
        queue = self.queues.get(name)
        while queue and queue.parent_name not in ("", ROOT_QUEUE, *found):
            found.append(queue.parent_name)
            queue = self.queues.get(queue.parent_name)
        return tuple(found)

    def closed_because(self, name: str) -> str:
        """I5: why the queue takes no new pods, "" where it does."""
        return self.stops or self._closed(name)

    @cached_property
    def stops(self) -> str:
        """Why no queue takes new pods: the tree is none, and the scheduler decides nothing then."""
        broken = self.broken
        return "" if broken is None else f"{broken.text}: Volcano then starts nothing in any queue"

    @cached_property
    def broken(self) -> BrokenTree | None:
        """The first fault of the tree that stops every queue."""
        live = self.hierarchy and self._live
        return next(broken_trees(self.snapshot), None) if live else None

    @property
    def root_lacks(self) -> tuple[str, ...]:
        """Of cpu and memory what the root's capability leaves out, so that no queue has any."""
        root = self.queues.get(ROOT_QUEUE) if self.hierarchy else None
        if root is None or not root.capability:
            return ()
        return tuple(name for name in BASE_DIMENSIONS if root_capability(root, name) == 0)

    def _closed(self, name: str) -> str:
        queue = self.queues.get(name)
        if queue is None:
            return f"queue {name} does not exist"
        if queue.state != "Open":
            return f"queue {name} is {queue.state}"
        if not self.hierarchy:
            return ""
        if name in self._parents:
            return f"queue {name} has child queues and may hold no jobs"
        last = self.queues.get(self.chain(name)[-1])
        if last is None:
            return f"a parent of queue {name} does not exist"
        if last.parent_name not in ("", ROOT_QUEUE):
            return f"the parents of queue {name} form a cycle"
        return ""

    def below(self, name: str) -> tuple[str, ...]:
        """The queue and, with hierarchy, all its descendants."""
        if not self.hierarchy:
            return (name,)
        if name == ROOT_QUEUE:
            return tuple(other for other, queue in self.queues.items() if not queue.implicit)
        return self._families.get(name, ())

    @cached_property
    def _families(self) -> Mapping[str, tuple[str, ...]]:
        """All queues below each, from one walk up from every queue."""
        found: dict[str, list[str]] = {}
        for name in self.queues:
            for above in self.chain(name):
                found.setdefault(above, []).append(name)
        return {name: tuple(below) for name, below in found.items()}

    @cached_property
    def _parents(self) -> frozenset[str]:
        return frozenset(queue.parent_name for queue in self.queues.values())

    @cached_property
    def _siblings(self) -> Mapping[str, tuple[Queue, ...]]:
        found: dict[str, list[Queue]] = {}
        for queue in self.queues.values():
            found.setdefault(queue.parent_name, []).append(queue)
        return {name: tuple(queues) for name, queues in found.items()}

    @cached_property
    def _guarantees(self) -> Resources:
        return total_of(queue.guarantee for queue in self.queues.values())

    def _flat_limit(self, queue: Queue, dimension: str) -> int:
        """Total less all guarantees, plus the own one, capped by the capability."""
        free = max(self.total.amount(dimension) - self._guarantees.amount(dimension), 0)
        real = free + queue.guarantee.amount(dimension)
        own = capability(queue, dimension)
        return real if own is None else min(real, own)

    def _tree_limit(self, queue: Queue, dimension: str) -> int | None:
        """Like flat, with the parent's limit as total and the siblings' guarantees; the root is unlimited."""
        if queue.name == ROOT_QUEUE:
            return root_capability(queue, dimension)
        path = self.chain(queue.name)
        last = self.queues.get(path[-1])
        whole_path = last is not None and last.parent_name in ("", ROOT_QUEUE)
        parent = self.limit(queue.parent_name, dimension) if whole_path else None
        own = self._inherited_capability(queue, dimension)
        if parent is None:
            return own
        reserved = self._reserved_below(queue.parent_name, dimension)
        real = max(parent - reserved, 0) + queue.guarantee.amount(dimension)
        return real if own is None else min(real, own)

    def _reserved_below(self, parent: str, dimension: str) -> int:
        """Guarantees of the children of a queue, summed once for all of them."""
        key = (parent, dimension)
        if key not in self._children_reserve:
            children = self._siblings[parent]
            self._children_reserve[key] = sum(one.guarantee.amount(dimension) for one in children)
        return self._children_reserve[key]

    def _inherited_capability(self, queue: Queue, dimension: str) -> int | None:
        for name in (*self.chain(queue.name), ROOT_QUEUE):
            ancestor = self.queues.get(name)
            if ancestor is not None:
                of = root_capability if name == ROOT_QUEUE else capability
                own = of(ancestor, dimension)
                if own is not None:
                    return own
        return None

    @cached_property
    def _shares(self) -> dict[str, dict[str, Fraction]]:
        requests = requested_by_queue(self.snapshot)
        claims = [
            Claim(
                name=name,
                weight=queue.weight,
                request=requests.get(name, NO_RESOURCES),
                ceiling={dimension: self._flat_limit(queue, dimension) for dimension in self.total},
                guarantee=queue.guarantee,
            )
            for name, queue in sorted(self.queues.items())
            if not queue.implicit and name in requests
        ]
        return water_filling(self.total, claims)


def capability(queue: Queue, dimension: str) -> int | None:
    """Listed ceiling of a queue; missing, or 0 for cpu and memory, means none."""
    amount = queue.capability.get(dimension)
    if amount is None or (dimension in BASE_DIMENSIONS and amount <= 0):
        return None
    return amount


def root_capability(queue: Queue, dimension: str) -> int | None:
    """The same of the root of a tree: once it lists any, cpu and memory that it does not list are 0."""
    own = capability(queue, dimension)
    return 0 if own is None and queue.capability and dimension in BASE_DIMENSIONS else own


def requested_by_queue(snapshot: Snapshot) -> dict[str, Resources]:
    """Requests of running, waiting and promised pods of every queue that owns a gang."""
    found: dict[str, list[Mapping[str, int]]] = {}
    for gang in snapshot.gangs:
        if gang.not_admitted:
            continue
        vectors = found.setdefault(gang.queue, [])
        pods = snapshot.pods_of(gang)
        waits = not gang.asks_nothing
        vectors.extend(pod.spec.request for pod in pods if pod.running or (waits and pod.pending))
        for template in () if gang.asks_nothing else gang.templates:
            missing = template.replicas - sum(pod.role == template.role for pod in pods)
            if missing > 0:
                vectors.append(template.spec.request.times(missing))
    return {name: total_of(vectors) for name, vectors in found.items()}


def usage_by_queue(snapshot: Snapshot) -> dict[str, Resources]:
    """Requests of the running pods of every queue that owns a gang (terminating pods count for none)."""
    found: dict[str, list[Mapping[str, int]]] = {}
    for gang in snapshot.gangs:
        if gang.not_admitted:
            continue
        vectors = found.setdefault(gang.queue, [])
        vectors.extend(pod.spec.request for pod in snapshot.pods_of(gang) if pod.running)
    return {name: total_of(vectors) for name, vectors in found.items()}


def sum_below(limits: QueueLimits, usage: Mapping[str, Resources], name: str) -> Resources:
    """Usage of a queue with its descendants where the tree counts."""
    vectors: Iterable[Resources] = (usage[one] for one in limits.below(name) if one in usage)
    return total_of(vectors)
