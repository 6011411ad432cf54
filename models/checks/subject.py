"""What all checks look at: a snapshot, the policy, and views of both that are worked out once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from models.cards.book import CardBook
from models.effective import EffectivePolicy
from models.gpu import whole_gpu_names
from models.queues import ROOT_QUEUE, Queue
from models.resources import PODS, Resources, total_of
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec


@dataclass(frozen=True, slots=True)
class Demand:
    """Pods of one specification that wait, or that a controller has promised.

    ``owner`` is ``gang/namespace/name``, or ``pod/…`` for a pod without gang.
    """

    owner: str
    role: str
    spec: PodSpec
    count: int


class Subject:
    """A snapshot under a policy; every view is linear in the snapshot's size."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        self.snapshot = snapshot
        self.policy = policy
        self.schedulers = frozenset(policy.policy.scheduler_names)
        self.gpu_names = whole_gpu_names(policy.policy.gpu_models)

    @cached_property
    def book(self) -> CardBook:
        """Cards that pods share."""
        return CardBook(self.snapshot, self.policy.policy.gpu_models)

    def has_cards(self, spec: PodSpec) -> bool:
        """The pods ask for a share of a card, and some node has a card that such a pod could use."""
        ask = self.book.ask(spec) if self.book else None
        return ask is not None and any(
            ask.on(kind) is not None
            for node in self.snapshot.nodes
            for _, kind in self.book.cards(node)
        )

    @cached_property
    def live_gangs(self) -> tuple[Gang, ...]:
        """Gangs that run or ask for something."""
        return tuple(gang for gang in self.snapshot.gangs if not gang.asks_nothing)

    @cached_property
    def gangs_by_queue(self) -> Mapping[str, tuple[Gang, ...]]:
        """Live gangs by the name of their queue."""
        found: dict[str, list[Gang]] = {}
        for gang in self.live_gangs:
            found.setdefault(gang.queue, []).append(gang)
        return {name: tuple(gangs) for name, gangs in sorted(found.items())}

    @cached_property
    def children(self) -> Mapping[str, tuple[Queue, ...]]:
        """Queues by the name of their parent as written; queues without a parent are children of the root."""
        found: dict[str, list[Queue]] = {}
        for queue in self.snapshot.queues:
            if queue.parent_name:
                found.setdefault(queue.parent_name, []).append(queue)
        return {name: tuple(queues) for name, queues in found.items()}

    def ancestors(self, queue: Queue) -> Iterator[Queue]:
        """Ancestors that exist, nearest first; the walk ends at the root, a missing parent or a cycle."""
        seen = {queue.name}
        name = queue.parent_name
        while name and name not in seen:
            seen.add(name)
            parent = self.snapshot.queue_by_name.get(name)
            if parent is None:
                return
            yield parent
            name = parent.parent_name

    @cached_property
    def competing_queues(self) -> tuple[Queue, ...]:
        """Queues among which the cluster is divided: all but the root, with hierarchy those right below it."""
        return tuple(
            queue
            for queue in self.snapshot.queues
            if queue.name != ROOT_QUEUE
            and (not self.policy.hierarchy or queue.parent_name == ROOT_QUEUE)
        )

    @cached_property
    def offered(self) -> Mapping[str, int]:
        """Largest allocatable of one node, by resource; resources that no node offers are absent."""
        found: dict[str, int] = {}
        for node in self.snapshot.nodes:
            for name, amount in node.allocatable.items():
                if amount > found.get(name, 0):
                    found[name] = amount
        return found

    @cached_property
    def used_by_node(self) -> Mapping[str, Mapping[str, int]]:
        """Requests of the pods that hold room, by node; ``pods`` is their number."""
        found: dict[str, dict[str, int]] = {}
        for node, pods in self.snapshot.pods_by_node.items():
            used: dict[str, int] = {PODS: len(pods)}
            for pod in pods:
                for name, amount in pod.spec.request.items():
                    used[name] = used.get(name, 0) + amount
            found[node] = used
        return found

    @cached_property
    def running_by_queue(self) -> Mapping[str, Mapping[str, int]]:
        """Requests of the running pods by queue of their gang; ``pods`` is their number."""
        found: dict[str, dict[str, int]] = {}
        gangs = self.snapshot.gang_by_name
        for pod in self.snapshot.pods:
            if not pod.gang or not pod.running or pod.gang not in gangs:
                continue
            add_pod(found.setdefault(gangs[pod.gang].queue, {}), pod)
        return found

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """What is to be planned: pending pods of the planned schedulers, then pods that do not exist yet."""
        counts: dict[tuple[str, str, int], int] = {}
        specs: dict[int, PodSpec] = {}
        for pod in self.snapshot.pods:
            if pod.pending and pod.spec.scheduler_name in self.schedulers:
                owner = f"gang/{pod.gang}" if pod.gang else f"pod/{pod.full_name}"
                key = (owner, pod.role, id(pod.spec))
                specs[id(pod.spec)] = pod.spec
                counts[key] = counts.get(key, 0) + 1
        waiting = [Demand(o, role, specs[spec], count) for (o, role, spec), count in counts.items()]
        return (*waiting, *self._promised())

    def _promised(self) -> Iterator[Demand]:
        for gang in self.live_gangs:
            if not gang.templates:
                continue
            existing: dict[str, int] = {}
            for pod in self.snapshot.pods_of(gang):
                existing[pod.role] = existing.get(pod.role, 0) + 1
            for template in gang.templates:
                missing = template.replicas - existing.get(template.role, 0)
                if missing > 0:
                    yield Demand(f"gang/{gang.full_name}", template.role, template.spec, missing)

    @cached_property
    def total(self) -> Resources:
        """Sum of allocatable over all nodes, ``pods`` included."""
        return total_of(node.allocatable for node in self.snapshot.nodes)


def add_pod(sums: dict[str, int], pod: Pod) -> None:
    """Add a pod's request, and the pod itself, to sums by resource."""
    sums[PODS] = sums.get(PODS, 0) + 1
    for name, amount in pod.spec.request.items():
        sums[name] = sums.get(name, 0) + amount
