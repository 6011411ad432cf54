"""Gangs with roles and subgroups that a test writes by hand."""

from __future__ import annotations

from dataclasses import replace

from models.resources import Resources
from models.workloads import SubGroupPolicy
from planner.testing.by_hand import Work, work
from planner.testing.random_nodes import GPU


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
