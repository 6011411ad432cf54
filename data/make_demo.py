"""Write the demo sample: a small cluster shared by pretraining, offline evaluation and online inference.

Usage: ``python data/make_demo.py [FILE]``; without a file it rewrites ``planner/samples/demo.yaml``.
``data/README.md`` tells the story in numbers.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

KubeObject = dict[str, Any]
TARGET = Path(__file__).resolve().parents[1] / "planner" / "samples" / "demo.yaml"
HEADER = "# Made by data/make_demo.py; change that script, not this file.\n"

GPU = "nvidia.com/gpu"
MODEL_LABEL = "nvidia.com/gpu.product"
H100, A100, H200 = "NVIDIA-H100-80GB-HBM3", "NVIDIA-A100-SXM4-80GB", "NVIDIA-H200"
DAY = "2026-09-14"
PRIORITIES = {"online": 1000, "normal": 500, "besteffort": 100}


@dataclass(frozen=True)
class Machine:
    """A node pool: cores and GiB that pods may use of what the machine has."""

    model: str
    cores: tuple[int, int]
    memory_gib: tuple[int, int]


MACHINES = {
    "h100": Machine(H100, (190, 192), (1984, 2048)),
    "a100": Machine(A100, (126, 128), (984, 1024)),
}
NODES = [f"h100-{index}" for index in range(1, 7)] + [f"a100-{index}" for index in range(1, 5)]
NOT_READY = "h100-6"


@dataclass(frozen=True)
class Role:
    """Pods of one role: how many, what each asks for, and where they run (empty = they wait)."""

    name: str
    count: int
    gpus: int
    cores: int
    memory_gib: int
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """A gang; ``as_job`` writes a Volcano Job whose pods do not exist yet."""

    namespace: str
    name: str
    created: str
    roles: tuple[Role, ...]
    priority: str = "normal"
    model: str = ""
    minimum: int | None = None
    as_job: bool = False

    @property
    def queue(self) -> str:
        """Each team has one queue."""
        return {"serving": "online"}.get(self.namespace, self.namespace)


LARGE_RUN = (Role("worker", 2, 8, 160, 1600, ("h100-1", "h100-2")),)
TOKENIZER = (Role("worker", 1, 4, 64, 512, ("h100-5",)),)
MMLU = (Role("worker", 4, 1, 12, 96, ("a100-2",) * 4),)
CHAT = (Role("server", 4, 1, 16, 128, ("h100-3",) * 4),)
EMBEDDINGS = (Role("server", 8, 1, 12, 96, ("a100-1",) * 6 + ("a100-3",) * 2),)

ABLATION = (Role("worker", 8, 1, 16, 128),)
REWARD_MODEL = (Role("worker", 4, 1, 16, 128),)
SAFETY_SUITE = (Role("worker", 2, 2, 24, 192),)
JUDGE = (Role("server", 1, 8, 96, 768),)
LONG_CONTEXT = (Role("driver", 1, 0, 4, 16), Role("worker", 2, 4, 48, 384))
PROBE = (Role("worker", 2, 2, 32, 256),)
CANARY = (Role("server", 1, 1, 16, 128),)
DRY_RUN = (Role("worker", 6, 8, 160, 1600),)
LEADERBOARD = (Role("worker", 4, 8, 96, 768),)

RUNNING = (
    Work("pretrain", "llm-70b", "2026-09-09T18:20:00Z", LARGE_RUN, model=H100),
    Work("pretrain", "tokenizer-study", "2026-09-13T07:45:00Z", TOKENIZER, model=H100),
    Work("eval", "nightly-mmlu", f"{DAY}T01:00:00Z", MMLU, model=A100),
    Work("serving", "chat", "2026-09-01T06:00:00Z", CHAT, "online", minimum=1),
    Work("serving", "embeddings", "2026-09-01T06:05:00Z", EMBEDDINGS, "online", minimum=1),
)
WAITING = (
    Work("pretrain", "moe-ablation-a", f"{DAY}T08:50:10Z", ABLATION, model=H100),
    Work("pretrain", "moe-ablation-b", f"{DAY}T08:50:12Z", ABLATION, model=H100),
    Work("eval", "reward-model", f"{DAY}T08:50:15Z", REWARD_MODEL, model=H100),
    Work("eval", "safety-suite", f"{DAY}T08:52:00Z", SAFETY_SUITE, model=A100),
    Work("eval", "judge-405b", f"{DAY}T08:53:00Z", JUDGE, model=A100),
    Work("eval", "long-context", f"{DAY}T08:54:00Z", LONG_CONTEXT, model=A100, as_job=True),
    Work("pretrain", "data-mix-probe", f"{DAY}T08:55:00Z", PROBE, "besteffort", model=H100),
    Work("serving", "speech-canary", f"{DAY}T08:56:00Z", CANARY, "online", model=H200),
    Work("pretrain", "moe-1t-dry-run", f"{DAY}T08:57:00Z", DRY_RUN, model=H100),
    Work("eval", "leaderboard-refresh", f"{DAY}T08:58:00Z", LEADERBOARD),
)

QUEUES: dict[str, dict[str, Any]] = {
    "default": {"weight": 1, "reclaimable": True},
    "pretrain": {"weight": 4, "deserved": 28, "capability": 40, "reclaimable": True},
    "eval": {"weight": 4, "deserved": 28, "capability": 32, "reclaimable": True},
    "online": {
        "weight": 2,
        "deserved": 16,
        "capability": 24,
        "guarantee": 12,
        "reclaimable": False,
    },
}

SCHEDULER_CONF = """actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: predicates
  - name: capacity
  - name: nodeorder
  - name: binpack
"""


def demo_objects() -> list[KubeObject]:
    """All objects of the sample."""
    nodes = [_node(name) for name in NODES]
    daemons = [_daemon_pod(agent, name) for agent in ("gpu-agent", "node-agent") for name in NODES]
    work = [one for gang in (*RUNNING, *WAITING) for one in _work_objects(gang)]
    cluster = [*map(_queue, QUEUES), *map(_priority_class, PRIORITIES)]
    return [*nodes, *daemons, _data_prep_pod(), *work, *cluster, _scheduler_config()]


def demo_text() -> str:
    """The sample file."""
    document = {"apiVersion": "v1", "kind": "List", "items": demo_objects()}
    return HEADER + yaml.safe_dump(document, sort_keys=False, width=120)


def _node(name: str) -> KubeObject:
    machine = MACHINES[name.split("-")[0]]
    ready = name != NOT_READY
    amounts = [
        {"cpu": str(cores), "memory": f"{memory}Gi", "pods": "110", GPU: "8"}
        for cores, memory in zip(machine.cores, machine.memory_gib, strict=True)
    ]
    condition = {"type": "Ready", "status": "True" if ready else "Unknown"}
    if not ready:
        condition["reason"] = "NodeStatusUnknown"
        condition["lastTransitionTime"] = f"{DAY}T05:12:00Z"
    spec: KubeObject = {}
    if not ready:
        spec["taints"] = [
            {"key": "node.kubernetes.io/unreachable", "effect": effect}
            for effect in ("NoSchedule", "NoExecute")
        ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "creationTimestamp": "2026-05-04T07:00:00Z",
            "labels": {"kubernetes.io/hostname": name, MODEL_LABEL: machine.model},
        },
        "spec": spec,
        "status": {"allocatable": amounts[0], "capacity": amounts[1], "conditions": [condition]},
    }


def _metadata(namespace: str, name: str, created: str, **more: Any) -> KubeObject:
    return {"name": name, "namespace": namespace, "creationTimestamp": created, **more}


def _owner(api_version: str, kind: str, name: str) -> list[KubeObject]:
    return [{"apiVersion": api_version, "kind": kind, "name": name, "controller": True}]


def _container(gpus: int, cores: str, memory: str) -> KubeObject:
    amounts = {"cpu": cores, "memory": memory}
    if not gpus:
        return {"name": "main", "resources": {"requests": amounts}}
    requests = {**amounts, GPU: str(gpus)}
    return {"name": "main", "resources": {"requests": requests, "limits": {GPU: str(gpus)}}}


def _pod(metadata: KubeObject, spec: KubeObject, node: str) -> KubeObject:
    placed = {"nodeName": node} if node else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {**spec, **placed},
        "status": {"phase": "Running" if node else "Pending"},
    }


def _daemon_pod(agent: str, node: str) -> KubeObject:
    owner = _owner("apps/v1", "DaemonSet", agent)
    metadata = _metadata(
        "kube-system", f"{agent}-{node}", "2026-05-04T07:02:00Z", ownerReferences=owner
    )
    spec = {
        "schedulerName": "default-scheduler",
        "priorityClassName": "system-node-critical",
        "priority": 2_000_001_000,
        "tolerations": [{"operator": "Exists"}],
        "containers": [_container(0, "500m", "1Gi")],
    }
    return _pod(metadata, spec, node)


def _data_prep_pod() -> KubeObject:
    """CPU work of another scheduler that leaves h100-5 with four free GPUs and five free cores."""
    owner = _owner("apps/v1", "ReplicaSet", "data-prep-7c9d8")
    metadata = _metadata(
        "data", "data-prep-7c9d8-x2x7q", "2026-09-12T11:30:00Z", ownerReferences=owner
    )
    spec = {"schedulerName": "default-scheduler", "containers": [_container(0, "120", "256Gi")]}
    return _pod(metadata, spec, "h100-5")


def _work_objects(work: Work) -> list[KubeObject]:
    if work.as_job:
        return [_job(work), _pod_group(work)]
    pods = [_gang_pod(work, role, index) for role in work.roles for index in range(role.count)]
    return [_pod_group(work), *pods]


def _gang_pod(work: Work, role: Role, index: int) -> KubeObject:
    annotations = {"scheduling.k8s.io/group-name": work.name}
    if len(work.roles) > 1:
        annotations["volcano.sh/task-spec"] = role.name
    kind = (
        ("apps/v1", "ReplicaSet") if work.queue == "online" else ("kubeflow.org/v1", "PyTorchJob")
    )
    metadata = _metadata(
        work.namespace,
        f"{work.name}-{role.name}-{index}",
        work.created,
        labels={"app": work.name},
        annotations=annotations,
        ownerReferences=_owner(*kind, work.name),
    )
    node = role.nodes[index] if role.nodes else ""
    return _pod(metadata, _pod_spec(work, role), node)


def _pod_spec(work: Work, role: Role) -> KubeObject:
    spec: KubeObject = {
        "schedulerName": "volcano",
        "priorityClassName": work.priority,
        "priority": PRIORITIES[work.priority],
    }
    if work.model:
        spec["nodeSelector"] = {MODEL_LABEL: work.model}
    spec["containers"] = [_container(role.gpus, str(role.cores), f"{role.memory_gib}Gi")]
    return spec


def _minimum(work: Work) -> int:
    return work.minimum or sum(role.count for role in work.roles)


def _pod_group(work: Work) -> KubeObject:
    running = any(role.nodes for role in work.roles)
    spec: KubeObject = {
        "minMember": _minimum(work),
        "queue": work.queue,
        "priorityClassName": work.priority,
    }
    if len(work.roles) > 1 or work.as_job:
        spec["minTaskMember"] = {role.name: role.count for role in work.roles}
    name, phase = work.name, "Running" if running else "Inqueue"
    more: KubeObject = {}
    if work.as_job:
        name, phase = f"{work.name}-2f6c1f0a", "Pending"
        more["ownerReferences"] = _owner("batch.volcano.sh/v1alpha1", "Job", work.name)
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": _metadata(work.namespace, name, work.created, **more),
        "spec": spec,
        "status": {"phase": phase},
    }


def _job(work: Work) -> KubeObject:
    tasks: list[KubeObject] = []
    for role in work.roles:
        full = _pod_spec(work, role)
        template = {key: full[key] for key in ("nodeSelector", "containers") if key in full}
        tasks.append(
            {
                "name": role.name,
                "replicas": role.count,
                "minAvailable": role.count,
                "template": {"spec": {"restartPolicy": "OnFailure", **template}},
            }
        )
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": _metadata(work.namespace, work.name, work.created),
        "spec": {
            "schedulerName": "volcano",
            "queue": work.queue,
            "priorityClassName": work.priority,
            "minAvailable": _minimum(work),
            "tasks": tasks,
        },
        "status": {"state": {"phase": "Pending"}},
    }


def _queue(name: str) -> KubeObject:
    spec = dict(QUEUES[name])
    for key in ("deserved", "capability"):
        if key in spec:
            spec[key] = {GPU: str(spec[key])}
    if "guarantee" in spec:
        spec["guarantee"] = {"resource": {GPU: str(spec["guarantee"])}}
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name, "creationTimestamp": "2026-05-04T08:00:00Z"},
        "spec": spec,
        "status": {"state": "Open"},
    }


def _priority_class(name: str) -> KubeObject:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": PRIORITIES[name],
    }


def _scheduler_config() -> KubeObject:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"},
        "data": {"volcano-scheduler.conf": SCHEDULER_CONF},
    }


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else TARGET).write_text(demo_text(), encoding="utf-8")
