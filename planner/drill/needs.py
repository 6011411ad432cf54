"""Who wants GPUs back, in which shape, and which nodes are open to that."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from models.checks.wording import names_text
from models.cluster import Node
from models.drill import FoundAs, Need
from models.effective import EffectivePolicy
from models.findings import UsageError
from models.gpu import gpu_model, gpus_in, whole_gpu_names
from models.policy import OnlineService
from models.pools import pool_of
from models.queues import DEFAULT_QUEUE
from models.readiness import REVOCABLE_ZONE_KEY
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.encode.queue_limits import QueueLimits
from planner.encode.unsupported import rules_of_spec
from planner.encode.victims.victim_protection import serves


@dataclass(frozen=True)
class Claimant:
    """A need with what the snapshot says about it.

    Attributes
    ----------
    own
        Full names of the pods that are the claimant's already; none of them is ever a victim.
    queue
        Where its pods count, "" for pods outside the queues.
    priority
        Highest priority of its gangs; it may preempt lower ones of its own queue.
    spec
        One pod to make room for, without rules that are not modelled.
    pools
        Pools of the need or else of the service; empty for any.
    left_out
        Names of the pattern's required rules that are not modelled.
    """

    need: Need
    found_as: FoundAs
    own: frozenset[str]
    queue: str
    priority: int
    pattern: str
    spec: PodSpec
    gpus: int
    pods: int
    pools: tuple[str, ...]
    revocable: bool = False
    overhead_seconds: int | None = None
    left_out: tuple[str, ...] = ()


def claimants(
    needs: Iterable[Need], snapshot: Snapshot, policy: EffectivePolicy
) -> tuple[Claimant, ...]:
    """One per need, in their order.

    Raises
    ------
    UsageError
        A name that is no service, queue or gang; the nearest one is named.
    """
    return tuple(_claimant(need, snapshot, policy) for need in needs)


def check_kinds(needs: Iterable[Need], snapshot: Snapshot, policy: EffectivePolicy) -> None:
    """GPU models, pools and labels that needs ask for are there.

    Raises
    ------
    UsageError
        One is not; the nearest one is named.
    """
    rule = policy.policy.gpu_models
    names = whole_gpu_names(rule)
    nodes = [node for node in snapshot.nodes if gpus_in(node.allocatable, names)]
    models = {gpu_model(node, rule) for node in nodes}
    pools = {pool_of(node, rule, names) for node in nodes}
    labels = {f"{key}={value}" for node in nodes for key, value in node.labels.items()}
    for need in needs:
        wanted = [("GPU model", one, models) for one in (need.gpu_model,) if one]
        wanted += [("pool", one, pools) for one in need.pools]
        wanted += [("label", f"{key}={value}", labels) for key, value in need.labels.items()]
        for what, one, known in wanted:
            if one not in known:
                told = f"no node with GPUs has the {what} {one!r}; {_nearest(one, known, what)}"
                raise UsageError(f"--need {need.service!r}: {told}")


def _nearest(name: str, known: Iterable[str], what: str) -> str:
    names = sorted(one for one in known if one)
    if not names:
        return f"the snapshot tells no {what} of any of them"
    lower = {one.lower(): one for one in names}
    holding = [one for one in names if name.lower() in one.lower()]
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.4)
    found = holding or [lower[one] for one in near]
    return f"did you mean {found[0]!r}?" if found else f"there is: {names_text(names)}"


def _claimant(need: Need, snapshot: Snapshot, policy: EffectivePolicy) -> Claimant:
    services = {one.name: one for one in policy.policy.services}
    service = services.get(need.service)
    gang = snapshot.gang_by_name.get(need.service)
    if service is not None:
        return _of_service(need, service, snapshot, policy)
    if need.service in snapshot.queue_by_name:
        limits = QueueLimits(snapshot, policy)
        below = set(limits.below(need.service))
        pods = [pod for pod in snapshot.pods if _queue_of(pod, snapshot) in below]
        return _shaped(need, "queue", pods, need.service, snapshot, policy)
    if gang is not None:
        pods = list(snapshot.pods_of(gang))
        return _shaped(need, "gang", pods, gang.queue, snapshot, policy)
    known = (*services, *snapshot.queue_by_name, *(one.full_name for one in snapshot.gangs))
    raise UsageError(f"--need {need.service!r}: {_unknown(need.service, services, known)}")


def _unknown(name: str, services: Iterable[str], known: Iterable[str]) -> str:
    names = list(known)
    shorts = {one.rpartition("/")[2]: one for one in names}
    near = difflib.get_close_matches(name, [*names, *shorts], n=1, cutoff=0.5)
    listed = ", ".join(services) or "the policy has none"
    hint = f"did you mean {shorts.get(near[0], near[0])!r}?" if near else f"services: {listed}"
    return f"no service of the policy, no queue and no gang has this name; {hint}"


def _of_service(
    need: Need, service: OnlineService, snapshot: Snapshot, policy: EffectivePolicy
) -> Claimant:
    pods = [
        pod for pod in snapshot.pods if serves(service, pod, snapshot.gang_by_name.get(pod.gang))
    ]
    queues = Counter(queue for pod in pods if (queue := _queue_of(pod, snapshot)))
    most = min(queues, key=lambda name: (-queues[name], name), default="")
    named = service.queue or ""
    queue = named if named in snapshot.queue_by_name else most
    found = _shaped(need, "service", pods, queue, snapshot, policy)
    return replace(
        found, pools=need.pools or service.pools, overhead_seconds=service.overhead_seconds
    )


def _queue_of(pod: Pod, snapshot: Snapshot) -> str:
    gang = snapshot.gang_by_name.get(pod.gang)
    return gang.queue if gang is not None and not gang.not_admitted else ""


def _shaped(
    need: Need,
    found_as: FoundAs,
    pods: list[Pod],
    queue: str,
    snapshot: Snapshot,
    policy: EffectivePolicy,
) -> Claimant:
    names = whole_gpu_names(policy.policy.gpu_models)
    pattern = _pattern(pods, names)
    gangs = {pod.gang: snapshot.gang_by_name.get(pod.gang) for pod in pods}
    gpus = need.per_pod or (gpus_in(pattern.spec.request, names) if pattern else 1)
    spec = scaled(pattern.spec, gpus, names) if pattern else _plain(need, gpus, snapshot, policy)
    rules = tuple(sorted(rules_of_spec(spec)))
    return Claimant(
        need=need,
        found_as=found_as,
        own=frozenset(pod.full_name for pod in pods),
        queue=queue,
        priority=max((gang.priority for gang in gangs.values() if gang), default=0),
        pattern=pattern.full_name if pattern else "",
        spec=_modelled(spec),
        gpus=gpus,
        pods=-(-need.gpus // gpus),
        pools=need.pools,
        revocable=pattern is not None and pattern.annotations.get(REVOCABLE_ZONE_KEY) == "*",
        left_out=rules,
    )


def _pattern(pods: list[Pod], gpu_names: tuple[str, ...]) -> Pod | None:
    """A pod of the most frequent shape with GPUs: running ones before waiting ones, the first name among equals."""
    for wanted in ([p for p in pods if p.running], [p for p in pods if p.pending]):
        with_gpus = [pod for pod in wanted if gpus_in(pod.spec.request, gpu_names)]
        if with_gpus:
            counts = Counter(pod.spec for pod in with_gpus)
            return min(
                with_gpus,
                key=lambda pod: (
                    -counts[pod.spec],
                    -gpus_in(pod.spec.request, gpu_names),
                    pod.full_name,
                ),
            )
    return None


def scaled(spec: PodSpec, gpus: int, gpu_names: tuple[str, ...]) -> PodSpec:
    """The specification with another number of GPUs, all other requests in proportion, rounded up."""
    have = gpus_in(spec.request, gpu_names)
    if have == gpus:
        return spec
    amounts: dict[str, int] = {}
    left = gpus
    for name, amount in spec.request.items():
        if name in gpu_names:
            amounts[name], left = left, 0
        else:
            amounts[name] = -(-amount * gpus // have)
    return replace(spec, request=Resources(amounts).without_zeros())


def _plain(need: Need, gpus: int, snapshot: Snapshot, policy: EffectivePolicy) -> PodSpec:
    """GPUs of the resource that most nodes of the need offer, and nothing else."""
    names = whole_gpu_names(policy.policy.gpu_models)
    offers = Counter(
        name
        for node in snapshot.nodes
        if matches(need, need.pools, node, policy)
        for name in names
        if node.allocatable.amount(name)
    )
    name = min(offers, key=lambda one: (-offers[one], names.index(one)), default=names[0])
    return PodSpec(request=Resources({name: gpus}))


def _modelled(spec: PodSpec) -> PodSpec:
    return replace(
        spec,
        scheduler_name="",
        special_rules=(),
        pod_affinity=(),
        pod_anti_affinity=(),
        spread=(),
        host_ports=(),
        scheduling_gates=(),
    )


def matches(need: Need, pools: tuple[str, ...], node: Node, policy: EffectivePolicy) -> bool:
    """Whether a node is of the kind, pool and labels that a need asks for."""
    rule = policy.policy.gpu_models
    if need.gpu_model and gpu_model(node, rule) != need.gpu_model:
        return False
    if any(node.labels.get(key) != value for key, value in need.labels.items()):
        return False
    return not pools or pool_of(node, rule, whole_gpu_names(rule)) in pools


def gang_of(claimant: Claimant, number: int, scheduler: str) -> tuple[Gang, tuple[Pod, ...]]:
    """The need as a waiting gang with its pods, for everything that counts requests."""
    name = f"need-{number}"
    gang = Gang("gangplan.io", name, queue=claimant.queue or DEFAULT_QUEUE, min_member=1)
    spec = replace(claimant.spec, scheduler_name=scheduler)
    pods = tuple(
        Pod(gang.namespace, f"{name}-{place}", spec, gang=gang.full_name)
        for place in range(claimant.pods)
    )
    return gang, pods
