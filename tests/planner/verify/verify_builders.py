"""Small snapshots, policies and plans in code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.cluster import Node
from models.effective import EffectivePolicy, resolve_policy
from models.plan import GangEntry, PlanResult, PodGroupEntry, Reason, RuleViolation
from models.policy import Policy
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec, RoleTemplate
from planner.verify.check import verify

GPU = "nvidia.com/gpu"
GIB = 2**30


def node(name: str, gpus: int = 8, **changes: Any) -> Node:
    """A Ready node with 64 cores, 512 GiB, 110 pods."""
    amounts = {"cpu": 64_000, "memory": 512 * GIB, "pods": 110, GPU: gpus}
    amounts.update(changes.pop("allocatable", {}))
    labels = {"kubernetes.io/hostname": name, **changes.pop("labels", {})}
    return Node(
        name,
        allocatable=Resources(amounts),
        labels=labels,
        conditions=changes.pop("conditions", {"Ready": "True"}),
        **changes,
    )


def spec(gpus: int = 1, **changes: Any) -> PodSpec:
    """One core and 1 GiB per pod, and GPUs."""
    amounts = {"cpu": 1000, "memory": GIB, GPU: gpus, **changes.pop("request", {})}
    request = Resources({name: amount for name, amount in amounts.items() if amount})
    return PodSpec(request=request, scheduler_name=changes.pop("scheduler", "volcano"), **changes)


def pods(gang: str, count: int, shape: PodSpec, **changes: Any) -> list[Pod]:
    """Pods ``gang-<role>0…`` of a gang named ``ml/<gang>``; with ``node`` they run there."""
    role, where = changes.pop("role", ""), changes.pop("node", None)
    first = changes.pop("first", 0)
    phase = changes.pop("phase", "Running" if where else "Pending")
    return [
        Pod(
            "ml",
            f"{gang}-{role}{first + index}",
            shape,
            gang=f"ml/{gang}" if gang else "",
            role=role,
            node=where,
            phase=phase,
            **changes,
        )
        for index in range(count)
    ]


def gang(name: str, minimum: int = 1, **changes: Any) -> Gang:
    """A PodGroup in namespace ml and queue ``a``."""
    values: dict[str, Any] = {"queue": "a", "created": "2026-08-20T08:00:00Z", **changes}
    return Gang("ml", name, min_member=minimum, **values)


def template(role: str, shape: PodSpec, replicas: int, **changes: Any) -> RoleTemplate:
    return RoleTemplate(role=role, spec=shape, replicas=replicas, **changes)


def snapshot(**parts: Any) -> Snapshot:
    """A snapshot; pods may be nested lists, queue ``a`` without limits is there unless queues are given."""
    listed: list[Pod] = []
    for one in parts.pop("pods", ()):
        listed += [one] if isinstance(one, Pod) else one
    parts.setdefault("queues", (Queue("a"),))
    values = {name: tuple(value) for name, value in parts.items() if isinstance(value, list)}
    return Snapshot(pods=tuple(listed), **{**parts, **values})


def policy(cluster: Snapshot, **keys: Any) -> EffectivePolicy:
    """Effective policy; the queue model is capacity unless named."""
    keys.setdefault("queue_model", "capacity")
    return resolve_policy(cluster, Policy.model_validate(keys))


def placed(where: str, *names: str, **changes: Any) -> PodGroupEntry:
    """Named pods of namespace ml that are placed on a node."""
    full = tuple(f"ml/{name}" for name in names)
    return PodGroupEntry(action="place", node=where, count=len(full), names=full, **changes)


def created(where: str, count: int, role: str = "") -> PodGroupEntry:
    """Pods that do not exist yet, placed on a node."""
    return PodGroupEntry(action="place", node=where, count=count, role=role)


def entry(name: str, decision: str, *items: PodGroupEntry, **changes: Any) -> GangEntry:
    """Entry of a gang ``ml/<name>``; waiting ones get a reason."""
    codes = changes.pop("codes", ("cluster_capacity",) if decision in ("wait", "evict") else ())
    reasons = tuple(Reason(code=code, message="8 GPUs are missing") for code in codes)
    values: Mapping[str, Any] = {"namespace": "ml", "name": name, "decision": decision, **changes}
    return GangEntry(**values, pods=items, reasons=reasons)


def plan(*entries: GangEntry, **parts: Any) -> PlanResult:
    """A hand-written plan: gangs only, unless further parts are given."""
    return PlanResult(gangs=entries, **parts)


def violations(cluster: Snapshot, document: PlanResult, **keys: Any) -> tuple[RuleViolation, ...]:
    """What the verifier reports."""
    return verify(cluster, policy(cluster, **keys), document).violations


def broken_rules(cluster: Snapshot, document: PlanResult, **keys: Any) -> set[str]:
    """Ids of the rules that the verifier reports."""
    return {one.rule for one in violations(cluster, document, **keys)}
