"""What a plan document does with pods: read entry by entry, faults noted on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.plan import GangEntry, PlanResult, PodGroupEntry, RuleViolation
from models.rules import RuleId
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, RoleTemplate
from planner.verify.wording import units, violation


@dataclass(frozen=True, slots=True)
class Arrival:
    """Pods that come to a node.

    Attributes
    ----------
    pod
        The pod, or what its template promises where it does not exist yet.
    count
        Number of such pods; 1 for a pod that exists.
    moved
        It runs already, on another node.
    cards
        Cards of the node that the document names for the pod, () where it names none.
    """

    gang: Gang
    pod: Pod
    node: str
    count: int = 1
    exists: bool = True
    moved: bool = False
    cards: tuple[int, ...] = ()


@dataclass
class Reading:
    """A plan document in terms of the snapshot; ``faults`` are entries that name nothing real."""

    entries: list[tuple[GangEntry, Gang | None]] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    evicted: dict[str, Pod] = field(default_factory=dict)
    faults: list[RuleViolation] = field(default_factory=list)


def read_plan(snapshot: Snapshot, plan: PlanResult) -> Reading:
    """Find the pods of every entry; whatever does not exist or contradicts the snapshot becomes a fault."""
    reader = _Reader(snapshot)
    for entry in plan.gangs:
        reader.read(entry)
    return reader.reading


def promised(gang: Gang, pods: tuple[Pod, ...], template: RoleTemplate) -> int:
    """Pods of a template that do not exist yet: replicas less the role's pods in any phase, at least 0."""
    if gang.asks_nothing:
        return 0
    return max(template.replicas - sum(pod.role == template.role for pod in pods), 0)


def _cards_of(item: PodGroupEntry, position: int) -> tuple[int, ...]:
    return item.cards[position] if position < len(item.cards) else ()


class _Reader:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.reading = Reading()
        self._seen: set[str] = set()
        self._created: dict[tuple[str, str], int] = {}

    def read(self, entry: GangEntry) -> None:
        gang = self.snapshot.gang_by_name.get(entry.full_name)
        self.reading.entries.append((entry, gang))
        if gang is not None:
            for item in entry.pods:
                self._read_item(gang, item)
        elif any(item.action != "keep" for item in entry.pods):
            what = "does something with a gang that the snapshot does not hold; remove the entry"
            self._fault(RuleId.DOCUMENT, f"gang/{entry.full_name}", what)

    def _read_item(self, gang: Gang, item: PodGroupEntry) -> None:
        subject = f"gang/{gang.full_name}"
        if item.count < 0 or len(item.names) > item.count:
            told = f"{item.action}: {len(item.names)} names for a count of {item.count} pods"
            self._fault(RuleId.DOCUMENT, subject, f"{told}; correct the count")
        if item.action in ("place", "move") and not item.node:
            self._fault(RuleId.DOCUMENT, subject, f"{item.action} without a node; name the node")
            return
        for position, name in enumerate(item.names):
            pod = self._named(gang, item, name)
            if pod is not None:
                self._apply(gang, item, pod, _cards_of(item, position))
        unnamed = item.count - len(item.names)
        if unnamed > 0:
            self._read_unnamed(gang, item, unnamed)

    def _named(self, gang: Gang, item: PodGroupEntry, name: str) -> Pod | None:
        rule = RuleId.POD_SUPPLY if item.action == "place" else RuleId.DOCUMENT
        pod = self.snapshot.pod_by_name.get(name)
        if pod is None:
            self._fault(rule, f"pod/{name}", "does not exist in the snapshot; name an existing pod")
        elif pod.gang != gang.full_name:
            owner = f"belongs to {pod.gang or 'no gang'}, not to {gang.full_name}"
            self._fault(rule, f"pod/{name}", f"{owner}; list it there")
        elif name in self._seen:
            self._fault(rule, f"pod/{name}", "appears twice in the plan; list it once")
        else:
            self._seen.add(name)
            if item.role and item.role != pod.role:
                told = f"has role {pod.role!r}, the document says {item.role!r}; correct the role"
                self._fault(RuleId.DOCUMENT, f"pod/{name}", told)
            return pod
        return None

    def _apply(self, gang: Gang, item: PodGroupEntry, pod: Pod, cards: tuple[int, ...]) -> None:
        if item.action == "place":
            self.reading.arrivals.append(Arrival(gang, pod, item.node or "", cards=cards))
            return
        claimed = item.from_node if item.action != "keep" else item.node
        if item.action == "evict":
            claimed = item.from_node or item.node
        if claimed and claimed != pod.node:
            told = f"is on {pod.node or 'no node'}, the document says {claimed}; correct the node"
            self._fault(RuleId.DOCUMENT, f"pod/{pod.full_name}", told)
        if item.action != "keep" and not pod.running:
            told = f"{item.action}: it does not run ({pod.phase}); leave it out"
            self._fault(RuleId.DOCUMENT, f"pod/{pod.full_name}", told)
        elif item.action == "evict":
            self.reading.evicted[pod.full_name] = pod
        elif item.action == "move":
            self.reading.arrivals.append(Arrival(gang, pod, item.node or "", moved=True))

    def _read_unnamed(self, gang: Gang, item: PodGroupEntry, count: int) -> None:
        subject = f"gang/{gang.full_name}"
        if item.action in ("evict", "move"):
            told = f"{units(count, 'pod')} to {item.action} without names; name them"
            self._fault(RuleId.DOCUMENT, subject, told)
        if item.action != "place":
            return
        template = template_for(gang, item.role)
        if template is None:
            role = f" of role {item.role}" if item.role else ""
            told = f"{units(count, 'unnamed pod')}{role}, which no template promises"
            self._fault(RuleId.POD_SUPPLY, subject, f"{told}; name existing pods")
            return
        key = (gang.full_name, template.role)
        self._created[key] = total = self._created.get(key, 0) + count
        left = promised(gang, self.snapshot.pods_of(gang), template)
        if total > left:
            told = f"{total} new pods of role {template.role!r}, the template promises {left} more"
            self._fault(RuleId.POD_SUPPLY, subject, f"{told}; place {total - left} pods fewer")
        pod = promised_pod(gang, template)
        if item.cards:
            for position in range(len(item.names), item.count):
                cards = _cards_of(item, position)
                arrival = Arrival(gang, pod, item.node or "", exists=False, cards=cards)
                self.reading.arrivals.append(arrival)
            return
        arrival = Arrival(gang, pod, item.node or "", count=count, exists=False)
        self.reading.arrivals.append(arrival)

    def _fault(self, rule: RuleId, subject: str, message: str) -> None:
        self.reading.faults.append(violation(rule, subject, message))


def template_for(gang: Gang, role: str) -> RoleTemplate | None:
    """Template of a role; with only one template every role means it."""
    by_role: Mapping[str, RoleTemplate] = {one.role: one for one in gang.templates}
    if role not in by_role and len(gang.templates) == 1:
        return gang.templates[0]
    return by_role.get(role)


def promised_pod(gang: Gang, template: RoleTemplate) -> Pod:
    """A pod as the controller would create it."""
    return Pod(
        namespace=gang.namespace,
        name=f"{gang.name}-{template.role}-*",
        spec=template.spec,
        gang=gang.full_name,
        role=template.role,
        labels=template.labels,
        annotations=template.annotations,
    )
