"""What a plan is worth in the words of a model: its solution, and comparisons of tier values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from planner.model.build import BuiltModel
from planner.problem.linear import TierGoal
from planner.reduce.disaggregate import Assignment
from planner.solve.tiers import TierResult


def plan_values(built: BuiltModel, assignment: Assignment) -> tuple[int, ...]:
    """The solution of a model that an assignment stands for."""
    form = built.form
    problem = form.problem
    group_of = built.group_of
    started: list[int] = []
    pods: list[list[int]] = []
    placed: Counter[tuple[int, int]] = Counter()
    filled: dict[int, Counter[int]] = {}
    gpu_nodes: dict[int, set[int]] = {}
    subgroups: set[tuple[int, int]] = set()
    for k, one in enumerate(form.classes):
        counts = [0] * len(one.example.items)
        begun = 0
        for demand in one.demands:
            items = assignment.pods.get(demand)
            if items is None:
                continue
            begun += 1
            for item, spots in items.items():
                shape = problem.demands[demand].items[item].shape
                for node, count in spots:
                    counts[item] += count
                    placed[shape, group_of[node]] += count
                    filled.setdefault(node, Counter())[shape] += count
                    if problem.shape_gpus[shape] > 0:
                        gpu_nodes.setdefault(group_of[node], set()).add(node)
                if spots:
                    subgroups.update((k, j) for j in one.example.items[item].subgroup if j >= 0)
        started.append(0 if one.growing else begun)
        pods.append(counts)
    used = {group: len(nodes) for group, nodes in gpu_nodes.items()}
    receiving = {node for nodes in gpu_nodes.values() for node in nodes}
    return built.values_of(
        started,
        pods,
        placed,
        used,
        subgroups,
        assignment.evicted,
        receiving,
        {demand: items for demand, items in assignment.pods.items() if items},
        filled,
    )


def start_values(built: BuiltModel, assignment: Assignment) -> tuple[int, ...]:
    """The part of that solution which tells the start tiers: who starts, and what queues then lack."""
    started = [
        0 if one.growing else sum(demand in assignment.pods for demand in one.demands)
        for one in built.form.classes
    ]
    values = [0] * built.model.size
    for column, count in zip(built.form.variables.starts, started, strict=True):
        if column is not None:
            values[column] = count
    return built.tight(values)


def kind_of(goal: TierGoal) -> tuple[str, int]:
    """Class and rank of a start tier."""
    name, rank, _ = goal.name.split(".")
    return name, int(rank)


def sharper(goal: TierGoal, one: int, other: int | None) -> int:
    """The tighter of a bound and perhaps another one."""
    if other is None:
        return one
    return min(one, other) if goal.sense == "max" else max(one, other)


def worse(tiers: Sequence[TierGoal], one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether vector ``one`` is lexicographically worse than ``other``."""
    for goal, a, b in zip(tiers, one, other, strict=True):
        if a != b:
            return goal.is_worse(a, b)
    return False


def within_gap(tiers: Sequence[TierResult], gap: float) -> bool:
    """Whether every tier is proved as good as a relative gap asks for."""
    return all(
        tier.bound is not None and abs(tier.bound - tier.value) <= gap * max(1, abs(tier.value))
        for tier in tiers
    )


def revalued(one: TierResult, value: int) -> TierResult:
    """The tier with the value of the filled plan; its bound is never on the wrong side of that."""
    if one.bound is not None and one.goal.is_worse(one.bound, value):
        return replace(one, value=value, bound=value)
    return replace(one, value=value)
