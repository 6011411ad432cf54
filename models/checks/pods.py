"""Pods whose requests, sizes or schedulers keep them from being planned."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping

from models.checks.check import LISTED_GROUPS, Check, Hit
from models.checks.subject import Demand, Subject, add_pod
from models.checks.wording import amount_text, amounts_text, counted, names_text
from models.foreign_workloads import is_left_out
from models.resources import PODS, Resources
from models.workloads import Pod

GPU_SHARE = "gpuShare"


def unknown_resource(subject: Subject) -> Iterator[Hit]:
    """A waiting pod requests a resource that no node offers; one hit per resource."""
    if not subject.snapshot.nodes:
        return
    owners: dict[str, dict[str, int]] = {}
    for demand in subject.demands:
        if GPU_SHARE in demand.spec.special_rules:
            continue  # shares are registered in node annotations, not offered in allocatable
        for name in demand.spec.request:
            if name not in subject.offered and not subject.has_cards(demand.spec):
                by_owner = owners.setdefault(name, {})
                by_owner[demand.owner] = by_owner.get(demand.owner, 0) + demand.count
    for name, by_owner in sorted(owners.items()):
        near = difflib.get_close_matches(name, sorted(subject.offered), n=1)
        hint = f" (did they mean {near[0]}?)" if near else ""
        pods = sum(by_owner.values())
        yield Hit(
            f"resource/{name}",
            f"resource {name} is requested by {counted(pods, 'pod')} of {names_text(_plain(by_owner))}, "
            f"but no node offers it{hint}",
            amount=pods,
        )


def pod_larger_than_any_node(subject: Subject) -> Iterator[Hit]:
    """A waiting pod requests more than every node's allocatable: it never fits, even on an empty cluster."""
    if not subject.snapshot.nodes:
        return
    sizes = _largest_sizes(node.allocatable for node in subject.snapshot.nodes)
    known: dict[Resources, str] = {}
    for demand in subject.demands:
        request = demand.spec.request
        if request not in known:
            known[request] = _why_too_large(request, sizes, subject.offered)
        if known[request]:
            role = f" of role {demand.role}" if demand.role else ""
            yield Hit(
                demand.owner,
                f"{counted(demand.count, 'pod')}{role} {_asks(demand)} for {known[request]}",
                amount=demand.count,
            )


def running_pod_larger_than_any_node(subject: Subject) -> Iterator[Hit]:
    """A pod that holds a node requests more than any node has: the amount cannot be right."""
    for node, pods in sorted(subject.snapshot.pods_by_node.items()):
        for pod in pods:
            large = [
                f"{amount_text(name, amount)} (the largest node has {amount_text(name, subject.offered[name])})"
                for name, amount in pod.spec.request.items()
                if amount > subject.offered.get(name, amount)
            ]
            if large:
                yield Hit(
                    f"pod/{pod.full_name}",
                    f"pod {pod.full_name} on node {node} requests {', '.join(large)}",
                    amount=1,
                )


def _largest_sizes(sizes: Iterable[Resources]) -> list[Resources]:
    """Node sizes without those that another one covers in every dimension."""
    found: list[Resources] = []
    distinct = sorted(set(sizes), key=lambda size: sum(size.values()), reverse=True)
    for size in distinct:
        if not any(all(other.amount(n) >= a for n, a in size.items()) for other in found):
            found.append(size)
    return found


def _why_too_large(request: Resources, sizes: list[Resources], offered: Mapping[str, int]) -> str:
    """What is too large, "" where a node can hold the request or a resource is unknown anyway."""
    wanted = {name: amount for name, amount in request.items() if name in offered}
    single = [
        f"{amount_text(name, amount)} (the largest node has {amount_text(name, offered[name])})"
        for name, amount in wanted.items()
        if amount > offered[name]
    ]
    if single:
        return f"{', '.join(single)}"
    if any(all(size.amount(name) >= amount for name, amount in wanted.items()) for size in sizes):
        return ""
    return f"{amounts_text(wanted)}: nodes have each of these amounts, but none has all together"


def gpu_cards_assumed(subject: Subject) -> Iterator[Hit]:
    """Running pods that share GPU cards and do not tell which ones; one hit for all."""
    if not subject.book:
        return
    silent, nodes = 0, set()
    for node in subject.snapshot.nodes:
        cards = subject.book.cards(node)
        for pod in subject.snapshot.pods_by_node.get(node.name, ()) if cards else ():
            if subject.book.ask(pod.spec) and subject.book.told(pod, cards) is None:
                silent += 1
                nodes.add(node.name)
    if silent:
        yield Hit(
            "pods/cards",
            f"{counted(silent, 'running pod')} on {counted(len(nodes), 'node')} "
            f"{'does' if silent == 1 else 'do'} not tell which shared GPU cards they hold: "
            "they are assumed to be packed as tightly as they can",
            amount=silent,
        )


def no_request(subject: Subject) -> Iterator[Hit]:
    """Waiting pods without any request: they are placed without taking room."""
    for demand in subject.demands:
        if not demand.spec.request:
            yield Hit(
                demand.owner,
                f"{counted(demand.count, 'pod')} of {demand.owner.partition('/')[2]} {_asks(demand)} for nothing "
                "(no requests, no limits): any node holds them, whatever they will use",
                amount=demand.count,
            )


def _asks(demand: Demand) -> str:
    return "asks" if demand.count == 1 else "each ask"


def request_without_limit(subject: Subject) -> Iterator[Hit]:
    """Extended resources are requested without a limit: the API server refuses such pods."""
    for demand in subject.demands:
        names = demand.spec.requests_without_limit
        if names:
            yield Hit(
                demand.owner,
                f"{counted(demand.count, 'pod')} of {demand.owner.partition('/')[2]} "
                f"{'requests' if demand.count == 1 else 'request'} {', '.join(names)} without a limit",
                amount=demand.count,
            )


def gated_pods(subject: Subject) -> Iterator[Hit]:
    """Pods of planned schedulers with scheduling gates; one hit per gang."""
    for owner, pods in _gated(subject).items():
        gates = sorted({gate for pod in pods for gate in pod.spec.scheduling_gates})
        yield Hit(
            owner,
            f"{counted(len(pods), 'pod')} of {owner.partition('/')[2]} "
            f"{'waits' if len(pods) == 1 else 'wait'} behind scheduling gate {names_text(gates)}",
            amount=len(pods),
        )


def _gated(subject: Subject) -> dict[str, list[Pod]]:
    found: dict[str, list[Pod]] = {}
    for pod in subject.snapshot.pods:
        gated = pod.pending and pod.spec.scheduling_gates
        if gated and pod.spec.scheduler_name in subject.schedulers:
            owner = f"gang/{pod.gang}" if pod.gang else f"pod/{pod.full_name}"
            found.setdefault(owner, []).append(pod)
    return found


def foreign_pending_pods(subject: Subject) -> Iterator[Hit]:
    """Pods of other schedulers that wait for a node; one hit per scheduler."""
    waiting: dict[str, dict[str, int]] = {}
    for pod in subject.snapshot.pods:
        if is_left_out(pod, subject.schedulers, system=True):
            add_pod(waiting.setdefault(pod.spec.scheduler_name, {}), pod)
    for scheduler, sums in sorted(waiting.items()):
        pods = sums.pop(PODS)
        yield Hit(
            f"scheduler/{scheduler or '(none)'}",
            f"{counted(pods, 'pending pod')} of {_scheduler(scheduler)} ({amounts_text(sums)}): "
            f"{'in no gang, ' if scheduler in subject.schedulers else ''}not planned, may take room",
            amount=pods,
        )


def scheduler_mismatch(subject: Subject) -> Iterator[Hit]:
    """Pods of a PodGroup or Job that name a scheduler which is not planned for."""
    strangers: dict[str, list[Pod]] = {}
    for pod in subject.snapshot.pods:
        if pod.gang and pod.spec.scheduler_name not in subject.schedulers:
            strangers.setdefault(pod.gang, []).append(pod)
    for name, pods in sorted(strangers.items()):
        gang = subject.snapshot.gang_by_name.get(name)
        if gang is None or gang.asks_nothing:
            continue
        schedulers = sorted({pod.spec.scheduler_name or "(none)" for pod in pods})
        yield Hit(
            f"gang/{name}",
            f"{len(pods):,} of {counted(len(subject.snapshot.pods_of(gang)), 'pod')} of gang {name} "
            f"{'names' if len(pods) == 1 else 'name'} scheduler {names_text(schedulers)}: they are not placed",
            amount=len(pods),
        )


def _scheduler(name: str) -> str:
    return f"scheduler {name}" if name else "no named scheduler"


def _plain(owners: Iterable[str]) -> list[str]:
    return [owner.partition("/")[2] for owner in owners]


CHECKS = (
    Check(
        "unknown_resource",
        "warning",
        "A waiting pod requests a resource that no node offers; it never fits. One finding per resource.",
        "correct the resource name, or add nodes (or the device plugin) that offer it",
        noun="resources",
        phrase="are requested by {total} pods, but no node offers them",
        see_all="the gangs that wait with never_fits",
        listed=LISTED_GROUPS,
        find=unknown_resource,
    ),
    Check(
        "pod_larger_than_any_node",
        "warning",
        "A waiting pod requests more than any node can allocate; it never fits, even on an empty cluster.",
        "ask for less per pod, split the work over more pods, or add larger nodes",
        noun="kinds of pods",
        phrase="are larger than every node ({total} pods)",
        see_all="the gangs that wait with never_fits",
        find=pod_larger_than_any_node,
    ),
    Check(
        "running_pod_larger_than_any_node",
        "warning",
        "A pod that holds a node requests more than any node can allocate, so the amount cannot be right. Its node "
        "gives nothing more of that resource, and the sums of its queue hold the amount as written.",
        "correct the request in the pod's owner; a pod that really runs cannot need it",
        noun="pods",
        phrase="request more than any node has",
        see_all="kubectl get pods -A -o yaml",
        find=running_pod_larger_than_any_node,
    ),
    Check(
        "gpu_cards_assumed",
        "info",
        "Running pods share GPU cards and do not tell which; they are assumed to be packed as tightly as they can.",
        "export the pods' annotations (volcano.sh/vgpu-ids-new, volcano.sh/gpu-index or gangplan.io/gpu-index)",
        noun="kinds of pods",
        phrase="do not tell their GPU cards ({total} pods)",
        see_all="gangplan inspect",
        find=gpu_cards_assumed,
    ),
    Check(
        "no_request",
        "info",
        "Waiting pods request nothing; they are placed without taking room.",
        "give them requests if they use more than a trifle",
        noun="kinds of pods",
        phrase="request nothing ({total} pods)",
        see_all="kubectl get pods -A -o yaml",
        find=no_request,
    ),
    Check(
        "request_without_limit",
        "info",
        "An extended resource such as a GPU is requested without a limit; Kubernetes refuses to create such a pod.",
        "set the limit equal to the request",
        noun="kinds of pods",
        phrase="request extended resources without a limit ({total} pods)",
        see_all="kubectl get jobs.batch.volcano.sh -A -o yaml",
        find=request_without_limit,
    ),
    Check(
        "gated_pods",
        "info",
        "Pods have scheduling gates; they count for their queue and gang, but are not placed.",
        "whoever set the gate removes it when the pods may be scheduled",
        noun="gangs",
        phrase="have gated pods ({total} pods)",
        see_all="kubectl get pods -A, status SchedulingGated",
        find=gated_pods,
    ),
    Check(
        "foreign_pending_pods",
        "info",
        "Pods wait for a node that no plan places: those of schedulers that are not planned for, and those in no gang. "
        "They may take room that the plan uses. One finding per scheduler.",
        "name the scheduler in scheduler_names of the policy and give its pods a PodGroup, if they are to be planned",
        noun="schedulers",
        phrase="have {total} pending pods: not planned, may take room",
        see_all="kubectl get pods -A --field-selector status.phase=Pending",
        listed=LISTED_GROUPS,
        find=foreign_pending_pods,
    ),
    Check(
        "scheduler_mismatch",
        "warning",
        "Pods of a PodGroup or Job name a scheduler that is not planned for, so their gang may never be complete.",
        "set schedulerName of the pods to Volcano's, or add theirs to scheduler_names of the policy",
        noun="gangs",
        phrase="have {total} pods of another scheduler",
        see_all="kubectl get pods -A -o yaml, spec.schedulerName",
        find=scheduler_mismatch,
    ),
)
