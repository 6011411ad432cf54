"""Snapshot, policy and plan together, with what several rules ask about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from models.cards.book import CardBook
from models.cards.milli import GpuMeasure
from models.effective import EffectivePolicy
from models.gpu import whole_gpu_names
from models.plan import GangEntry, PlanResult
from models.resources import PODS
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.verify.admission import AdmissionBook
from planner.verify.arrivals import Arrival, Reading, read_plan
from planner.verify.cards import CardDesk, Tray
from planner.verify.domains import Domains, domains_of
from planner.verify.pod_rules import asking_gangs, ruled_gangs
from planner.verify.queue_limits import QueueBook

Usage = dict[str, int]
CARD_KEY = "card of "
"""Prefix of the keys under which a usage counts pods that hold cards."""


class State:
    """One plan applied to one snapshot; everything is computed once, when first asked for."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy, plan: PlanResult) -> None:
        self.snapshot, self.policy, self.plan = snapshot, policy, plan
        self.reading: Reading = read_plan(snapshot, plan)
        self.gpu_names = whole_gpu_names(policy.policy.gpu_models)
        self.book = CardBook(snapshot, policy.policy.gpu_models)
        self.measure = GpuMeasure(snapshot, policy.policy.gpu_models, self.book)
        self._holders: dict[str, tuple[Pod, tuple[int, ...]]] = {}
        self._trays: dict[tuple[str, frozenset[tuple[str, int]]], Tray | None] = {}
        self._requests: dict[int, tuple[tuple[str, int], ...]] = {}
        self._looks: dict[int, tuple[PodSpec, int]] = {}
        self._numbers: dict[tuple[object, ...], int] = {}

    def request(self, spec: PodSpec) -> tuple[tuple[str, int], ...]:
        """Resource and amount pairs of one pod, looked up once per specification object."""
        found = self._requests.get(id(spec))
        if found is None:
            found = tuple((name, n) for name, n in spec.request.as_dict().items() if n)
            self._requests[id(spec)] = found
        return found

    def look(self, spec: PodSpec) -> int:
        """Number of what a specification asks of a node; the same for all that ask the same."""
        known = self._looks.get(id(spec))
        if known is None:
            asked = (
                self.request(spec),
                spec.node_selector,
                spec.node_affinity,
                spec.tolerations,
                self.book.ask(spec),
            )
            known = self._looks[id(spec)] = (
                spec,
                self._numbers.setdefault(asked, len(self._numbers)),
            )
        return known[1]

    def gpus(self, spec: PodSpec) -> int:
        """Whole GPUs of one pod."""
        return sum(amount for name, amount in self.request(spec) if name in self.gpu_names)

    def given(self, part: str) -> bool:
        """Whether the document holds this part; a hand-written one may leave parts out."""
        return part in self.plan.model_fields_set

    @cached_property
    def ruled_gangs(self) -> frozenset[str]:
        """Gangs that rules between pods, or rooms that domains share, concern."""
        resources = self.policy.policy.domain_resources
        return ruled_gangs(self.snapshot) | asking_gangs(self.snapshot, resources)

    @cached_property
    def entry_by_gang(self) -> Mapping[str, GangEntry]:
        """Document entry of every gang that has one, by the gang's full name."""
        return {gang.full_name: entry for entry, gang in self.reading.entries if gang is not None}

    @cached_property
    def running_by_gang(self) -> Mapping[str, list[Pod]]:
        """Running pods before the plan."""
        return {
            name: [pod for pod in pods if pod.running]
            for name, pods in self.snapshot.pods_by_gang.items()
        }

    def running_before(self, gang: Gang) -> list[Pod]:
        """Running pods of a gang before the plan."""
        return self.running_by_gang.get(gang.full_name, [])

    def succeeded(self, gang: Gang) -> list[Pod]:
        """Pods of a gang that ended well: they count towards its minimum."""
        return [pod for pod in self.snapshot.pods_of(gang) if pod.phase == "Succeeded"]

    def staying(self, gang: Gang) -> list[Pod]:
        """Running pods of a gang that the plan does not evict (moved ones included)."""
        gone = self.reading.evicted
        return [pod for pod in self.running_before(gang) if pod.full_name not in gone]

    def lost_by(self, gang: Gang) -> list[Pod]:
        """Running pods of a gang that the plan evicts."""
        gone = self.reading.evicted
        return [pod for pod in self.running_before(gang) if pod.full_name in gone]

    @cached_property
    def placed_by_gang(self) -> Mapping[str, list[Arrival]]:
        """Placed pods (no moves) by gang."""
        found: dict[str, list[Arrival]] = {}
        for arrival in self.reading.arrivals:
            if not arrival.moved:
                found.setdefault(arrival.gang.full_name, []).append(arrival)
        return found

    @cached_property
    def moved_gangs(self) -> frozenset[str]:
        """Gangs of which a running pod changes its node."""
        return frozenset(one.gang.full_name for one in self.reading.arrivals if one.moved)

    @cached_property
    def counted_resources(self) -> frozenset[str]:
        """Resources that some node offers and some pod of a gang requests."""
        offered = {name for node in self.snapshot.nodes for name in node.allocatable}
        specs = {id(pod.spec): pod.spec for pod in self.snapshot.pods if pod.gang}
        asked = {name for spec in specs.values() for name, _ in self.request(spec)}
        return frozenset(offered & asked)

    @cached_property
    def touched_gangs(self) -> list[Gang]:
        """Gangs that receive or lose pods."""
        names = dict.fromkeys(self.placed_by_gang)
        names.update((pod.gang, None) for pod in self.reading.evicted.values() if pod.gang)
        return [self.snapshot.gang_by_name[name] for name in names]

    def add(self, usage: Usage, spec: PodSpec, times: int = 1) -> None:
        """Add ``times`` pods of a specification to a running total."""
        for name, amount in self.request(spec):
            usage[name] = usage.get(name, 0) + amount * times

    def hold(
        self, usage: Usage, pod: Pod, times: int = 1, cards: Sequence[int] = (), name: str = ""
    ) -> None:
        """Add a pod to what holds a node: requests, its number, and where cards are shared its name."""
        self.add(usage, pod.spec, times)
        usage[PODS] = usage.get(PODS, 0) + times
        if self.book and self.book.ask(pod.spec) is not None:
            key = f"{CARD_KEY}{name or pod.full_name}"
            self._holders.setdefault(key, (pod, tuple(cards)))
            usage[key] = usage.get(key, 0) + times

    @cached_property
    def cards_guessed(self) -> bool:
        """Some pod that holds a node uses shared cards and does not tell which."""
        return any(
            self.book.ask(pod.spec) is not None
            and self.book.told(pod, self.book.cards(self.snapshot.node_by_name[name])) is None
            for name, pods in self.snapshot.pods_by_node.items()
            if name in self.snapshot.node_by_name
            for pod in pods
        )

    def tray(self, node: str, usage: Usage) -> Tray | None:
        """Cards of a node beside the pods of a usage; None where these have no cards together."""
        held = {key: n for key, n in usage.items() if key.startswith(CARD_KEY) and n > 0}
        key = (node, frozenset(held.items()))
        if key not in self._trays:
            pods = [(self._holders[one][0], n, self._holders[one][1]) for one, n in held.items()]
            self._trays[key] = CardDesk(self.book).tray(self.snapshot.node_by_name[node], pods)
        return self._trays[key]

    def held(self, node: str) -> Usage:
        """Requests and number of the pods on a node before the plan, terminating ones included."""
        total: Usage = {PODS: 0}
        for pod in self.snapshot.pods_by_node.get(node, ()):
            self.hold(total, pod)
        return total

    @cached_property
    def held_before(self) -> Mapping[str, Usage]:
        """Requests and number of pods of every node before the plan."""
        return {node.name: self.held(node.name) for node in self.snapshot.nodes}

    @cached_property
    def held_after(self) -> Mapping[str, Usage]:
        """Requests and number of pods of every node after the plan; unnamed nodes may appear."""
        after = dict(self.held_before)
        for number, (pod, node, times, cards) in enumerate(self._changes()):
            usage = after[node] = dict(after.get(node, {PODS: 0}))
            name = "" if pod.full_name in self.snapshot.pod_by_name else f"#{number}"
            self.hold(usage, pod, times, cards, name)
        return after

    def _changes(self) -> Iterable[tuple[Pod, str, int, Sequence[int]]]:
        for arrival in self.reading.arrivals:
            yield arrival.pod, arrival.node, arrival.count, arrival.cards
            if arrival.moved:
                yield arrival.pod, arrival.pod.node or "", -1, ()
        for pod in self.reading.evicted.values():
            yield pod, pod.node or "", -1, ()

    @cached_property
    def queue_before(self) -> Mapping[str, Usage]:
        """Requests of running pods per queue, children not included; pods without a PodGroup count nowhere."""
        found: dict[str, Usage] = {}
        for gang in self.snapshot.gangs:
            if not gang.not_admitted:
                usage = found.setdefault(gang.queue, {})
                for pod in self.running_before(gang):
                    self.add(usage, pod.spec)
        return found

    @cached_property
    def queue_after(self) -> Mapping[str, Usage]:
        """Like :attr:`queue_before`, after the plan."""
        found = {name: dict(usage) for name, usage in self.queue_before.items()}
        for arrivals in self.placed_by_gang.values():
            for arrival in arrivals:
                usage = found.setdefault(arrival.gang.queue, {})
                self.add(usage, arrival.pod.spec, arrival.count)
        for pod in self.reading.evicted.values():
            gang = self.snapshot.gang_by_name.get(pod.gang)
            if gang is not None and not gang.not_admitted:
                self.add(found[gang.queue], pod.spec, -1)
        return found

    @cached_property
    def domains(self) -> Domains:
        """Topology domains."""
        return domains_of(self.snapshot, self.policy)

    @cached_property
    def queues(self) -> QueueBook:
        """Limits and entitlements of all queues."""
        return QueueBook(self.snapshot, self.policy)

    @cached_property
    def admission(self) -> AdmissionBook:
        """What the scheduler still lets in."""
        return AdmissionBook(self.snapshot, self.policy, self.queues)

    def queue_usage(self, usage: Mapping[str, Usage], queue: str) -> Usage:
        """Use of a queue with its descendants where the tree counts."""
        total: Usage = {}
        for name in self.queues.family(queue):
            for resource, amount in usage.get(name, {}).items():
                total[resource] = total.get(resource, 0) + amount
        return total
