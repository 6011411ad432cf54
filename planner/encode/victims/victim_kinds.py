"""Victims by kind: pods that no rule can tell apart are counted, not listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from models.extremes import MOST_OF_A_POD, clipped
from models.gpu import gpus_in
from models.queues import Queue
from models.snapshot import Snapshot
from models.use import idle_gangs, measured_use
from models.workloads import Gang, Pod
from planner.encode.lost_work import lost_gpu_seconds, moment_of
from planner.encode.prepared import Prepared
from planner.encode.victims.victim_gangs import subgroup_numbers, victim_gang
from planner.problem.rule_names import resources_only
from planner.problem.victims import EACH_ALONE, VictimGang, VictimKind


class KindTable:
    """Numbers kinds and gangs as pods come in; ``pods`` holds names by (kind, node).

    Parameters
    ----------
    leaves
        Seconds until the room of a pod is free; pods that differ in it are of different kinds.
    """

    def __init__(self, prepared: Prepared, *, leaves: Callable[[Pod], int] = lambda pod: 0) -> None:
        self._leaves = leaves
        self.kinds: list[VictimKind] = []
        self.gangs: list[VictimGang] = []
        self.pods: dict[tuple[int, int], list[str]] = {}
        self._starts: dict[str, str] = {}
        self._prepared = prepared
        self._numbers: dict[tuple[object, ...], int] = {}
        policy = prepared.policy.policy
        use = measured_use(prepared.snapshot, policy) if policy.prefers_idle else None
        self._idle = idle_gangs(use)
        self._node = {name: index for index, name in enumerate(prepared.problem.node_names)}

    def add(self, gang: Gang, pods: Sequence[Pod], allowed: Sequence[Pod], demand: int) -> None:
        """Take up the pods of one gang that may be evicted; ``demand`` is that of the gang, -1 for none."""
        running = [pod for pod in pods if pod.running]
        number, subgroups = EACH_ALONE, {}
        if len(running) > 1 or demand >= 0:
            succeeded = [pod for pod in pods if pod.phase == "Succeeded"]
            subgroups = subgroup_numbers(gang, running)
            number = len(self.gangs)
            self.gangs.append(victim_gang(gang, running, succeeded, allowed, demand, subgroups))
        for pod in allowed:
            node = self._node.get(pod.node or "")
            if node is not None:
                kind = self._kind(gang, pod, number, subgroups.get(pod.full_name, ()))
                self.pods.setdefault((kind, node), []).append(pod.full_name)
                if number == EACH_ALONE:
                    self._starts[pod.full_name] = pod.started

    def in_order(self, names: Sequence[str]) -> tuple[str, ...]:
        """Pods of one kind as they leave: gangs of one pod the youngest first, else the last name first."""
        return tuple(
            sorted(names, key=lambda name: (self._starts.get(name, ""), name), reverse=True)
        )

    def _kind(self, gang: Gang, pod: Pod, number: int, subgroups: tuple[int, ...]) -> int:
        policy = self._prepared.policy
        gpus = gpus_in(pod.spec.request, self._prepared.gpu_names)
        lost = lost_gpu_seconds(pod, gang, gpus, policy.now, policy.policy)
        budgets = budgets_of(pod, self._prepared.snapshot) if policy.pdb else ()
        role = "" if number == EACH_ALONE else pod.role
        seconds = self._leaves(pod)
        cards = self._prepared.problem.cards
        picks = None if cards is None else cards.holds.get(pod.full_name, (0, ()))[1]
        working = 0 if gang.full_name in self._idle else gpus
        amounts = (pod.spec.request, lost, budgets, seconds, picks, working)
        key = (gang.queue, gang.priority, number, role, *amounts, subgroups)
        if key not in self._numbers:
            queue = self._prepared.limits.queues.get(gang.queue)
            names = self._prepared.problem.dimensions[:-1]
            self._numbers[key] = len(self.kinds)
            self.kinds.append(
                VictimKind(
                    queue=gang.queue,
                    priority=gang.priority,
                    gang=number,
                    role=role,
                    request=resources_only(pod.spec.request),
                    vector=(
                        *clipped((pod.spec.request.amount(name) for name in names), MOST_OF_A_POD),
                        1,
                    ),
                    gpus=gpus or int(self._prepared.measure.holds(pod.spec.request)),
                    lost=lost,
                    budgets=budgets,
                    subgroups=subgroups,
                    reclaimable=may_be_reclaimed(queue),
                    seconds=seconds,
                    started=started_s(pod),
                    working_gpus=working,
                )
            )
        return self._numbers[key]


def started_s(pod: Pod) -> int:
    """When a pod started, seconds since 1970; 0 where that is unknown."""
    moment = moment_of(pod.started)
    return 0 if moment is None else int(moment.timestamp())


def may_be_reclaimed(queue: Queue | None) -> bool:
    """Pods of the queue may be reclaimed; an unlisted queue has no entitlements to compare."""
    return queue is not None and not queue.implicit and queue.reclaimable


def budgets_of(pod: Pod, snapshot: Snapshot) -> tuple[int, ...]:
    """Indices of the PodDisruptionBudgets that count the pod."""
    return tuple(
        index
        for index, budget in enumerate(snapshot.disruption_budgets)
        if budget.namespace == pod.namespace
        and budget.selector is not None
        and budget.selector.matches(pod.labels)
    )
