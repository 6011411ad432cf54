"""An independent check of openb placements: nothing of the planner is used here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.openb_lists import WHOLE, Machine, Task


@dataclass(frozen=True, slots=True)
class Placement:
    """A pod on a node (both by number) with its cards."""

    task: int
    node: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What is placed: pods, GPU-milli, milli-CPU, nodes without any pod or any GPU pod; no ``faults`` = valid."""

    pods: int
    gpu_milli: int
    cpu_milli: int
    empty_nodes: int
    nodes_without_gpu_pods: int
    faults: tuple[str, ...]


def check(
    machines: Sequence[Machine], tasks: Sequence[Task], placements: Iterable[Placement]
) -> Result:
    """Recompute sums and cards of every node."""
    faults: list[str] = []
    seen: set[int] = set()
    cpu, memory = [0] * len(machines), [0] * len(machines)
    cards = [[0] * one.gpus for one in machines]
    gpu_nodes: set[int] = set()
    gpus = 0
    for one in placements:
        task, node = tasks[one.task], machines[one.node]
        if one.task in seen:
            faults.append(f"pod {one.task} is placed twice")
        seen.add(one.task)
        cpu[one.node] += task.cpu_milli
        memory[one.node] += task.memory_mib
        if task.models and node.model not in task.models:
            faults.append(f"pod {one.task} is on model {node.model}")
        if len(set(one.cards)) != task.gpus or any(c not in range(node.gpus) for c in one.cards):
            faults.append(f"pod {one.task} has cards {one.cards} of node {one.node}")
            continue
        for card in one.cards:
            cards[one.node][card] += task.milli
            gpu_nodes.add(one.node)
        gpus += task.gpu_milli
    for number, node in enumerate(machines):
        if cpu[number] > node.cpu_milli or memory[number] > node.memory_mib:
            faults.append(f"node {number} gives more CPU or memory than it has")
        if any(load > WHOLE for load in cards[number]):
            faults.append(f"node {number} has an overfull GPU")
    used = {number for number, load in enumerate(cpu) if load} | gpu_nodes
    return Result(
        pods=len(seen),
        gpu_milli=gpus,
        cpu_milli=sum(cpu),
        empty_nodes=len(machines) - len(used),
        nodes_without_gpu_pods=len(machines) - len(gpu_nodes),
        faults=tuple(faults),
    )
