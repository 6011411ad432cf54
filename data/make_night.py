"""Write the night sample: online inference has lent most of its GPUs, and wants some of them back.

Usage: ``python data/make_night.py [FILE]``; without a file it rewrites ``planner/samples/night.yaml``.
``data/README.md`` tells the story in numbers.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

if not __package__:  # run as a file: the folder above makes the packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from models.cluster import Node, PodDisruptionBudget, PriorityClass
from models.queues import Queue
from models.resources import CPU, MEMORY, PODS, Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.testing.kube_objects import kube_list

TARGET = Path(__file__).resolve().parents[1] / "planner" / "samples" / "night.yaml"
HEADER = "# Made by data/make_night.py; change that script, not this file.\n"
GPU, GIB = "nvidia.com/gpu", 1 << 30
MODEL = "NVIDIA-L40S"
NOW = "2026-09-15T03:00:00Z"
PRIORITIES = {"online": 1000, "normal": 500}
SCHEDULER_CONF = """actions: "enqueue, allocate, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
  - name: pdb
- plugins:
  - name: predicates
  - name: capacity
  - name: nodeorder
  - name: binpack
"""


@dataclass(frozen=True)
class Work:
    """A gang of equal pods: the first run on ``nodes``, the others wait."""

    namespace: str
    name: str
    queue: str
    pods: int
    gpus: int
    started: str
    nodes: tuple[str, ...] = ()
    minimum: int | None = None
    priority: str = "normal"
    grace_seconds: int | None = None
    annotations: tuple[tuple[str, str], ...] = ()
    ends: str = ""


MMLU = "infer-2"
WORKS = (
    Work("serving", "chat", "online", 8, 1, "2026-09-01T06:00:00Z", ("infer-1",) * 8, 1, "online"),
    Work("serving", "chat-scale-up", "online", 6, 1, NOW, (), 6, "online"),
    Work("eval", "nightly-mmlu", "eval", 8, 1, "2026-09-15T01:00:00Z", (MMLU,) * 8, 4, "normal", 5),
    Work(
        "eval",
        "code-bench",
        "eval",
        2,
        4,
        "2026-09-15T02:20:00Z",
        ("infer-3",) * 2,
        grace_seconds=15,
    ),
    Work(
        "pretrain",
        "night-run",
        "pretrain",
        2,
        8,
        "2026-09-14T22:00:00Z",
        ("infer-4", "infer-5"),
        grace_seconds=120,
        annotations=(
            ("gangplan.io/checkpoint-interval", "30m"),
            ("gangplan.io/restart-cost", "2m"),
        ),
    ),
    Work(
        "research",
        "notebooks",
        "research",
        1,
        4,
        "2026-09-14T08:00:00Z",
        ("infer-6",),
        annotations=(("volcano.sh/preemptable", "false"),),
    ),
    Work(
        "research",
        "probe",
        "research",
        1,
        2,
        "2026-09-15T02:00:00Z",
        ("infer-6",),
        ends="2026-09-15T03:00:12Z",
    ),
)
QUEUES = (
    ("eval", 4, 40, 0, True),
    ("online", 40, 48, 8, False),
    ("pretrain", 0, 32, 0, True),
    ("research", 4, 16, 0, True),
)


def night_text() -> str:
    """The sample file."""
    document = kube_list(_snapshot())
    document["items"].append(_scheduler_config())
    return HEADER + yaml.safe_dump(document, sort_keys=False, width=120)


def _snapshot() -> Snapshot:
    pairs = [_gang(work) for work in WORKS]
    covered = LabelSelector(match_labels=(("app", "nightly-mmlu"),))
    return Snapshot(
        nodes=tuple(_node(f"infer-{number}") for number in range(1, 7)),
        pods=tuple(pod for _, pods in pairs for pod in pods),
        gangs=tuple(gang for gang, _ in pairs),
        queues=tuple(
            Queue(
                name,
                deserved=Resources({GPU: deserved}),
                capability=Resources({GPU: most}),
                guarantee=Resources({GPU: guarantee}) if guarantee else Resources(),
                reclaimable=reclaimable,
                created="2026-05-04T08:00:00Z",
            )
            for name, deserved, most, guarantee, reclaimable in QUEUES
        ),
        priority_classes=tuple(PriorityClass(name, value) for name, value in PRIORITIES.items()),
        disruption_budgets=(PodDisruptionBudget("eval", "nightly-mmlu", covered, 4),),
    )


def _node(name: str) -> Node:
    amounts = Resources({CPU: 126_000, MEMORY: 984 * GIB, PODS: 110, GPU: 8})
    return Node(
        name,
        allocatable=amounts,
        capacity=amounts,
        labels={"kubernetes.io/hostname": name, "nvidia.com/gpu.product": MODEL},
        conditions={"Ready": "True"},
        created="2026-05-04T07:00:00Z",
    )


def _gang(work: Work) -> tuple[Gang, tuple[Pod, ...]]:
    gang = Gang(
        work.namespace,
        work.name,
        queue=work.queue,
        min_member=work.minimum or work.pods,
        priority_class_name=work.priority,
        priority=PRIORITIES[work.priority],
        created=work.started,
        phase="Running" if work.nodes else "Inqueue",
        annotations=dict(work.annotations),
    )
    request = {CPU: 12_000 * work.gpus, MEMORY: 96 * GIB * work.gpus, GPU: work.gpus}
    spec = PodSpec(
        request=Resources(request),
        scheduler_name="volcano",
        priority_class_name=work.priority,
        priority=PRIORITIES[work.priority],
        grace_seconds=work.grace_seconds,
    )
    return gang, tuple(_pod(work, spec, number) for number in range(work.pods))


def _pod(work: Work, spec: PodSpec, number: int) -> Pod:
    running = number < len(work.nodes)
    marks = {key: text for key, text in work.annotations if key.startswith("volcano.sh/")}
    return Pod(
        work.namespace,
        f"{work.name}-{number}",
        spec,
        node=work.nodes[number] if running else None,
        phase="Running" if running else "Pending",
        terminating=bool(work.ends),
        ends=work.ends,
        labels={"app": work.name},
        annotations={"scheduling.k8s.io/group-name": work.name, **marks},
        created=work.started,
        started=work.started if running else "",
    )


def _scheduler_config() -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"},
        "data": {"volcano-scheduler.conf": SCHEDULER_CONF},
    }


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else TARGET).write_text(night_text(), encoding="utf-8")
