"""Volcano Jobs with their PodGroups and pods, running and waiting."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from data.export.fat import KubeObject, applied, container, metadata, stamp, uid
from data.export.world import VOLCANO, PodPlan, Shape, World, pod_object

GROUPS_KIND = "podgroups.scheduling.volcano.sh"
JOBS_KIND = "jobs.batch.volcano.sh"
TRAINING_POOLS = ("h100", "a100", "p4d")


@dataclass(frozen=True)
class JobPlan:
    """A Volcano Job with role ``worker``, and ``masters`` pods of a role ``master``.

    Attributes
    ----------
    shown
        Pods that are in the export; None means all replicas. A waiting job before enqueue has none.
    spec, group
        Further fields of the pods' specification and of the PodGroup's.
    """

    namespace: str
    name: str
    queue: str
    replicas: int
    shape: Shape
    priority_class: str = "research"
    min_available: int | None = None
    minutes: float = 0
    phase: str = "Running"
    shown: int | None = None
    annotations: dict[str, str] = field(default_factory=dict)
    spec: dict[str, Any] = field(default_factory=dict)
    masters: int = 0
    group: dict[str, Any] = field(default_factory=dict)

    @property
    def minimum(self) -> int:
        """``minAvailable`` as set or defaulted."""
        return self.replicas if self.min_available is None else self.min_available

    @property
    def roles(self) -> dict[str, int]:
        """Replicas by role, which are also the minima of the roles."""
        return {"worker": self.replicas} | ({"master": self.masters} if self.masters else {})

    @property
    def group_name(self) -> str:
        """Volcano appends the Job's uid."""
        return f"{self.name}-{uid('Job', self.namespace, self.name)}"


def add_running_job(world: World, plan: JobPlan, *, shown: int | None = None) -> bool:
    """A Job whose pods all run, if they fit; ``shown`` pods are in the export, the rest is only reported."""
    hosts = [world.place(plan.shape, TRAINING_POOLS) for _ in range(plan.replicas)]
    if not all(hosts):
        return False
    for index, host in enumerate(hosts):
        world.charge(plan.queue, plan.shape)
        if host is not None and index < (plan.replicas if shown is None else shown):
            world.add("pods", pod_object(job_pod(plan, index, node=host.name, phase="Running")))
    _add_group(world, plan, "Running", running=plan.replicas)
    world.add(JOBS_KIND, job_object(plan, "Running"))
    return True


def add_waiting_job(world: World, plan: JobPlan) -> None:
    """A Job that waits: in phase Pending its pods do not exist yet, else they are pending."""
    before_enqueue = plan.phase == "Pending"
    count = 0 if before_enqueue else plan.replicas
    for index in range(count if plan.shown is None else plan.shown):
        world.add("pods", pod_object(job_pod(plan, index)))
    _add_group(world, plan, "Pending" if before_enqueue else "Inqueue")
    world.add(JOBS_KIND, job_object(plan, plan.phase))


def job_pod(plan: JobPlan, index: int, **more: Any) -> PodPlan:
    """One pod of a Job; ``more`` replaces fields of the pod."""
    pod = PodPlan(
        plan.namespace,
        f"{plan.name}-worker-{index}",
        plan.shape,
        minutes=plan.minutes + 1,
        priority_class=plan.priority_class,
        labels={"volcano.sh/job-name": plan.name, "volcano.sh/task-spec": "worker"},
        annotations={
            "scheduling.k8s.io/group-name": plan.group_name,
            "volcano.sh/job-name": plan.name,
            "volcano.sh/queue-name": plan.queue,
            "volcano.sh/task-spec": "worker",
            "volcano.sh/template-uid": uid(plan.name),
        },
        owner=("batch.volcano.sh/v1alpha1", "Job", plan.name),
        spec=plan.spec,
    )
    return replace(pod, **more)


def _add_group(world: World, plan: JobPlan, phase: str, *, running: int = 0) -> None:
    world.add(
        GROUPS_KIND,
        pod_group(
            plan.namespace,
            plan.group_name,
            plan.queue,
            plan.minimum,
            phase,
            minutes=plan.minutes,
            running=running,
            owner=("batch.volcano.sh/v1alpha1", "Job", plan.name),
            annotations=plan.annotations,
            spec={
                "minTaskMember": plan.roles,
                "priorityClassName": plan.priority_class,
                **plan.group,
            },
        ),
    )


def pod_group(
    namespace: str,
    name: str,
    queue: str,
    min_member: int,
    phase: str,
    *,
    minutes: float = 0,
    running: int = 0,
    owner: tuple[str, str, str] | None = None,
    annotations: dict[str, str] | None = None,
    spec: dict[str, Any] | None = None,
) -> KubeObject:
    """A PodGroup as Volcano's controllers write it."""
    extra: dict[str, Any] = {"annotations": annotations or {}}
    if owner is not None:
        version, kind, owner_name = owner
        extra["ownerReferences"] = [
            {
                "apiVersion": version,
                "controller": True,
                "kind": kind,
                "name": owner_name,
                "uid": uid(owner_name),
            }
        ]
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": metadata("PodGroup", name, namespace, minutes=minutes, **extra),
        "spec": {"minMember": min_member, "queue": queue, **(spec or {})},
        "status": {
            "conditions": [
                {"lastTransitionTime": stamp(minutes + 2), "status": "True", "type": "Scheduled"}
            ],
            "phase": phase,
            **({"running": running} if running else {}),
        },
    }


def job_object(plan: JobPlan, phase: str) -> KubeObject:
    """The Volcano Job."""
    template = {
        "metadata": {"labels": {"app": plan.name}},
        "spec": {
            "containers": [container(plan.name, plan.shape.requests)],
            "restartPolicy": "Never",
            **plan.spec,
        },
    }
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": metadata(
            "Job",
            plan.name,
            plan.namespace,
            minutes=plan.minutes,
            annotations={**applied("Job", plan.name), **plan.annotations},
        ),
        "spec": {
            "maxRetry": 3,
            "minAvailable": plan.minimum,
            "policies": [{"action": "RestartJob", "event": "PodEvicted"}],
            "priorityClassName": plan.priority_class,
            "queue": plan.queue,
            "schedulerName": VOLCANO,
            "tasks": [
                {"name": name, "replicas": count, "template": template}
                for name, count in plan.roles.items()
            ],
        },
        "status": {
            "minAvailable": plan.minimum,
            "state": {"lastTransitionTime": stamp(plan.minutes), "phase": phase},
        },
    }
