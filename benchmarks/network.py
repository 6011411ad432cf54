"""Gangs on a real network: the hosts of a three-layer topology as HyperNodes, each with eight free GPUs."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from benchmarks.gangs import GROUP_ANNOTATION, TRAINING_OWNER, pod_group
from benchmarks.hardware import hyper_node
from benchmarks.spec import GPU, KubeObject, Shape, pod_object

HOST = {"cpu": "128", "memory": "1024Gi", "pods": "110", GPU: "8"}
PODS = (1, 1, 2, 2, 4, 4, 8, 8, 16, 32, 64)
"""Pods of a gang, as often as they stand here."""
DEMAND = 1.2
"""GPUs asked for, as a part of all."""
SHAPES = (Shape(8, 96_000, 768 * 1024), Shape(4, 48_000, 384 * 1024), Shape(2, 16_000, 128 * 1024))
SHAPE_WEIGHTS = (6, 2, 2)


def network_objects(path: Path, seed: int) -> list[KubeObject]:
    """Hosts, switches, one queue, and gangs that ask for 1.2 times the GPUs.

    A third of the gangs that a leaf could hold is hard, a third soft, the others have no topology.
    """
    with path.open(newline="") as text:
        rows = list(csv.DictReader(text))
    leaves: dict[str, list[str]] = {}
    spines: dict[str, dict[str, None]] = {}
    objects: list[KubeObject] = []
    for row in rows:
        name = row["ip"][:20]
        leaf, spine = f"{row['PSW']}-{row['ASW']}".lower(), row["PSW"].lower()
        leaves.setdefault(leaf, []).append(name)
        spines.setdefault(spine, {})[leaf] = None
        objects.append(_host(name))
    objects += [hyper_node(name, 1, "Node", members) for name, members in leaves.items()]
    objects += [hyper_node(name, 2, "HyperNode", list(below)) for name, below in spines.items()]
    objects.append(
        {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "Queue",
            "metadata": {"name": "training"},
            "spec": {"weight": 1},
            "status": {"state": "Open"},
        }
    )
    rng = random.Random(seed)
    largest = max(len(members) for members in leaves.values())
    asked = number = 0
    while asked < DEMAND * 8 * len(rows):
        gang = _gang(number, largest, rng)
        objects += gang
        asked += sum(_gpus(one) for one in gang)
        number += 1
    return objects


def _host(name: str) -> KubeObject:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {
            "capacity": HOST,
            "allocatable": HOST,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def _gang(number: int, largest: int, rng: random.Random) -> list[KubeObject]:
    name, pods = f"net-{number:04d}", rng.choice(PODS)
    shape = rng.choices(SHAPES, SHAPE_WEIGHTS)[0]
    spec: KubeObject = {"minMember": pods, "queue": "training"}
    mode = rng.choice(("hard", "soft", ""))
    if mode == "hard" and pods * shape.gpus <= 8 * largest:
        spec["networkTopology"] = {"mode": "hard", "highestTierAllowed": 1}
    elif mode:
        spec["networkTopology"] = {"mode": "soft"}
    minute = rng.randrange(24 * 60)
    group = pod_group("training", name, minute=minute, phase="Inqueue", spec=spec)
    return [
        group,
        *(
            pod_object(
                "training",
                f"{name}-{index}",
                shape,
                created=minute,
                owner=(*TRAINING_OWNER, name),
                annotations={GROUP_ANNOTATION: name},
            )
            for index in range(pods)
        ),
    ]


def _gpus(one: KubeObject) -> int:
    if one["kind"] != "Pod":
        return 0
    return int(one["spec"]["containers"][0]["resources"]["requests"][GPU])
