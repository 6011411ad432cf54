"""Limits (I4), openness (I5) and entitlements (I8) of Volcano queues, computed by the verifier itself."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from models.cards.kinds import CARD_RESOURCES
from models.effective import EffectivePolicy
from models.queues import Queue
from models.readiness import is_ready
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.verify.arrivals import promised
from planner.verify.water import Basin, fill

_ROOT, _DEFAULT = "root", "default"
_ALWAYS_THERE = ("cpu", "memory")


class QueueBook:
    """What every listed queue may use and deserves; None as an amount means without limit.

    The queue ``default`` exists without being listed: it is open, has no limits and takes no part in water filling.
    """

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        self._snapshot = snapshot
        self.listed: Mapping[str, Queue] = {queue.name: queue for queue in snapshot.queues}
        self.proportional = policy.queue_model == "proportion"
        self.tree = policy.hierarchy and not self.proportional
        self._live = policy.admits_first
        self._total = {
            name: sum(node.allocatable.amount(name) for node in snapshot.nodes)
            for name in {name for node in snapshot.nodes for name in node.allocatable}
            if name != "pods"
        }
        self._limits: dict[tuple[str, str], int | None] = {}
        self._deserved: dict[tuple[str, str], Fraction] = {}
        self._reserves: dict[tuple[str | None, str], int] = {}

    def why_closed(self, queue: str) -> str:
        """Why new pods may not go to a queue, "" where they may."""
        if self.stopped:
            return self.stopped
        found = self.listed.get(queue)
        if found is None:
            return "" if queue == _DEFAULT else f"queue {queue} does not exist"
        if found.state != "Open":
            return f"queue {queue} is {found.state}"
        if not self.tree:
            return ""
        if self._children.get(queue):
            return f"queue {queue} has child queues and may hold no jobs"
        if not self._rooted(queue):
            return f"the parents of queue {queue} do not lead to the root"
        return ""

    @cached_property
    def stopped(self) -> str:
        """Why the scheduler decides nothing in any queue: the tree that it honours is none."""
        if not (self.tree and self._live):
            return ""
        for name, queue in self.listed.items():
            above = queue.parent or _ROOT
            if name != _ROOT and above != _ROOT and above not in self.listed:
                return f"parent {above} of queue {name} does not exist, which stops every queue"
            if not self._rooted(name):
                last = self.listed[self._upwards(name)[-1]]
                if (last.parent or _ROOT) in self.listed:
                    return f"the parents of queue {name} form a circle, which stops every queue"
        for gang in self._snapshot.gangs:
            if self._children.get(gang.queue) and waits(self._snapshot, gang):
                told = f"gang {gang.full_name} waits in queue {gang.queue}, which has child queues"
                return f"{told}; that stops every queue"
        return ""

    def levels(self, queue: str) -> tuple[str, ...]:
        """The listed queues whose limits bind: the queue itself and, with hierarchy, its ancestors."""
        if queue not in self.listed:
            return ()
        return self._upwards(queue) if self.tree and queue != _ROOT else (queue,)

    def limiting(self, queue: str) -> tuple[str, ...]:
        """The same with the root where the tree counts and the root has a capability."""
        levels = self.levels(queue)
        root = self.listed.get(_ROOT)
        if not self.tree or root is None or not root.capability or _ROOT in levels or not levels:
            return levels
        return (*levels, _ROOT)

    def family(self, queue: str) -> set[str]:
        """The queue and, with hierarchy, its descendants."""
        found: set[str] = set()
        todo = [queue]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo.extend(self._children.get(name, ()) if self.tree else ())
        return found

    def limit(self, queue: str, resource: str) -> int | None:
        """Most that a queue may use of a resource, in whole base units."""
        key = (queue, resource)
        if key not in self._limits:
            self._limits[key] = self._limit_of(queue, resource)
        return self._limits[key]

    def _limit_of(self, queue: str, resource: str) -> int | None:
        found = self.listed.get(queue)
        if found is None:
            return None
        if resource in CARD_RESOURCES and not self._total.get(resource, 0):
            return _ceiling(found, resource)
        if self.proportional:
            share = self.share(queue, resource)
            return int(share + max(Fraction(1, 1000), share / 10**9))
        return self._in_tree(found, resource) if self.tree else self._flat(found, resource)

    def ceiling(self, queue: str, resource: str) -> int:
        """What capability and the guarantees of others leave a listed queue at most, whatever its share."""
        return self._flat(self.listed[queue], resource)

    def share(self, queue: str, resource: str) -> Fraction:
        """Water-filling share under ``proportion``."""
        return self._shares.get(queue, {}).get(resource, Fraction(0))

    def deserved(self, queue: str, resource: str) -> Fraction:
        """Entitlement: the share under ``proportion``, else spec.deserved capped by the limit, at least guarantee."""
        key = (queue, resource)
        if key not in self._deserved:
            self._deserved[key] = self._deserved_by(queue, resource)
        return self._deserved[key]

    def _deserved_by(self, queue: str, resource: str) -> Fraction:
        found = self.listed.get(queue)
        if found is None or self.proportional:
            return self.share(queue, resource)
        limit, wanted = self.limit(queue, resource), found.deserved.amount(resource)
        capped = wanted if limit is None or limit > wanted else limit
        return Fraction(max(capped, found.guarantee.amount(resource)))

    def entitled(self, queue: str, resource: str) -> bool:
        """Whether the resource counts in the queue's entitlement: an amount above 0, or a listed extended one."""
        if self.deserved(queue, resource) > 0:
            return True
        found = self.listed.get(queue)
        return found is not None and resource not in _ALWAYS_THERE and resource in found.deserved

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for queue in self.listed.values():
            if queue.name != _ROOT:
                found.setdefault(queue.parent or _ROOT, []).append(queue.name)
        return found

    def _upwards(self, queue: str) -> tuple[str, ...]:
        """The queue and its listed ancestors below the root; a cycle is walked once."""
        path: list[str] = []
        name = queue
        while name in self.listed and name != _ROOT and name not in path:
            path.append(name)
            name = self.listed[name].parent or _ROOT
        return tuple(path)

    def _rooted(self, queue: str) -> bool:
        path = self._upwards(queue)
        return queue == _ROOT or (self.listed[path[-1]].parent or _ROOT) == _ROOT

    def _flat(self, queue: Queue, resource: str) -> int:
        """T less all guarantees, not below 0, plus the own guarantee, within the capability."""
        reserved = self._reserved(None, resource)
        own = queue.guarantee.amount(resource)
        reachable = max(self._total.get(resource, 0) - reserved, 0) + own
        ceiling = _ceiling(queue, resource)
        return reachable if ceiling is None else min(reachable, ceiling)

    def _in_tree(self, queue: Queue, resource: str) -> int | None:
        """Parent's limit less the guarantees of its children, plus the own one, within the nearest capability."""
        if queue.name == _ROOT:
            return _root_ceiling(queue, resource)
        ceiling = self._nearest_ceiling(queue.name, resource)
        above = queue.parent or _ROOT
        from_parent = self.limit(above, resource) if self._rooted(queue.name) else None
        if from_parent is None:
            return ceiling
        reachable = max(from_parent - self._reserved(above, resource), 0)
        reachable += queue.guarantee.amount(resource)
        return reachable if ceiling is None else min(reachable, ceiling)

    def _reserved(self, parent: str | None, resource: str) -> int:
        """Guarantees of a queue's children, or of all queues; every sum is made once."""
        key = (parent, resource)
        if key not in self._reserves:
            names = self.listed if parent is None else self._children.get(parent, ())
            self._reserves[key] = sum(self.listed[one].guarantee.amount(resource) for one in names)
        return self._reserves[key]

    def _nearest_ceiling(self, queue: str, resource: str) -> int | None:
        for name in (*self._upwards(queue), _ROOT):
            found = self.listed.get(name)
            ceiling = None
            if found:
                ceiling = (_root_ceiling if name == _ROOT else _ceiling)(found, resource)
            if ceiling is not None:
                return ceiling
        return None

    @cached_property
    def _shares(self) -> dict[str, dict[str, Fraction]]:
        asked = self._asked()
        basins = []
        for name in sorted(asked.keys() & self.listed.keys()):
            queue, request = self.listed[name], asked[name]
            cap = {one: min(request.get(one, 0), self._flat(queue, one)) for one in self._total}
            basins.append(Basin(name, queue.weight, request, cap, queue.guarantee.as_dict(), {}))
        return fill(self._total, basins)

    def _asked(self) -> dict[str, dict[str, int]]:
        """Per queue that owns a gang: requests of its running, waiting and promised pods."""
        found: dict[str, dict[str, int]] = {}
        for gang in self._snapshot.gangs:
            if gang.not_admitted:
                continue
            total = found.setdefault(gang.queue, {})
            pods = self._snapshot.pods_of(gang)
            waits = not gang.asks_nothing
            demands = [(pod.spec, 1) for pod in pods if pod.running or (waits and pod.pending)]
            demands += [(one.spec, promised(gang, pods, one)) for one in gang.templates]
            for spec, count in demands:
                for name, amount in spec.request.as_dict().items():
                    total[name] = total.get(name, 0) + amount * count
        return found


def waits(snapshot: Snapshot, gang: Gang) -> bool:
    """The gang is not ready, and has neither ended nor been left out of what Volcano knows."""
    pods = snapshot.pods_of(gang)
    there = [pod for pod in pods if pod.running]
    done = [pod for pod in pods if pod.phase == "Succeeded"]
    return not (gang.finished or gang.not_admitted or is_ready(gang, there, done))


def _ceiling(queue: Queue, resource: str) -> int | None:
    """Listed capability; cpu and memory of 0 or less are no ceiling."""
    amount = queue.capability.get(resource)
    if amount is None or (amount <= 0 and resource in _ALWAYS_THERE):
        return None
    return amount


def _root_ceiling(root: Queue, resource: str) -> int | None:
    """Volcano reads a capability of the root as complete: cpu and memory that it leaves out are 0."""
    ceiling = _ceiling(root, resource)
    return 0 if ceiling is None and root.capability and resource in _ALWAYS_THERE else ceiling
