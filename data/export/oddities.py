"""One of everything that real exports hold and a reader must get right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from data.export.fat import KubeObject, container, metadata, tag, uid
from data.export.machines import GONE_NODE, GPU, Host
from data.export.work import (
    GROUPS_KIND,
    JOBS_KIND,
    JobPlan,
    add_running_job,
    add_waiting_job,
    job_object,
    job_pod,
    pod_group,
)
from data.export.world import DEFAULT, PodPlan, Shape, World, pod_object

ONE_GPU = Shape(8_000, 65_536, 1)
FULL_NODE = Shape(64_000, 524_288, 8)
AFFINITY_TERM = {
    "labelSelector": {"matchLabels": {"app": "cache"}},
    "topologyKey": "kubernetes.io/hostname",
}


def add_oddities(world: World, *, consistent: bool) -> None:
    """All of them; ``consistent`` leaves out what makes an export untrusted as a whole (a half-listed gang)."""
    _add_states(world)
    _add_unsupported(world)
    _add_mistakes(world)
    _add_online_gang(world)
    _add_terminating(world)
    _add_overfull(world)
    _add_plain_jobs(world)
    _add_gone(world)
    if not consistent:
        plan = JobPlan("nlp", "half-listed", "nlp", 8, ONE_GPU, minutes=100)
        add_running_job(world, plan, shown=6)


def _add_states(world: World) -> None:
    """Terminal Jobs and leftover PodGroups are not waiting; restarting Jobs are."""
    for phase in ("Aborted", "Completed", "Failed", "Terminated"):
        plan = JobPlan("vision", f"old-{phase.lower()}", "vision", 2, ONE_GPU, minutes=-3000)
        world.add(JOBS_KIND, job_object(plan, phase))
        ended = {"Completed": "Succeeded", "Failed": "Failed"}.get(phase)
        if ended is not None:
            node = world.hosts[0].name
            world.add(
                "pods", *(pod_object(job_pod(plan, i, node=node, phase=ended)) for i in range(2))
            )
    add_waiting_job(
        world, JobPlan("vision", "again", "vision", 2, ONE_GPU, phase="Restarting", shown=0)
    )
    world.add(GROUPS_KIND, pod_group("eval", "sweep-41", "eval", 4, "Completed", minutes=-4000))
    lump = {"minResources": {"cpu": "64", "memory": "512Gi", GPU: "8"}}
    world.add(
        GROUPS_KIND, pod_group("eval", "sweep-42", "eval", 4, "Pending", minutes=80, spec=lump)
    )


def _add_unsupported(world: World) -> None:
    """Required rules beyond selectors and taints."""
    claims = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-h100"}]}
    spread = {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule",
    }
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [AFFINITY_TERM]}
    specs: dict[str, dict[str, Any]] = {
        "dra": claims,
        "beside-cache": {"affinity": {"podAffinity": required}},
        "spread-out": {
            "topologySpreadConstraints": [spread | {"labelSelector": {"matchLabels": {"app": "x"}}}]
        },
    }
    for name, spec in specs.items():
        add_waiting_job(world, JobPlan("nlp", name, "nlp", 2, ONE_GPU, phase="Inqueue", spec=spec))
    topology = {"networkTopology": {"highestTierAllowed": 1, "mode": "hard"}}
    add_waiting_job(
        world,
        JobPlan("pretrain", "one-rack", "pretrain", 4, FULL_NODE, phase="Inqueue", group=topology),
    )
    share = {
        "cpu": "4",
        "memory": "16Gi",
        "volcano.sh/vgpu-number": "1",
        "volcano.sh/vgpu-memory": "20000",
    }
    spec = {"containers": [container("vgpu", share)]}
    add_waiting_job(world, JobPlan("eval", "vgpu", "eval", 1, ONE_GPU, phase="Inqueue", spec=spec))


def _add_mistakes(world: World) -> None:
    """What people get wrong: queues, sizes, names, minima, annotations."""
    plans = (
        JobPlan("eval", "wrong-queue", "evla", 2, ONE_GPU, phase="Inqueue"),
        JobPlan("eval", "closed-queue", "legacy", 2, ONE_GPU, phase="Inqueue"),
        JobPlan("research", "inner-queue", "research", 2, ONE_GPU, phase="Inqueue"),
        JobPlan("pretrain", "sixteen", "pretrain", 2, Shape(64_000, 524_288, 16)),
        JobPlan("vision", "too-many", "vision", 4, ONE_GPU, min_available=6),
        JobPlan("vision", "roles", "vision", 3, ONE_GPU, min_available=2, masters=1),
        JobPlan(
            "vision", "sla", "vision", 1, ONE_GPU, annotations={"sla-waiting-time": "30 minutes"}
        ),
        JobPlan("nlp", "unknown-class", "nlp", 2, ONE_GPU, priority_class="urgent"),
    )
    for plan in plans:
        add_waiting_job(world, plan if plan.phase == "Inqueue" else replace(plan, phase="Pending"))
    typo = {
        "containers": [
            container("typo", {"cpu": "8", "memory": "64Gi", "rdma/hca_shared_device_a": "1"})
        ]
    }
    add_waiting_job(world, JobPlan("nlp", "typo", "nlp", 2, ONE_GPU, phase="Inqueue", spec=typo))
    bare = {"containers": [container("no-limit", ONE_GPU.requests, limits={})]}
    add_waiting_job(
        world, JobPlan("nlp", "no-limit", "nlp", 2, ONE_GPU, phase="Pending", spec=bare)
    )
    gates = {"schedulingGates": [{"name": "budget.example/approval"}]}
    add_waiting_job(
        world, JobPlan("eval", "gated", "eval", 2, ONE_GPU, phase="Inqueue", spec=gates)
    )
    other = {"schedulerName": DEFAULT}
    add_waiting_job(
        world, JobPlan("eval", "other-scheduler", "eval", 2, ONE_GPU, phase="Inqueue", spec=other)
    )
    lost = JobPlan("nlp", "lost-group", "nlp", 2, ONE_GPU)
    world.add("pods", *(pod_object(job_pod(lost, index, owner=("", "", ""))) for index in range(2)))


def _add_online_gang(world: World) -> None:
    """A Deployment under Volcano: one PodGroup per ReplicaSet with minMember 1; online work, no batch gang."""
    replica_set = "chat-5d9c8b7f66"
    group = f"podgroup-{uid('ReplicaSet', replica_set)}"
    for index in range(3):
        host = world.place(ONE_GPU, ("a100", "h100"))
        if host is None:
            continue
        world.charge("online", ONE_GPU)
        plan = PodPlan(
            "online",
            f"{replica_set}-{tag(5, replica_set, index)}",
            ONE_GPU,
            node=host.name,
            phase="Running",
            labels={"app": "chat"},
            annotations={"scheduling.k8s.io/group-name": group},
            owner=("apps/v1", "ReplicaSet", replica_set),
        )
        world.add("pods", pod_object(plan))
    owner = ("apps/v1", "ReplicaSet", replica_set)
    world.add(
        GROUPS_KIND, pod_group("online", group, "online", 1, "Running", running=3, owner=owner)
    )


def _add_terminating(world: World) -> None:
    """Pods on their way out hold their node, but count for no queue."""
    host = world.place(Shape(16_000, 131_072, 2), ("h100", "a100"))
    if host is None:
        return
    plan = JobPlan("vision", "leaving", "vision", 2, ONE_GPU, phase="Terminating", minutes=10)
    for index in range(2):
        pod = job_pod(plan, index, node=host.name, phase="Running", terminating=True)
        world.add("pods", pod_object(pod))
    world.add(
        GROUPS_KIND,
        pod_group(
            "vision",
            plan.group_name,
            "vision",
            2,
            "Running",
            minutes=10,
            owner=("batch.volcano.sh/v1alpha1", "Job", plan.name),
        ),
    )
    world.add(JOBS_KIND, job_object(plan, "Terminating"))


def _add_overfull(world: World) -> None:
    """A pod runs on eight GPUs of which one has become unhealthy: allocatable 7, requested 8."""
    host = _untouched(world)
    if host is None:
        return
    shape = Shape(96_000, 524_288, 8)
    host.take(shape.cpu, shape.memory, host.free_gpus)
    host.gpus, host.free_gpus = host.pool.gpus - 1, 0
    world.charge("pretrain", shape)
    plan = JobPlan(
        "pretrain", "on-sick-node", "pretrain", 1, shape, priority_class="production", minutes=-900
    )
    world.add("pods", pod_object(job_pod(plan, 0, node=host.name, phase="Running")))
    owner = ("batch.volcano.sh/v1alpha1", "Job", plan.name)
    group = pod_group("pretrain", plan.group_name, "pretrain", 1, "Running", running=1, owner=owner)
    world.add(GROUPS_KIND, group)
    world.add(JOBS_KIND, job_object(plan, "Running"))


def _untouched(world: World) -> Host | None:
    hosts = [host for host in world.hosts if host.pool.name == "h100" and host.open]
    return next((host for host in reversed(hosts) if host.free_gpus == host.pool.gpus), None)


def _add_plain_jobs(world: World) -> None:
    """``batch/v1`` Jobs under Volcano: one suspended, without pods; one that waits; and a bare pod."""
    world.add(
        "jobs.batch", _plain_job("suspended", suspended=True), _plain_job("plain", suspended=False)
    )
    group = f"podgroup-{uid('Job', 'data', 'plain')}"
    for index in range(2):
        plan = PodPlan(
            "data",
            f"plain-{tag(5, 'plain', index)}",
            ONE_GPU,
            minutes=70,
            priority_class="besteffort",
            priority=100,
            annotations={"scheduling.k8s.io/group-name": group},
            owner=("batch/v1", "Job", "plain"),
        )
        world.add("pods", pod_object(plan))
    owner = ("batch/v1", "Job", "plain")
    world.add(
        GROUPS_KIND, pod_group("data", group, "default", 1, "Inqueue", minutes=70, owner=owner)
    )
    world.add("pods", pod_object(PodPlan("data", "bare", ONE_GPU, minutes=75)))


def _plain_job(name: str, *, suspended: bool) -> KubeObject:
    template = {
        "metadata": {"labels": {"job-name": name}},
        "spec": {
            "containers": [container(name, ONE_GPU.requests)],
            "restartPolicy": "Never",
            "schedulerName": "volcano",
        },
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata("Job", name, "data", minutes=65),
        "spec": {"completions": 2, "parallelism": 2, "suspend": suspended, "template": template},
        "status": {},
    }


def _add_gone(world: World) -> None:
    """Pods bound to a node that was deleted between the export of the nodes and that of the pods."""
    shape = Shape(2_000, 8_192)
    for index in range(2):
        plan = PodPlan(
            "online",
            f"web-gone-{index}",
            shape,
            node=GONE_NODE,
            phase="Running",
            scheduler=DEFAULT,
            minutes=115,
            owner=("apps/v1", "ReplicaSet", "web-gone"),
        )
        world.add("pods", pod_object(plan))
