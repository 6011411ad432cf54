"""A drill applied to its snapshot, in the verifier's own terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from models.cluster import Node
from models.drill import DrillPlace, DrillResult, NeedEntry
from models.drill_rules import DrillRule
from models.effective import EffectivePolicy
from models.plan import GangEntry, PlanResult, PodGroupEntry, RuleViolation
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.verify.protection import serves
from planner.verify.state import State

_DEFAULT_QUEUE = "default"


def fault(rule: DrillRule, subject: str, message: str) -> RuleViolation:
    """A broken rule of a drill."""
    return RuleViolation(rule=rule.value, object=subject, message=message)


class DrillState:
    """Everything that several rules ask about; ``policy`` is the run's policy, judged as drills do."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy, result: DrillResult) -> None:
        self.result = result
        set_by_person = policy.origins.get("pdb", "default") in ("file", "flag")
        self.policy = replace(
            policy, pdb=policy.pdb or not set_by_person, evict=("preempt", "reclaim")
        )
        self.snapshot = snapshot
        self.gone = {
            one.pod: snapshot.pod_by_name[one.pod]
            for one in result.leaving
            if one.pod in snapshot.pod_by_name
        }
        self.second = {one.pod: one.second for one in result.leaving}

    @cached_property
    def claims(self) -> list[tuple[str, int, set[str]]]:
        """Per need: queue ("" for none), priority, and names of the pods that are the claimant's own."""
        return [self._claim(one) for one in self.result.needs]

    def _claim(self, need: NeedEntry) -> tuple[str, int, set[str]]:
        pods = self.pods_of(need)
        gangs = [self.snapshot.gang_by_name[pod.gang] for pod in pods if pod.gang]
        priority = max((gang.priority for gang in gangs), default=0)
        return need.queue, priority, {pod.full_name for pod in pods}

    def pods_of(self, need: NeedEntry) -> list[Pod]:
        """Existing pods of who needs the GPUs."""
        return [pod for pod in self.snapshot.pods if self._belongs(pod, need)]

    def _belongs(self, pod: Pod, need: NeedEntry) -> bool:
        gang = self.snapshot.gang_by_name.get(pod.gang)
        for service in self.policy.policy.services:
            if service.name == need.service:
                return serves(service, gang or _nobody(), pod)
        if need.service in self.snapshot.queue_by_name:
            family = self.base.queues.family(need.service)
            return gang is not None and not gang.not_admitted and gang.queue in family
        named = self.snapshot.gang_by_name.get(need.service)
        return named is not None and gang is not None and gang.full_name == named.full_name

    @cached_property
    def base(self) -> State:
        """The snapshot as it is, nobody gone."""
        return State(self.snapshot, self.policy, PlanResult())

    @cached_property
    def state(self) -> State:
        """With the needs as waiting gangs of their queues, and who leaves evicted."""
        gangs, pods = list(self.snapshot.gangs), list(self.snapshot.pods)
        for number, need in enumerate(self.result.needs):
            if not need.queue:
                continue
            gang = Gang("gangplan.io", f"wanted-{number}", queue=need.queue or _DEFAULT_QUEUE)
            spec = PodSpec(request=need.request, scheduler_name="volcano")
            gangs.append(gang)
            pods += [
                Pod(gang.namespace, f"{gang.name}-{place}", spec, gang=gang.full_name)
                for place in range(need.pods)
            ]
        wider = replace(self.snapshot, gangs=tuple(gangs), pods=tuple(pods))
        return State(wider, self.policy, PlanResult(gangs=tuple(self._entries())))

    def _entries(self) -> Iterable[GangEntry]:
        by_gang: dict[str, list[Pod]] = {}
        for pod in self.gone.values():
            by_gang.setdefault(pod.gang, []).append(pod)
        for name, pods in by_gang.items():
            gang = self.snapshot.gang_by_name.get(name)
            if gang is None:
                continue  # a pod of no gang: other checks tell
            yield GangEntry(
                namespace=gang.namespace,
                name=gang.name,
                decision="evict",
                pods=tuple(
                    PodGroupEntry(
                        action="evict", from_node=pod.node, count=1, names=(pod.full_name,)
                    )
                    for pod in pods
                ),
            )

    @cached_property
    def places_by_node(self) -> dict[str, list[DrillPlace]]:
        """Places of the document by node."""
        found: dict[str, list[DrillPlace]] = {}
        for one in self.result.places:
            found.setdefault(one.node, []).append(one)
        return found

    @cached_property
    def asked_by_queue(self) -> dict[str, dict[str, int]]:
        """What the pods that have room request, per queue of a need and ancestor."""
        found: dict[str, dict[str, int]] = {}
        for place in self.result.places:
            need = self.need(place.need)
            for level in self.state.queues.levels(need.queue) if need and need.queue else ():
                totals = found.setdefault(level, {})
                for resource, amount in need.request.items() if need else ():
                    totals[resource] = totals.get(resource, 0) + amount * place.pods
        return found

    @cached_property
    def used_by_queue(self) -> dict[str, dict[str, int]]:
        """What these queues use when everybody has left."""
        after = self.state.queue_after
        return {level: self.state.queue_usage(after, level) for level in self.asked_by_queue}

    def need(self, number: int) -> NeedEntry | None:
        """The need of an index, None where there is none."""
        return self.result.needs[number] if 0 <= number < len(self.result.needs) else None

    @property
    def compared(self) -> bool:
        """Shares of the victims' queues count."""
        return not self.result.question.by_hand and all(queue for queue, _, _ in self.claims)

    def preempted(self, gang: Gang) -> bool:
        """Some claimant of the gang's queue has a higher priority."""
        return any(
            queue == gang.queue and gang.priority < priority for queue, priority, _ in self.claims
        )

    def grace(self, pod: Pod) -> int:
        """Seconds that a pod may take to end: its own, else its service's, else the policy's."""
        if pod.spec.grace_seconds is not None:
            return max(pod.spec.grace_seconds, 0)
        gang = self.snapshot.gang_by_name.get(pod.gang)
        for service in self.policy.policy.services:
            if service.grace_seconds is not None and gang and serves(service, gang, pod):
                return service.grace_seconds
        return self.policy.policy.grace_seconds

    def holds(self, pod: Pod, second: int) -> bool:
        """Whether a pod still holds its node at a second."""
        if pod.full_name in self.second:
            return self.second[pod.full_name] > second
        if not pod.terminating:
            return True
        left = _between(self.policy.now, pod.ends)
        if left is None:
            return self.grace(pod) > second
        return left < 0 or left > second

    def node(self, name: str) -> Node | None:
        """The node of this name."""
        return self.snapshot.node_by_name.get(name)


def _nobody() -> Gang:
    return Gang("", "", queue="")


def _between(now: str, end: str) -> int | None:
    try:
        first, last = (datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (now, end))
        return int((last - first).total_seconds())
    except (ValueError, TypeError):
        return None
