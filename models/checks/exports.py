"""Exports that are not whole, or not of one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from models.checks.check import Check, Hit
from models.checks.subject import Subject, add_pod
from models.checks.wording import against_text, counted, names_text
from models.foreign_workloads import OTHER_SYSTEMS
from models.queues import Queue
from models.resources import BASE_DIMENSIONS
from models.workloads import SYSTEM_NAMESPACE

BARE_NODES_ALLOWED = 20
TRACE_FORMATS = ("openb",)


def export_incomplete(subject: Subject) -> Iterator[Hit]:
    """Reported amounts above what the pods of the export hold: allocated(queue) > sum, or running(gang) > pods."""
    seen = _seen_by_queue(subject)
    comparable = {*BASE_DIMENSIONS, *subject.offered}
    for queue in subject.snapshot.queues:
        held = seen.get(queue.name, {})
        excess = [
            against_text(name, amount, held.get(name, 0))
            for name, amount in queue.allocated.items()
            if name in comparable and amount > held.get(name, 0)
        ]
        if excess:
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} reports more as allocated than its pods in the export request: "
                f"{', '.join(excess)}",
            )
    for gang in subject.snapshot.gangs:
        pods = len(subject.snapshot.pods_of(gang))
        if gang.reported_running > pods:
            yield Hit(
                f"gang/{gang.full_name}",
                f"gang {gang.full_name} reports {counted(gang.reported_running, 'running pod')}, "
                f"the export holds {counted(pods, 'pod')} of it",
            )


def _seen_by_queue(subject: Subject) -> Mapping[str, Mapping[str, int]]:
    """Requests that may stand behind ``status.allocated``, by queue with its descendants.

    Pods of a gang that reports them as running count whatever their phase, and pods whose gang is unknown count for
    every queue: only what no pod of the export can explain is missing.
    """
    snapshot = subject.snapshot
    own: dict[str, dict[str, int]] = {}
    unknown: dict[str, int] = {}
    gangs = snapshot.gang_by_name
    for pod in snapshot.pods:
        gang = gangs.get(pod.gang) if pod.gang else None
        if pod.gang and (gang is None or gang.missing_group):
            add_pod(unknown, pod)
        elif gang is not None and (pod.holds_node or gang.reported_running > 0):
            add_pod(own.setdefault(gang.queue, {}), pod)
    found: dict[str, dict[str, int]] = {}
    for queue in snapshot.queues:
        _add(found.setdefault(queue.name, {}), unknown)
        for name in _with_ancestors(subject, queue):
            _add(found.setdefault(name, {}), own.get(queue.name, {}))
    return found


def _with_ancestors(subject: Subject, queue: Queue) -> Iterator[str]:
    yield queue.name
    for ancestor in subject.ancestors(queue):
        yield ancestor.name


def _add(sums: dict[str, int], amounts: Mapping[str, int]) -> None:
    for name, amount in amounts.items():
        sums[name] = sums.get(name, 0) + amount


def no_system_pods(subject: Subject) -> Iterator[Hit]:
    """More than 20 nodes carry no DaemonSet or kube-system pod: such nodes hardly exist."""
    snapshot = subject.snapshot
    if any(source.format.startswith(TRACE_FORMATS) for source in snapshot.sources):
        return
    served = {
        pod.node
        for pod in snapshot.pods
        if pod.holds_node and (pod.owner_kind == "DaemonSet" or pod.namespace == SYSTEM_NAMESPACE)
    }
    bare = [node.name for node in snapshot.nodes if node.name not in served]
    if len(bare) > BARE_NODES_ALLOWED:
        yield Hit(
            "export",
            f"{len(bare):,} of {counted(len(snapshot.nodes), 'node')} carry no DaemonSet or kube-system pod "
            f"({names_text(bare)}): the export probably lacks pods, and these nodes have less room than it seems",
        )


def pod_on_unknown_node(subject: Subject) -> Iterator[Hit]:
    """A pod is bound to a node that the export does not hold."""
    snapshot = subject.snapshot
    if not snapshot.nodes:
        return
    by_node: dict[str, list[str]] = {}
    for pod in snapshot.pods:
        if pod.holds_node and pod.node is not None and pod.node not in snapshot.node_by_name:
            by_node.setdefault(pod.node, []).append(pod.full_name)
    for node, pods in sorted(by_node.items()):
        yield Hit(
            f"node/{node}",
            f"{counted(len(pods), 'pod')} on node {node}, which is not in the export: {names_text(pods)} "
            f"({_times(subject, 'Node', 'Pod')})",
            amount=len(pods),
        )


def half_listed_gang(subject: Subject) -> Iterator[Hit]:
    """A gang has some pods in the export, but fewer than it reports as running."""
    for gang in subject.snapshot.gangs:
        pods = len(subject.snapshot.pods_of(gang))
        if 0 < pods < gang.reported_running:
            yield Hit(
                f"gang/{gang.full_name}",
                f"only {pods:,} of {counted(gang.reported_running, 'running pod')} of gang {gang.full_name} "
                f"are in the export ({_times(subject, 'PodGroup', 'Pod')})",
                amount=gang.reported_running - pods,
            )


def other_queueing_system(subject: Subject) -> Iterator[Hit]:
    """Waiting work of a queueing system that is not read: Workloads of Kueue, groups of KAI or of the coscheduler."""
    for kind, count in sorted(subject.snapshot.ignored.items()):
        name, _, api_group = kind.partition(".")
        system = OTHER_SYSTEMS.get((api_group, name))
        if system:
            yield Hit(
                f"kind/{kind}",
                f"{counted(count, 'object')} of kind {kind} ({system}): what waits there is not planned",
                amount=count,
            )


def _times(subject: Subject, first: str, second: str) -> str:
    newest = {**_newest_by_field(subject), **subject.snapshot.newest}
    return (
        f"newest time stamp among {first}s: {newest.get(first) or 'none'}, "
        f"among {second}s: {newest.get(second) or 'none'}"
    )


def _newest_by_field(subject: Subject) -> dict[str, str]:
    """Newest creation or start time per kind, for snapshots that do not keep better ones."""
    snapshot = subject.snapshot
    return {
        "Node": max((node.created for node in snapshot.nodes), default=""),
        "Pod": max((max(pod.created, pod.started) for pod in snapshot.pods), default=""),
        "PodGroup": max((gang.created for gang in snapshot.gangs), default=""),
    }


CHECKS = (
    Check(
        "export_incomplete",
        "error",
        "A Queue's `status.allocated` or a PodGroup's `status.running` exceeds what the pods of the export explain: "
        "pods are missing (often an export of one namespace), so nodes look emptier than they are. `plan` refuses.",
        "export the pods of all namespaces (kubectl get pods -A) with the same rights, all kinds at one time; "
        "--allow-incomplete plans anyway",
        noun="queues and gangs",
        phrase="report more than the pods of the export explain",
        see_all="kubectl get queues,podgroups -A -o wide",
        find=export_incomplete,
    ),
    Check(
        "no_system_pods",
        "warning",
        "More than 20 nodes carry no DaemonSet or kube-system pod at all; the export probably misses namespaces. "
        "Not checked on traces.",
        "export the pods of all namespaces (kubectl get pods -A)",
        find=no_system_pods,
    ),
    Check(
        "pod_on_unknown_node",
        "warning",
        "A pod is bound to a node that the export does not hold; nodes and pods were probably read at different times.",
        "export all kinds at one time; until then the pod counts for its queue and gang, but takes room nowhere",
        noun="unknown nodes",
        phrase="carry {total} pods",
        see_all="kubectl get pods -A -o wide",
        find=pod_on_unknown_node,
    ),
    Check(
        "half_listed_gang",
        "warning",
        "Some pods of a gang are in the export, but fewer than it reports as running; "
        "gangs and pods were probably read at different times.",
        "export all kinds at one time and check that kubectl may list the pods of this namespace",
        noun="gangs",
        phrase="lack {total} running pods in the export",
        see_all="kubectl get podgroups -A -o wide",
        find=half_listed_gang,
    ),
    Check(
        "other_queueing_system",
        "warning",
        "The export holds waiting work of a queueing system that is not read (Kueue, KAI scheduler, coscheduling): the "
        "plan sees its running pods, but not what waits there.",
        "plan clusters with Volcano's PodGroups and Jobs; what waits in the other system may take the room of a plan",
        noun="kinds",
        phrase="are of queueing systems that are not read ({total} objects)",
        find=other_queueing_system,
    ),
)
