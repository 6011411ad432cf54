"""Write the evening sample: batch work waits for the GPUs that online inference does not need at night.

Usage: ``python data/make_evening.py [FOLDER]``; without a folder it rewrites ``planner/samples/evening.yaml`` and
``planner/samples/evening.policy.yaml``. ``data/README.md`` tells the story in numbers.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

if not __package__:  # run as a file: the folder above makes the packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from models.cluster import Node, PriorityClass
from models.queues import Queue
from models.resources import CPU, MEMORY, PODS, Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.testing.kube_objects import kube_list

TARGET = Path(__file__).resolve().parents[1] / "planner" / "samples"
HEADER = "# Made by data/make_evening.py; change that script, not this file.\n"
GPU, GIB, MODEL = "nvidia.com/gpu", 1 << 30, "nvidia.com/gpu.product"
NOW = "2026-09-15T19:00:00Z"
PRIORITIES = {"online": 1000, "normal": 500, "besteffort": 100}
POOLS = {"infer": ("NVIDIA-L40S", 6), "train": ("NVIDIA-H100-80GB-HBM3", 4)}
RUNTIME, INTERVAL = "gangplan.io/runtime", "gangplan.io/checkpoint-interval"


@dataclass(frozen=True)
class Work:
    """A gang of equal pods; those without nodes wait."""

    namespace: str
    name: str
    pods: int
    gpus: int
    runtime: str
    pool: str = "infer"
    nodes: tuple[str, ...] = ()
    priority: str = "normal"
    grace_seconds: int = 15
    checkpoint: str = ""
    started: str = "2026-09-15T15:00:00Z"
    preemptable: bool = True
    more: tuple[tuple[str, str], ...] = ()


def _on(pool: str, *numbers: int, each: int = 1) -> tuple[str, ...]:
    return tuple(f"{pool}-{number}" for number in numbers for _ in range(each))


WORKS = (
    Work(
        "serving",
        "chat",
        30,
        1,
        "",
        nodes=_on("infer", 1, 2, 3, each=8) + _on("infer", 4, each=6),
        priority="online",
    ),
    Work("pretrain", "llm-13b", 2, 8, "9h", "train", _on("train", 1, 2)),
    Work("eval", "code-bench", 2, 4, "5h", "train", _on("train", 3, each=2)),
    Work("eval", "nightly-mmlu", 8, 1, "3h"),
    Work("eval", "leaderboard", 4, 2, "2h"),
    Work("eval", "safety-suite", 4, 4, "4h"),
    Work(
        "eval",
        "agent-suite",
        2,
        8,
        "6h",
        grace_seconds=25,
        checkpoint="30m",
        more=(("gangplan.io/restart-cost", "5m"),),
    ),
    Work(
        "eval",
        "release-gate",
        2,
        4,
        "2h",
        more=(("gangplan.io/deadline", "2026-09-16T05:00:00Z"),),
    ),
    Work(
        "research",
        "distill",
        2,
        8,
        "12h",
        grace_seconds=25,
        checkpoint="1h",
        more=(("gangplan.io/restart-cost", "10m"),),
    ),
    Work("research", "sweep", 8, 1, "1h", priority="besteffort"),
    Work("research", "notebook-batch", 1, 4, "3h", priority="besteffort", grace_seconds=120),
    Work("pretrain", "big-run", 4, 8, "8h", "train"),
    Work("pretrain", "tokenizer", 1, 4, "2h", "train", priority="besteffort"),
    Work(
        "pretrain",
        "after-midnight",
        1,
        8,
        "2h",
        "train",
        priority="besteffort",
        more=(("gangplan.io/earliest-start", "2026-09-16T00:00:00Z"),),
    ),
)
QUEUES = (
    ("eval", 24, 48, True),
    ("online", 48, 48, False),
    ("pretrain", 32, 32, True),
    ("research", 8, 32, True),
)
POLICY = {
    "timezone": "Europe/Berlin",
    "services": [
        {
            "name": "chat",
            "selector": {"app": "chat"},
            "guarantee_gpus": 8,
            "reserved_gpus": 48,
            "demand": {
                "gpus": 44,
                "windows": [
                    {"window": "21:00-22:00", "gpus": 30},
                    {"window": "22:00-23:00", "gpus": 22},
                    {"window": "23:00-00:00", "gpus": 14},
                    {"window": "00:00-05:00", "gpus": 8},
                    {"window": "05:00-06:00", "gpus": 12},
                    {"window": "06:00-07:00", "gpus": 24},
                    {"window": "07:00-08:00", "gpus": 36},
                ],
            },
        }
    ],
    "maintenance": [
        {"nodes": ["train-4"], "from": "2026-09-15T20:00:00Z", "to": "2026-09-15T22:00:00Z"}
    ],
}


def evening_text() -> str:
    """The sample's cluster."""
    document = kube_list(_snapshot())
    return HEADER + yaml.safe_dump(document, sort_keys=False, width=120)


def policy_text() -> str:
    """The sample's policy: what the service needs hour by hour, and a maintenance window."""
    return HEADER + yaml.safe_dump(POLICY, sort_keys=False, width=120)


def _snapshot() -> Snapshot:
    pairs = [_gang(work) for work in WORKS]
    nodes = [
        _node(f"{pool}-{number}", model)
        for pool, (model, count) in POOLS.items()
        for number in range(1, count + 1)
    ]
    return Snapshot(
        nodes=tuple(nodes),
        pods=tuple(pod for _, pods in pairs for pod in pods),
        gangs=tuple(gang for gang, _ in pairs),
        queues=tuple(
            Queue(
                name,
                deserved=Resources({GPU: deserved}),
                capability=Resources({GPU: most}),
                reclaimable=reclaimable,
                created="2026-05-04T08:00:00Z",
            )
            for name, deserved, most, reclaimable in QUEUES
        ),
        priority_classes=tuple(PriorityClass(name, value) for name, value in PRIORITIES.items()),
    )


def _node(name: str, model: str) -> Node:
    amounts = Resources({CPU: 126_000, MEMORY: 984 * GIB, PODS: 110, GPU: 8})
    return Node(
        name,
        allocatable=amounts,
        capacity=amounts,
        labels={"kubernetes.io/hostname": name, MODEL: model},
        conditions={"Ready": "True"},
        created="2026-05-04T07:00:00Z",
    )


def _gang(work: Work) -> tuple[Gang, tuple[Pod, ...]]:
    queue = "online" if work.namespace == "serving" else work.namespace
    marks = dict(work.more)
    if work.runtime:
        marks[RUNTIME] = work.runtime
    if work.checkpoint:
        marks[INTERVAL] = work.checkpoint
    created = work.started if work.nodes else NOW
    gang = Gang(
        work.namespace,
        work.name,
        queue=queue,
        min_member=1 if queue == "online" else work.pods,
        priority_class_name=work.priority,
        priority=PRIORITIES[work.priority],
        created=created,
        annotations=marks,
        phase="Running" if work.nodes else "Inqueue",
    )
    spec = PodSpec(
        request=Resources({CPU: 12_000 * work.gpus, MEMORY: 96 * GIB * work.gpus, GPU: work.gpus}),
        node_selector=((MODEL, POOLS[work.pool][0]),),
        scheduler_name="volcano",
        priority_class_name=work.priority,
        priority=PRIORITIES[work.priority],
        grace_seconds=work.grace_seconds,
    )
    pods = tuple(_pod(work, gang, spec, number, created) for number in range(work.pods))
    return gang, pods


def _pod(work: Work, gang: Gang, spec: PodSpec, number: int, created: str) -> Pod:
    node = work.nodes[number] if number < len(work.nodes) else None
    return Pod(
        work.namespace,
        f"{work.name}-{number}",
        spec,
        gang=gang.full_name,
        node=node,
        phase="Running" if node else "Pending",
        labels={"app": work.name},
        annotations={"scheduling.k8s.io/group-name": work.name},
        created=created,
        started=created if node else "",
    )


def main(arguments: list[str]) -> int:
    """Write both files."""
    folder = Path(arguments[0]) if arguments else TARGET
    (folder / "evening.yaml").write_text(evening_text(), "utf-8")
    (folder / "evening.policy.yaml").write_text(policy_text(), "utf-8")
    print(f"wrote evening.yaml and evening.policy.yaml to {folder.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
