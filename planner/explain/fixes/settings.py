"""Changes of settings that only a new plan can confirm: ranks, entitlements, evictions, admission."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from models.checks.wording import counted
from models.edits.budgets import SetBudget
from models.edits.edit import Edit
from models.edits.gangs import Reprioritise
from models.edits.new_gangs import SetGang
from models.edits.nodes import AddNodes
from models.edits.pods import MarkPreemptable, Ungate
from models.edits.policy_edit import SetPolicy
from models.edits.quantities import quantity_text
from models.edits.queues import QUEUE_NAME, CreateQueue, SetQueue
from models.effective import EffectivePolicy
from models.extremes import MOST_OF_A_NODE
from models.gpu import gpus_in, whole_gpu_names
from models.plan import GangEntry, PlanResult, Reason
from models.promises import SUSPENDED
from models.resources import PODS, Resources
from models.snapshot import Snapshot
from models.windows import parse_window
from models.workloads import Gang, PodSpec
from planner.explain.fixes.admitted import admitting
from planner.explain.fixes.candidate import Candidate
from planner.explain.fixes.role_minima import minima_that_exist
from planner.explain.fixes.shared import more_shared

EVICT = (("preempt",), ("reclaim",), ("preempt", "reclaim"))
MORE_DISRUPTIONS = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)
"""Disruptions that a budget is tried to allow more."""
ROOM = ("cluster_capacity", "fragmentation", "topology", "quota")


@dataclass(frozen=True)
class Settings:
    """Looks at one waiting gang of a plan."""

    snapshot: Snapshot
    policy: EffectivePolicy
    result: PlanResult
    entry: GangEntry

    @property
    def gang(self) -> Gang:
        """The gang."""
        return self.snapshot.gang_by_name[self.entry.full_name]

    @property
    def reasons(self) -> Mapping[str, Reason]:
        """Its reasons by code."""
        return {one.code: one for one in self.entry.reasons}

    def candidates(self) -> list[Candidate]:
        """Everything that its reasons suggest."""
        codes = self.reasons
        found: list[Candidate] = []
        if "queue_closed" in codes:
            found += self._queue_opened()
        if "admission_gate" in codes:
            found += self._admitted()
        if "not_enough_pods" in codes:
            found += self._fewer_members(codes["not_enough_pods"])
        if "unsupported" in codes or codes.keys() & {"topology", "topology_never"}:
            found += self._without_topology()
            found += more_shared(self.policy.policy.domain_resources, codes)
        if "lower_priority" in codes:
            found += self._first_in_queue(codes["lower_priority"])
        if codes.keys() & {"lower_priority", "protected_victims"}:
            found += self._entitled()
        if "protected_victims" in codes:
            found += self._unprotected(codes["protected_victims"])
        if codes.keys() & set(ROOM):
            found += self._evicting()
        if "time_window" in codes:
            found += self._in_window(codes["time_window"])
        if codes.keys() & {"node_selection", "never_fits"}:
            found += self._made_to_measure()
        return found

    def _admitted(self) -> Iterator[Candidate]:
        yield from admitting(self.snapshot, self.result, self.entry.reasons)
        pods = self.snapshot.pods_of(self.gang)
        if self.gang.suspended or any(pod.spec.scheduling_gates for pod in pods):
            yield _one("ungate", "remove its scheduling gates", Ungate(gangs=self._name))

    @property
    def _name(self) -> str:
        return self.entry.full_name

    def _queue_opened(self) -> Iterator[Candidate]:
        name = self.entry.queue
        queues = self.snapshot.queue_by_name
        if name not in queues:
            if re.fullmatch(
                QUEUE_NAME, name
            ):  # gangs may name a queue that Kubernetes would never create
                yield _one("open_queue", f"create queue {name}", CreateQueue(queue=name))
            return
        if queues[name].state != "Open":
            yield _one("open_queue", f"open queue {name}", SetQueue(queue=name, state="Open"))
        leaves = [one.name for one in queues.values() if one.parent_name == name]
        for leaf in sorted(leaves):
            edit = SetGang(gangs=self._name, queue=leaf)
            yield _one("other_queue", f"submit it to queue {leaf}", edit, leaf)

    def _fewer_members(self, reason: Reason) -> Iterator[Candidate]:
        if self.gang.no_more == SUSPENDED:
            return  # its pods come as soon as it is resumed
        if self.gang.roles_bind and reason.data.get("missingRoles"):
            least = minima_that_exist(self.snapshot, self.policy, self.gang)
            if least is not None:
                yield least.candidate()
            return
        pods = int(reason.data.get("pods", 0))
        if 0 < pods < self.gang.min_member:
            text = f"lower its minMember from {self.gang.min_member:,} to {pods:,}"
            yield _one("lower_min_member", text, SetGang(gangs=self._name, min_member=pods))

    def _without_topology(self) -> Iterator[Candidate]:
        if self.gang.topology is not None and self.gang.topology.binds:
            edit = SetGang(gangs=self._name, topology=None)
            yield _one("relax_topology", "drop its topology rule", edit)

    def _first_in_queue(self, reason: Reason) -> Iterator[Candidate]:
        """A priority like that of a gang of its queue that starts, or above it; low ones first."""
        entries = {one.full_name: one for one in self.result.gangs}
        started = [
            one.priority
            for one in entries.values()
            if one.queue == self.entry.queue and one.decision == "start"
        ]
        for priority in sorted({one + step for one in started for step in (0, 1)}):
            if priority > self.entry.priority:
                text = f"raise its priority from {self.entry.priority:,} to {priority:,}"
                edit = Reprioritise(gangs=self._name, priority=priority)
                yield _one("raise_priority", text, edit, size=priority - self.entry.priority)

    def _entitled(self) -> Iterator[Candidate]:
        """Its queue deserves as many GPUs as it would use with the gang."""
        queue = self.snapshot.queue_by_name.get(self.entry.queue)
        shown = next((one for one in self.result.queues if one.name == self.entry.queue), None)
        if queue is None or shown is None or self.policy.queue_model != "capacity":
            return
        for name in whole_gpu_names(self.policy.policy.gpu_models):
            need = _need(self.gang, self.snapshot, name)
            missing = shown.after.amount(name) + need - queue.deserved.amount(name)
            if need and missing > 0:
                edit = SetQueue(queue=queue.name, deserved={name: f"+{missing}"})
                text = f"raise what queue {queue.name} deserves by {missing:,} {name}"
                yield _one("raise_deserved", text, edit, queue.name, size=missing)

    def _unprotected(self, reason: Reason) -> Iterator[Candidate]:
        for row in reason.data.get("protections", ()):
            what, gangs = str(row["what"]), tuple(row.get("gangs", ()))
            complete = len(gangs) == row.get("gangsTotal")
            if what == "volcano.sh/preemptable: false" and gangs and complete:
                text = f"let {_few(gangs)} be evicted"
                yield _one("make_preemptable", text, MarkPreemptable(gangs=gangs), *gangs)
            if what.startswith("under PodDisruptionBudget "):
                yield from self._wider_budget(what.split(" ")[2].rstrip(","))
            if what.endswith("which is not reclaimable"):
                queue = what.removeprefix("of queue ").partition(",")[0]
                edit = SetQueue(queue=queue, reclaimable=True)
                yield _one("make_reclaimable", f"make queue {queue} reclaimable", edit, queue)
            if "is within what it deserves" in what:
                yield from self._less_deserved(what.removeprefix("of queue ").partition(",")[0])

    def _wider_budget(self, name: str) -> Iterator[Candidate]:
        """Some more disruptions allowed, few before many."""
        budgets = self.snapshot.disruption_budgets
        one = next((one for one in budgets if f"{one.namespace}/{one.name}" == name), None)
        if one is None or one.selector is None:
            return
        selected = sum(
            pod.running and pod.namespace == one.namespace and one.selector.matches(pod.labels)
            for pod in self.snapshot.pods
        )
        more = selected - max(one.disruptions_allowed, 0)
        for step in sorted(
            {n for n in MORE_DISRUPTIONS if n < more} | ({more} if more > 0 else set())
        ):
            allowed = max(one.disruptions_allowed, 0) + step
            now = f"instead of {one.disruptions_allowed:,}"
            text = f"let PodDisruptionBudget {name} allow {counted(allowed, 'disruption')} {now}"
            edit = SetBudget(budget=name, allowed=allowed)
            yield _one("raise_budget", text, edit, name, size=step, data={"disruptions": allowed})

    def _less_deserved(self, name: str) -> Iterator[Candidate]:
        """The lender deserves so much less that the gang can reclaim."""
        queue = self.snapshot.queue_by_name.get(name)
        if queue is None or self.policy.queue_model != "capacity":
            return
        for gpu in whole_gpu_names(self.policy.policy.gpu_models):
            take = min(_need(self.gang, self.snapshot, gpu), queue.deserved.amount(gpu))
            if take > 0:
                edit = SetQueue(queue=name, deserved={gpu: f"-{take}"})
                text = f"lower what queue {name} deserves by {take:,} {gpu}"
                yield _one("raise_deserved", text, edit, name, size=take)

    def _evicting(self) -> Iterator[Candidate]:
        """The least that the policy would have to allow."""
        now = set(self.policy.evict)
        for allowed in EVICT:
            if now < set(allowed):
                text = f"let the policy {' and '.join(allowed)}"
                edit = SetPolicy(keys={"evict": list(allowed)})
                yield _one("allow_evictions", text, edit, size=len(allowed))

    def _in_window(self, reason: Reason) -> Iterator[Candidate]:
        windows = self.policy.policy.revocable_zones or {}
        for zone in reason.data.get("zones", ()):
            opens = _next_opening(windows.get(str(zone), ""), self.policy.now)
            if opens:
                text = f"wait until {opens}, when revocable zone {zone} opens"
                yield _one("wait_for_window", text, SetPolicy(keys={"now": opens}), str(zone))

    def _made_to_measure(self) -> Iterator[Candidate]:
        """Nodes like the largest one, with the labels that its pods ask for and large enough for one."""
        specs = _specs(self.gang, self.snapshot)
        sound = [one for one in self.snapshot.nodes if one.ready and not one.unschedulable]
        if not specs or not sound:
            return
        names = whole_gpu_names(self.policy.policy.gpu_models)
        largest = max(sound, key=lambda one: (gpus_in(one.allocatable, names), one.name))
        labels = {key: value for spec in specs for key, value in spec.node_selector}
        needs = {
            name: max(spec.request.amount(name) for spec in specs)
            for name in {name for spec in specs for name in spec.request}
        }
        larger = {
            name: quantity_text(name, amount)
            for name, amount in needs.items()
            if amount > largest.allocatable.amount(name)
        }
        labels = {key: value for key, value in labels.items() if largest.labels.get(key) != value}
        if (not labels and not larger) or max(needs.values(), default=0) > MOST_OF_A_NODE:
            return  # what no machine has cannot be bought
        count = _nodes_for(self.gang, needs, largest.allocatable)
        edit = AddNodes(count=count, like=largest.name, labels=labels, allocatable=larger)
        with_words = [f"{key}={value}" for key, value in sorted({**labels, **larger}.items())]
        nodes = "1 node" if count == 1 else f"{count:,} nodes"
        text = f"add {nodes} like {largest.name} with {', '.join(with_words)}"
        yield _one("add_nodes", text, edit, largest.name, size=count, data={"nodes": count})


def _one(
    kind: str,
    text: str,
    edit: Edit,
    *objects: str,
    size: int = 1,
    data: Mapping[str, int] | None = None,
) -> Candidate:
    return Candidate(kind, text, lambda _: (edit,), size, objects, dict(data or {}))


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    word = "gang" if len(names) == 1 else "gangs"
    return f"{word} {', '.join(names[:3])}{more}"


def _specs(gang: Gang, snapshot: Snapshot) -> list[PodSpec]:
    pods = [pod.spec for pod in snapshot.pods_of(gang) if pod.pending]
    return list(dict.fromkeys([*pods, *(one.spec for one in gang.templates)]))


def _need(gang: Gang, snapshot: Snapshot, name: str) -> int:
    amounts = [spec.request.amount(name) for spec in _specs(gang, snapshot)]
    running = sum(pod.running for pod in snapshot.pods_of(gang))
    return max(amounts, default=0) * max(gang.min_member - running, 1)


def _nodes_for(gang: Gang, needs: Mapping[str, int], allocatable: Resources) -> int:
    """So many nodes that hold minMember pods of the largest kind, each resource by itself."""
    per_node = min(
        (
            max(allocatable.amount(name), amount) // amount
            for name, amount in needs.items()
            if amount and name != PODS
        ),
        default=1,
    )
    return -(-max(gang.min_member, 1) // max(per_node, 1))


def _next_opening(window: str, now: str) -> str:
    """RFC 3339 time (UTC) at which a window opens next, "" where it cannot be told."""
    found = parse_window(window)
    if found is None or not now:
        return ""
    moment = datetime.fromisoformat(now.replace("Z", "+00:00")).astimezone(UTC)
    for minutes in range(1, 24 * 60 + 1):
        later = moment.replace(second=0, microsecond=0) + timedelta(minutes=minutes)
        if found.contains(later.hour * 60 + later.minute):
            return later.strftime("%Y-%m-%dT%H:%M:%SZ")
    return ""
