"""Which gang each pod belongs to."""

from __future__ import annotations

from models.readers.annotations import GROUP_NAMES, MIN_MEMBER, QUEUE_NAME
from models.readers.controllers import VOLCANO
from models.readers.gang_table import Draft, GangTable
from models.readers.intake import Intake
from models.readers.metadata import valid_name
from models.workloads import Gang, Pod


def link_pods(intake: Intake, table: GangTable) -> list[Pod]:
    """Put every pod into its draft; the pods without gang are returned.

    A pod belongs to the PodGroup that it names, else to the Volcano Job that controls it, else Volcano makes a group
    for its owner (Volcano ``pg_controller``).
    """
    free = []
    for pod in intake.pods.sorted():
        draft = _draft_of(pod, intake, table)
        if draft is None:
            free.append(pod)
        else:
            draft.pods.append(pod)
    return free


def _draft_of(pod: Pod, intake: Intake, table: GangTable) -> Draft | None:
    if pod.gang:  # from a snapshot file
        return table.find(pod.gang)
    for key in GROUP_NAMES:
        name = pod.annotations.get(key)
        if name is not None:
            return _named_group(pod, f"{pod.namespace}/{name}", table)
    job = table.find(f"{pod.namespace}/{pod.owner_name}") if pod.owner_kind == "Job" else None
    if job is not None:
        return job
    return _implicit(pod, intake, table) if pod.spec.scheduler_name == VOLCANO else None


def _named_group(pod: Pod, name: str, table: GangTable) -> Draft:
    """The group that a pod names; if the export lacks it, its Volcano Job, else a gang that says so."""
    found = table.find(name)
    if found is not None:
        return found
    job = table.find(f"{pod.namespace}/{pod.owner_name}") if pod.owner_kind == "Job" else None
    if job is not None and job.gang.kind == "Job":
        table.also_named(job, name)
        return job
    gang = Gang(
        namespace=pod.namespace,
        name=valid_name(name.partition("/")[2], "group name"),
        queue=_queue_of(pod),
        priority_class_name=pod.spec.priority_class_name,
        missing_group=True,
    )
    return table.add(Draft(gang, {name}))


def _implicit(pod: Pod, intake: Intake, table: GangTable) -> Draft:
    name = pod.owner_name or pod.name
    found = table.find(f"{pod.namespace}/{name}")
    if found is not None:
        return found
    gang = Gang(
        namespace=pod.namespace,
        name=name,
        kind="implicit",
        queue=_queue_of(pod),
        min_member=_minimum_of_owner(pod, intake),
        priority_class_name=pod.spec.priority_class_name,
        annotations=pod.annotations,
        labels=pod.labels if not pod.owner_name else {},
        online=pod.owner_kind == "ReplicaSet",
    )
    return table.add(Draft(gang, {gang.full_name}))


def _queue_of(pod: Pod) -> str:
    return valid_name(pod.annotations.get(QUEUE_NAME) or "default", QUEUE_NAME)


def _minimum_of_owner(pod: Pod, intake: Intake) -> int:
    owner = intake.controllers.get(f"{pod.owner_kind}/{pod.namespace}/{pod.owner_name}")
    written = owner.meta.annotations.get(MIN_MEMBER, "") if owner else ""
    return int(written) if written.isdecimal() and len(written) < 10 else 1
