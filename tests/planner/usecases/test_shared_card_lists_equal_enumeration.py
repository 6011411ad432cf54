"""Small lists of pods that share cards (mixed sizes, models, CPU-only pods) against trying every placement."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest

from benchmarks.openb_check import Placement, check
from benchmarks.openb_lists import Machine, Task, write_rows
from models.effective import resolve_policy
from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.search.stages.special import pattern_start
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.planning import make_plan

MODELS = ("A", "B")
LEFT_OPEN = ("qos", "pod_phase", "creation_time", "deletion_time", "scheduled_time")
Vector = tuple[int, int, int]
"""Thousandths of GPUs placed, pods placed, thousandths of GPUs on nodes without GPU pods."""


@dataclass
class Spot:
    """What is free of a node while placements are tried."""

    machine: Machine
    cpu: int
    memory: int
    cards: list[int]
    gpu_pods: int = 0


def lists(seed: int) -> tuple[list[Machine], list[Task]]:
    rng = random.Random(seed)
    machines = [
        Machine(rng.randrange(2, 9) * 1000, rng.randrange(2, 9) * 1024, cards, rng.choice(MODELS))
        for cards in rng.choices((1, 2, 3), k=2)
    ]
    tasks = []
    for _ in range(5):
        gpus = rng.choice((0, 1, 1, 1, 1, 2, 3))
        milli = 1000 if gpus > 1 else rng.choice((1000, 700, 500, 340, 330, 250)) if gpus else 0
        models = frozenset(rng.sample(MODELS, rng.choice((1, 2)))) if rng.random() < 0.3 else None
        asked = rng.randrange(1, 5) * 500, rng.randrange(1, 4) * 512
        tasks.append(Task(*asked, gpus, milli, (models if gpus else None) or frozenset()))
    return machines, tasks


def best_of(machines: list[Machine], tasks: list[Task]) -> Vector:
    """The best vector over all placements on nodes and cards."""
    spots = [Spot(m, m.cpu_milli, m.memory_mib, [1000] * m.gpus) for m in machines]

    def tried(index: int) -> Vector:
        if index == len(tasks):
            return 0, 0, sum(1000 * s.machine.gpus for s in spots if not s.gpu_pods)
        task, found = tasks[index], tried(index + 1)
        for spot in spots:
            beside = spot.cpu >= task.cpu_milli and spot.memory >= task.memory_mib
            if not beside or (task.models and spot.machine.model not in task.models):
                continue
            for cards in combinations(range(len(spot.cards)), task.gpus):
                if all(spot.cards[card] >= task.milli for card in cards):
                    _take(spot, task, cards, 1)
                    gpus, pods, empty = tried(index + 1)
                    _take(spot, task, cards, -1)
                    found = max(found, (gpus + task.gpu_milli, pods + 1, empty))
        return found

    return tried(0)


def _take(spot: Spot, task: Task, cards: tuple[int, ...], sign: int) -> None:
    spot.cpu -= sign * task.cpu_milli
    spot.memory -= sign * task.memory_mib
    spot.gpu_pods += sign * min(task.gpus, 1)
    for card in cards:
        spot.cards[card] -= sign * task.milli


def plan_of(folder: Path, machines: list[Machine], tasks: list[Task]) -> PlanResult:
    """The product's plan of the lists as files."""
    nodes = [
        {
            "sn": f"n{i}",
            "cpu_milli": str(one.cpu_milli),
            "memory_mib": str(one.memory_mib),
            "gpu": str(one.gpus),
            "model": one.model,
        }
        for i, one in enumerate(machines)
    ]
    pods = [
        {
            "name": "",
            "cpu_milli": str(one.cpu_milli),
            "memory_mib": str(one.memory_mib),
            "num_gpu": str(one.gpus),
            "gpu_milli": str(one.milli),
            "gpu_spec": "|".join(sorted(one.models)),
            **dict.fromkeys(LEFT_OPEN, ""),
            "creation_time": str(index),
        }
        for index, one in enumerate(tasks)
    ]
    files = [folder / "nodes.csv", folder / "pods.csv"]
    write_rows(pods, files[1])
    _write_nodes(nodes, files[0])
    snapshot = read_inputs(files)
    limits = Limits(time_limit_s=5, seed=0, workers=1)
    policy = resolve_policy(snapshot, None, {})
    return make_plan(snapshot, policy, limits, guard=False, baseline=False)


def _write_nodes(rows: list[dict[str, str]], path: Path) -> None:
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def faults_of(plan: PlanResult, machines: list[Machine], tasks: list[Task]) -> tuple[str, ...]:
    placements = [
        Placement(int(name.rpartition("-")[2]), int((part.node or "n")[1:]), cards)
        for gang in plan.gangs
        for part in gang.pods
        if part.action == "place"
        for name, cards in zip(part.names, part.cards or ((),) * len(part.names), strict=True)
    ]
    return check(machines, tasks, placements).faults


@pytest.mark.parametrize("patterns", [False, True], ids=["rows", "patterns"])
@pytest.mark.parametrize("seed", range(10))
def test_plans_reach_the_best_or_bound_it(
    seed: int, patterns: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if patterns:  # as lists of thousands of pods are planned
        monkeypatch.setattr(pattern_start, "FEWEST_PODS", 1)
    machines, tasks = lists(seed)
    best = best_of(machines, tasks)
    plan = plan_of(tmp_path, machines, tasks)
    tiers = {one.name.rpartition(".")[2]: one for one in plan.certificate.tiers}
    values = tuple(tiers[name].value for name in ("gpus", "gangs", "packing"))
    assert faults_of(plan, machines, tasks) == ()
    assert values <= best
    assert values[0] == best[0]
    for place, name in enumerate(("gpus", "gangs", "packing")):
        bound = tiers[name].bound
        assert bound is None or bound >= best[place] or values[:place] < best[:place]
    if not patterns:
        assert values == best
