"""Running pods that may go, and what a gang may lose (I3, I7 whoever asks), for the oracle."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from models.effective import EffectivePolicy
from models.gpu import gpus_in, whole_gpu_names
from models.policy import OnlineService
from models.snapshot import Snapshot
from models.workloads import Gang, Pod

_CRITICAL = ("system-cluster-critical", "system-node-critical")
_HARM_TIERS = {
    "idle": "working_evicted",
    "gangs": "gangs_given_up",
    "pods": "pods_evicted",
    "moves": "pods_moved",
    "lost_work": "lost_work",
    "domains": "eviction_domains",
}


@dataclass(frozen=True)
class Loss:
    """What one gang loses."""

    gang: Gang
    pods: tuple[Pod, ...]
    whole: bool


def is_open(policy: EffectivePolicy, gang: Gang, pod: Pod) -> bool:
    """Whether a running pod may be a victim at all."""
    if gang.missing_group or not pod.running or not policy.evict:
        return False
    marked = not pod.preemptable or gang.preemptable is False
    system = pod.namespace == "kube-system" or pod.spec.priority_class_name in _CRITICAL
    foreign = pod.spec.scheduler_name not in policy.policy.scheduler_names
    served = any(
        _is_of(service, gang, pod) and not service.may_be_evicted
        for service in policy.policy.services
    )
    return not (marked or system or foreign or served)


def _is_of(service: OnlineService, gang: Gang, pod: Pod) -> bool:
    if service.namespace not in (None, pod.namespace):
        return False
    if service.selector:
        return service.selector.items() <= pod.labels.items()
    if service.queue is not None:
        return service.queue == gang.queue
    return service.name in (gang.name, pod.owner_name)


def breaks_budget(snapshot: Snapshot, policy: EffectivePolicy, pods: Collection[Pod]) -> bool:
    """With ``pdb`` more pods of a PodDisruptionBudget go than it allows."""
    if not policy.pdb:
        return False
    for budget in snapshot.disruption_budgets:
        taken = sum(
            pod.namespace == budget.namespace
            and budget.selector is not None
            and budget.selector.matches(pod.labels)
            for pod in pods
        )
        if taken > max(budget.disruptions_allowed, 0):
            return True
    return False


def losses_of(snapshot: Snapshot, gang: Gang, candidates: Iterable[Pod]) -> Iterator[Loss]:
    """Every legal loss of a gang out of some of its running pods, equal ones counted once."""
    running = [pod for pod in snapshot.pods_of(gang) if pod.running]
    done = [pod for pod in snapshot.pods_of(gang) if pod.phase == "Succeeded"]
    alike: dict[tuple[object, ...], list[Pod]] = {}
    for pod in candidates:
        marks = tuple(policy.key_of(pod) for policy in gang.subgroups)
        labels = tuple(sorted(pod.labels.items()))
        key = (pod.node, pod.spec, pod.role, marks, labels, pod.started)
        alike.setdefault(key, []).append(pod)
    for counts in itertools.product(*(range(len(group) + 1) for group in alike.values())):
        taken = tuple(
            pod for group, n in zip(alike.values(), counts, strict=True) for pod in group[:n]
        )
        rest = [pod for pod in running if pod not in taken]
        if taken and may_be_left(gang, running, rest, done):
            yield Loss(gang, taken, whole=not rest)


def may_be_left(gang: Gang, running: list[Pod], rest: list[Pod], done: list[Pod]) -> bool:
    """Whether a gang that ran with some pods may be left with the rest."""
    if not rest or len(rest) == len(running):
        return True
    counted = [*rest, *done]
    if gang.restarts_on_eviction or len(counted) < gang.min_member:
        return False
    roles = Counter(pod.role for pod in counted)
    if gang.min_member >= sum(gang.role_minimum.values()) and any(
        roles[role] < minimum for role, minimum in gang.role_minimum.items()
    ):
        return False
    for policy in gang.subgroups:
        sizes = Counter(key for pod in counted if (key := policy.key_of(pod)) is not None)
        if sum(size >= policy.size for size in sizes.values()) < policy.min_subgroups:
            return False
        had = Counter(policy.key_of(pod) for pod in running)
        left = Counter(policy.key_of(pod) for pod in rest)
        broken = (key for key, n in left.items() if key is not None and n != had[key])
        if any(left[key] < policy.size for key in broken):
            return False
    return True


def harm_of(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    losses: Collection[Loss],
    domain: Callable[[str], object],
) -> dict[str, int]:
    """Values of the harm tiers in the policy's order; ``domain`` tells the topology domain of a node."""
    gone = {pod.full_name: pod for loss in losses for pod in loss.pods}
    ended = dict(gone)
    for loss in losses:
        if loss.gang.restarts_on_eviction:
            running = (pod for pod in snapshot.pods_of(loss.gang) if pod.running)
            ended.update((pod.full_name, pod) for pod in running)
    gangs = {gang.full_name: gang for gang in snapshot.gangs}
    values = {
        "idle": sum(
            gpus_in(pod.spec.request, whole_gpu_names(policy.policy.gpu_models))
            for loss in losses
            if not _is_idle(snapshot, policy, loss.gang)
            for pod in loss.pods
        ),
        "gangs": sum(loss.whole for loss in losses),
        "pods": len(gone),
        "moves": 0,
        "lost_work": sum(_lost(policy, gangs[pod.gang], pod) for pod in ended.values()),
        "domains": len({domain(pod.node or "") for pod in gone.values()}),
    }
    left = (one for one in values if one != "idle")
    order = dict.fromkeys((*policy.policy.harm, *left))
    return {_HARM_TIERS[name]: values[name] for name in order}


def _is_idle(snapshot: Snapshot, policy: EffectivePolicy, gang: Gang) -> bool:
    names = whole_gpu_names(policy.policy.gpu_models)
    known = {one.pod: one.idle_s for one in snapshot.use}
    holders = [p for p in snapshot.pods_of(gang) if p.running and gpus_in(p.spec.request, names)]
    least = min((-1 if (s := known.get(p.full_name)) is None else s for p in holders), default=-1)
    return least >= policy.policy.use.idle_after


def _lost(policy: EffectivePolicy, gang: Gang, pod: Pod) -> int:
    if not pod.started or not policy.now:
        return 0
    now, start = (datetime.fromisoformat(one) for one in (policy.now, pod.started))
    seconds = max(int((now - start).total_seconds()), 0)
    restart = 0
    for rule in policy.policy.checkpoint:
        if rule.queue in (None, gang.queue) and rule.selector.items() <= pod.labels.items():
            seconds, restart = seconds % rule.interval_seconds, rule.restart_seconds
            break
    return gpus_in(pod.spec.request, whole_gpu_names(policy.policy.gpu_models)) * (
        seconds + restart
    )
