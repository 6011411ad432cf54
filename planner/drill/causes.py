"""Why one pod's GPUs are not back in time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from models.drill import DrillResult
from models.gpu import gpus_in
from models.resources import Resources, total_of
from models.workloads import Gang, Pod
from planner.drill.prepare import PreparedDrill
from planner.encode.victims.victim_kinds import budgets_of


@dataclass(frozen=True)
class Cause:
    """Code, the object that holds the GPUs, when they would be free, and words."""

    code: str
    object: str
    second: int | None
    words: str


class Causes:
    """Judges the pods of the open nodes beside a finished drill."""

    def __init__(self, drill: PreparedDrill, result: DrillResult) -> None:
        self._drill = drill
        self._deadline = drill.question.deadline_seconds
        self._leaving = {one.pod: one for one in result.leaving}
        snapshot = drill.prepared.snapshot
        self._gangs = {one.name: one for one in drill.problem.victims.gangs}
        self._gone: dict[str, Resources] = {}
        self._spent: Counter[int] = Counter()
        lost: dict[str, list[Resources]] = {}
        for one in result.leaving:
            pod = snapshot.pod_by_name[one.pod]
            lost.setdefault(one.queue, []).append(pod.spec.request)
            self._spent.update(budgets_of(pod, snapshot))
        self._gone = {queue: total_of(requests) for queue, requests in lost.items()}

    def of(self, pod: Pod) -> Cause | None:
        """The cause, None where the pod's GPUs are free in time."""
        rules, snapshot = self._drill.rules, self._drill.prepared.snapshot
        gang = snapshot.gang_by_name.get(pod.gang)
        owner = gang.full_name if gang is not None else pod.owner_name or pod.full_name
        if pod.terminating:
            return self._ending(pod, owner)
        stays = rules.why_stays(pod, gang)
        if stays is not None:
            return Cause(stays.code, owner, None, stays.words)
        lends_nothing = self._by_shares(pod, gang, Resources()) if gang is not None else None
        if lends_nothing is not None:
            return lends_nothing
        second = rules.seconds(pod)
        if second > self._deadline:
            told = f"grace period of {rules.grace(pod)} s: free after {second} s"
            return Cause("grace", owner, second, told)
        if pod.full_name in self._leaving or gang is None:
            return None
        return self._kept(pod, gang)

    def _ending(self, pod: Pod, owner: str) -> Cause | None:
        second = self._drill.rules.ends(pod)
        if second is None:
            told = f"terminating and overdue (it should have ended at {pod.ends})"
            return Cause("terminating_overdue", owner, None, told)
        if second <= self._deadline:
            return None
        told = f"terminating already, free after {second} s"
        return Cause("terminating_late", owner, second, told)

    def _kept(self, pod: Pod, gang: Gang) -> Cause:
        """It may leave in time, and does not."""
        name, second = gang.full_name, self._drill.rules.seconds(pod)
        victim = self._gangs.get(name)
        if victim is not None and not victim.whole and not victim.surplus:
            told = "other pods of the gang may not leave, and none is surplus"
            return Cause("gang", name, None, told)
        gone = self._gone.get(gang.queue, Resources())
        found = self._budget(pod, name) or self._by_shares(pod, gang, gone)
        return found or Cause(
            "kept", name, second, "could leave in time; its room would make no further pod fit"
        )

    def _budget(self, pod: Pod, name: str) -> Cause | None:
        prepared = self._drill.prepared
        for index in budgets_of(pod, prepared.snapshot) if prepared.policy.pdb else ():
            one = prepared.snapshot.disruption_budgets[index]
            allowed = one.disruptions_allowed
            if self._spent[index] >= allowed:
                told = f"disruption budget {one.namespace}/{one.name} allows {allowed} disruptions"
                return Cause("budget", name, None, told)
        return None

    def _by_shares(self, pod: Pod, gang: Gang, gone: Resources) -> Cause | None:
        """What the queue may not lose when ``gone`` has left it."""
        drill, name = self._drill, gang.full_name
        prepared = drill.prepared
        share = drill.problem.victims.shares.get(gang.queue)
        preempted = drill.rules.preempted(gang.queue, gang.priority)
        if share is None or not drill.rules.compared or preempted:
            return None
        request = pod.spec.request
        used = {one: share.used.get(one, 0) - gone.amount(one) for one in request}
        gpus = gpus_in(used, prepared.gpu_names)
        for dimension, floor in share.guarantee.items():
            if request.amount(dimension) and used[dimension] - request[dimension] < floor:
                told = f"queue {gang.queue} uses {gpus} GPUs and keeps its guarantee"
                return Cause("guarantee", name, None, told)
        deserved = {one: share.deserved.get(one, 0) for one in request}
        above = any(used[one] > deserved[one] for one in request if one in share.counted)
        if any(deserved.values()) and not above:
            least = gpus_in(deserved, prepared.gpu_names)
            told = f"queue {gang.queue} uses {gpus} GPUs and deserves {least}: it has none to give back"
            return Cause("deserved", name, None, told)
        return None
