"""Gangs with roles and subgroups, and words to fix parts of a placement model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from models.resources import Resources
from models.workloads import SubGroupPolicy
from planner.formulations.placement.build import BuiltModel
from planner.testing.by_hand import Work, work

GPU = "nvidia.com/gpu"


def roles(name: str, minimum: int, **per_role: tuple[int, int, int]) -> Work:
    """A gang of roles: role to (pods, of which needed, GPUs each)."""
    one = work(name, sum(pods for pods, _, _ in per_role.values()), minimum=minimum)
    made, at = [], 0
    for role, (count, _, gpus) in per_role.items():
        for pod in one.pods[at : at + count]:
            request = Resources({"cpu": 1000, GPU: gpus}).without_zeros()
            made.append(replace(pod, role=role, spec=replace(pod.spec, request=request)))
        at += count
    needed = {role: need for role, (_, need, _) in per_role.items() if need}
    return replace(one, gang=replace(one.gang, role_minimum=needed), pods=tuple(made))


def rings(name: str, *, sizes: tuple[int, ...], size: int, least: int, minimum: int = 1) -> Work:
    """A gang whose pods form subgroups by label ``ring``: so many pods in each."""
    one = work(name, sum(sizes), minimum=minimum)
    numbers = [number for number, count in enumerate(sizes) for _ in range(count)]
    pods = tuple(
        replace(pod, labels={"ring": str(number)})
        for pod, number in zip(one.pods, numbers, strict=True)
    )
    policy = SubGroupPolicy(match_label_keys=("ring",), size=size, min_subgroups=least)
    return replace(one, gang=replace(one.gang, subgroups=(policy,)), pods=pods)


def class_of(built: BuiltModel, gang: str) -> int:
    """Index of the class that holds a gang ``ml/<gang>``."""
    problem = built.form.problem
    for k, one in enumerate(built.form.classes):
        names = [problem.gang_names[problem.demands[index].gang] for index in one.demands]
        if f"ml/{gang}" in names:
            return k
    raise KeyError(gang)


def starting(built: BuiltModel, **gangs: int) -> dict[int, int]:
    """Columns fixed so that so many gangs of each named gang's class start."""
    fixed: dict[int, int] = {}
    for name, count in gangs.items():
        column = built.form.variables.starts[class_of(built, name)]
        assert column is not None
        fixed[column] = count
    return fixed


def pods_of(built: BuiltModel, gang: str, counts: Mapping[str, int]) -> dict[int, int]:
    """Columns fixed so that the class of a gang receives so many pods per role."""
    k = class_of(built, gang)
    fixed: dict[int, int] = {}
    for i, item in enumerate(built.form.classes[k].example.items):
        if item.role in counts:
            ((column, factor),) = built.form.variables.pods[k][i]
            fixed[column] = counts[item.role] // factor
    return fixed
