"""Tiny random clusters with GPUs of several kinds: whole ones by vendor, slices, vGPUs, shares of cards and memory."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from models.cluster import Node
from models.resources import Resources
from models.snapshot import Snapshot
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_nodes import GIB

WHOLE = ("nvidia.com/gpu", "amd.com/gpu", "huawei.com/Ascend910")
SLICES = ("nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb")
REGISTER = "volcano.sh/node-vgpu-register"
CARD_MEMORY, CARD_SHARES = 16_000, 3
SHARE_MEMORY = 24_000
"""MiB of both cards of a node with memory shares."""

Amounts = Mapping[str, int]


def kind_node(name: str, kind: str, count: int) -> Node:
    """A node with ``count`` of a kind: a resource name, ``vgpu`` (cards) or ``memory`` (two cards for shares)."""
    plain = gpu_node(name, 0)
    if kind == "vgpu":
        cards = "".join(
            f"GPU-{i},{CARD_SHARES},{CARD_MEMORY},NVIDIA-A100,true,hami-core:" for i in range(count)
        )
        listed = {
            "volcano.sh/vgpu-number": count * CARD_SHARES,
            "volcano.sh/vgpu-memory": count * CARD_MEMORY,
            "volcano.sh/vgpu-cores": count * 100,
        }
        return replace(with_amounts(plain, listed), annotations={REGISTER: cards})
    amounts = {kind: count}
    if kind in WHOLE:
        amounts["gangplan.io/gpu-milli"] = 1000 * count
    if kind == "memory":
        amounts = {"volcano.sh/gpu-memory": SHARE_MEMORY, "volcano.sh/gpu-number": 2}
    return with_amounts(plain, amounts)


def with_amounts(node: Node, amounts: Amounts) -> Node:
    """A node that has more."""
    more = Resources({**node.allocatable, **amounts})
    return replace(node, allocatable=more, capacity=more)


def asking(one: Work, amounts: Amounts) -> Work:
    """The gang with pods of 1 CPU that request these amounts."""
    request = Resources({"cpu": 1000, **amounts})
    pods = tuple(replace(pod, spec=replace(pod.spec, request=request)) for pod in one.pods)
    return Work(one.gang, pods)


def random_gpu_kinds(seed: int) -> Snapshot:
    """Two or three nodes and two or three gangs of up to two pods, without running pods."""
    rnd = random.Random(f"gpu kinds {seed}")
    kinds = [rnd.choice((*WHOLE[:2], SLICES[rnd.randrange(2)], "vgpu", "memory")) for _ in range(2)]
    kinds.append(rnd.choice((*kinds, WHOLE[2], WHOLE[0])))
    nodes = [kind_node(f"n{i}", kind, rnd.randint(1, 2)) for i, kind in enumerate(kinds)]
    gangs = []
    for index in range(rnd.randint(2, 3)):
        amounts = _amounts(rnd, rnd.choice(kinds))
        gangs.append(asking(work(f"g{index}", rnd.randint(1, 2), 0, created=index), amounts))
    return snapshot_of(*nodes, gpu_queue("q"), *gangs)


def random_gpu_sizes(seed: int) -> Snapshot:
    """As :func:`random_gpu_kinds`, with whole GPUs by 1, 2, 3 and 5, and CPU and memory that bind with them."""
    rnd = random.Random(f"gpu sizes {seed}")
    kinds = [rnd.choice((*WHOLE, WHOLE[0], *SLICES, "vgpu", "memory")) for _ in range(2)]
    nodes = []
    for index, kind in enumerate(kinds):
        count = rnd.randint(1, 3) if kind == "vgpu" else rnd.choice((1, 2, 3, 5, 8))
        room = {
            "cpu": rnd.choice((2000, 4000, 7000, 16000)),
            "memory": rnd.choice((8, 16, 64)) * GIB,
        }
        nodes.append(with_amounts(kind_node(f"n{index}", kind, count), room))
    gangs = []
    for index in range(rnd.randint(2, 4)):
        kind = rnd.choice(kinds)
        amounts = dict(_amounts(rnd, kind))
        if kind in amounts and kind in WHOLE:
            amounts[kind] = rnd.choice((1, 2, 3, 5))
        amounts["cpu"] = rnd.choice((500, 1000, 1500, 3000))
        amounts["memory"] = rnd.choice((1, 3, 5)) * GIB
        gangs.append(asking(work(f"g{index}", rnd.randint(1, 2), 0, created=index), amounts))
    return snapshot_of(*nodes, gpu_queue("q"), *gangs)


def _amounts(rnd: random.Random, kind: str) -> Amounts:
    if kind == "vgpu":
        number = rnd.choice((1, 1, 2))
        found = {"volcano.sh/vgpu-number": number}
        found["volcano.sh/vgpu-memory"] = rnd.choice((4_000, 6_000, 9_000))
        if rnd.random() < 0.7:
            found["volcano.sh/vgpu-cores"] = rnd.choice((30, 50, 60, 100))
        return found
    if kind == "memory":
        return {"volcano.sh/gpu-memory": rnd.choice((4_000, 7_000, 12_000))}
    if kind == WHOLE[0] and rnd.random() < 0.5:
        return {"gangplan.io/gpu-milli": rnd.choice((300, 500, 700))}
    return {kind: rnd.choice((1, 1, 2))}
