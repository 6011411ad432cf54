"""What the scheduler's admission and its queue tree make of objects that look right one by one."""

from __future__ import annotations

from collections.abc import Iterator

from models.broken_trees import broken_trees
from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.checks.wording import amount_text, counted
from models.queues import ROOT_QUEUE
from models.resources import BASE_DIMENSIONS
from models.workloads import Gang, Pod


def queue_tree_stops(subject: Subject) -> Iterator[Hit]:
    """A queue tree that is none, where the scheduler honours it: it decides nothing in any queue."""
    if not (subject.policy.hierarchy and subject.policy.admits_first):
        return
    for one in broken_trees(subject.snapshot):
        told = f"{one.text}: Volcano starts and reclaims nothing in any queue until that is mended"
        yield Hit(one.object, told, remedy=one.remedy)


def root_without_cpu(subject: Subject) -> Iterator[Hit]:
    """The root of a tree has a capability that leaves out cpu or memory."""
    root = subject.snapshot.queue_by_name.get(ROOT_QUEUE)
    if not subject.policy.hierarchy or root is None or not root.capability:
        return
    missing = [name for name in BASE_DIMENSIONS if root.capability.amount(name) <= 0]
    if missing:
        names = " and ".join(missing)
        yield Hit(
            f"queue/{ROOT_QUEUE}",
            f"the capability of queue root lists no {names}, which Volcano reads as 0 and hands down to every queue: "
            f"no pod that requests {' or '.join(missing)} starts",
            remedy=f"add {names} to spec.capability of queue root, or remove the capability",
        )


def min_resources_beyond_minimum(subject: Subject) -> Iterator[Hit]:
    """A PodGroup that waits for admission asks for GPUs that its minimum could do without."""
    if not subject.policy.admits_first:
        return
    for gang in subject.live_gangs:
        if gang.kind != "PodGroup" or gang.phase not in ("", "Pending") or not gang.min_resources:
            continue
        for name in subject.gpu_names:
            asked, least = gang.min_resources.amount(name), _least(subject, gang, name)
            if least is not None and least < asked:
                pods = counted(max(gang.min_member, 1), "pod")
                yield Hit(
                    f"gang/{gang.full_name}",
                    f"its minimum of {pods} could be met with {amount_text(name, least)}, but its minResources count "
                    f"{amount_text(name, asked)}: admission asks for more than it needs to start, and the minimum does "
                    "not say which pods it needs",
                )


def _least(subject: Subject, gang: Gang, name: str) -> int | None:
    """Least amount that some pods which make up minMember request; None where there are too few, or roles bind."""
    pods: tuple[Pod, ...] = subject.snapshot.pods_of(gang)
    amounts = [pod.spec.request.amount(name) for pod in pods if pod.running or pod.pending]
    if gang.roles_bind or len(amounts) < gang.min_member:
        return None
    return sum(sorted(amounts)[: max(gang.min_member, 1)])


HELD = Check(
    "admission_held",
    "warning",
    "With `admission: live`: a gang in phase Inqueue can never run, but its minResources hold admission that others "
    "wait for. Told of a plan.",
    "delete the gang, or lower what it asks for; the finding names the command",
    noun="gangs",
    phrase="hold admission for ever",
)
NOT_OVER_TIME = Check(
    "admission_not_scheduled",
    "info",
    "The scheduler admits PodGroups before it looks at their pods; a schedule does not count that. Told of a schedule.",
    "look at gangplan plan for what admission lets in now",
)

CHECKS = (
    HELD,
    NOT_OVER_TIME,
    Check(
        "queue_tree_stops",
        "error",
        "With hierarchy and `admission: live`: a gang waits in an inner queue, a queue's parent does not exist, or "
        "queues are their own ancestors. Volcano then decides nothing in any queue, so the plan starts nothing and "
        "evicts nobody.",
        "move the gang to a leaf queue, or give the queue a parent that exists",
        noun="faults of the queue tree",
        phrase="stop every queue",
        see_all="kubectl get queues,podgroups -A -o yaml",
        find=queue_tree_stops,
    ),
    Check(
        "root_without_cpu",
        "error",
        "With hierarchy, queue `root` has a capability without cpu or memory. Volcano reads what is left out as 0 and "
        "hands it down: nothing that requests it starts.",
        "add cpu and memory to the capability of queue root, or remove it",
        find=root_without_cpu,
    ),
    Check(
        "min_resources_beyond_minimum",
        "warning",
        "With `admission: live`: a PodGroup that waits for admission counts GPUs in minResources that minMember pods "
        "of it need not have. Operators that write one minMember for several worker groups do that.",
        "let minMember count the pods that it needs, with a role minimum for each group, or lower minResources",
        noun="PodGroups",
        phrase="ask admission for more GPUs than their minimum needs",
        see_all="kubectl get podgroups -A -o yaml",
        find=min_resources_beyond_minimum,
    ),
)
