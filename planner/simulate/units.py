"""Pods of a gang with subgroups that are placed together: what completes a subgroup, and what may follow singly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from models.readiness import Supply, complete_subgroups
from models.workloads import Gang, Pod, RoleTemplate, SubGroupPolicy
from planner.simulate.candidates import Candidate

_ROLE_KEY = "volcano.sh/task-spec"


@dataclass(frozen=True, slots=True)
class Unit:
    """Pods that are placed together or not at all.

    Attributes
    ----------
    supplies
        Indices of the supplies they come from, in any mix.
    policy, completes
        The subgroup policy (index) of which they complete this many subgroups.
    opens
        Whether further pods of these supplies may follow one by one.
    """

    supplies: tuple[int, ...]
    size: int
    policy: int = -1
    completes: int = 0
    opens: bool = True


@dataclass
class Units:
    """How a gang's pods may be placed.

    Attributes
    ----------
    open
        Supplies of which single pods may be placed.
    lacking
        Subgroups that every policy still needs.
    """

    waiting: list[Unit] = field(default_factory=list)
    open: set[int] = field(default_factory=set)
    lacking: list[int] = field(default_factory=list)


def needs_units(candidate: Candidate) -> bool:
    """Whether pods have to come together: there are subgroups or partitions."""
    return bool(candidate.gang.subgroups) or any(one.step > 1 for one in candidate.supplies)


def units_of(candidate: Candidate) -> Units:
    """Divide a gang's pods into units.

    Where policies overlap, all pods are one unit: a legal plan if there is one with every pod, though not the
    smallest.
    """
    gang, counted = candidate.gang, (*candidate.running, *candidate.succeeded)
    found = Units(
        lacking=[
            max(policy.min_subgroups - complete_subgroups(policy, counted), 0)
            for policy in gang.subgroups
        ]
    )
    groups: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for index, supply in enumerate(candidate.supplies):
        keys = _subgroups(gang, supply)
        if len(keys) > 1:
            return _everything(candidate)
        if supply.promised and (not keys or gang.subgroups[keys[0][0]].match_label_keys):
            found.waiting += _partitions(gang, index, supply, keys)
        elif not keys:
            found.open.add(index)
        else:
            groups.setdefault(keys[0], []).append(index)
    for key, members in sorted(groups.items()):
        _add_group(found, candidate, key, members)
    found.open |= {one.supplies[0] for one in found.waiting if one.size == 1}
    found.waiting = [one for one in found.waiting if one.size > 1 or one.policy >= 0]
    return found


def _subgroups(gang: Gang, supply: Supply) -> list[tuple[int, tuple[str, ...]]]:
    """(policy, key) pairs of the pods; the key of pods that do not exist yet is unknown and ()."""
    if supply.promised:
        marks = _promised_marks(gang.template(supply.role), supply.role)
        chosen = [i for i, policy in enumerate(gang.subgroups) if policy.selector.matches(marks)]
        return [(index, ()) for index in chosen]
    return [(i, key) for i, key in enumerate(supply.subgroups) if key is not None]


def _promised_marks(template: RoleTemplate | None, role: str) -> dict[str, str]:
    if template is None:
        return {_ROLE_KEY: role}
    return {_ROLE_KEY: role, **template.annotations, **template.labels}


def _partitions(
    gang: Gang, index: int, supply: Supply, keys: list[tuple[int, tuple[str, ...]]]
) -> Iterable[Unit]:
    """Units of pods that do not exist yet: whole partitions, and whole subgroups where a policy selects them."""
    if not keys:
        return [Unit((index,), supply.step, opens=False)] * (supply.count // supply.step)
    policy = keys[0][0]
    subgroup = max(gang.subgroups[policy].size, 1)
    size = math.lcm(supply.step, subgroup)
    unit = Unit((index,), size, policy, size // subgroup, opens=False)
    return [unit] * (supply.count // size)


def _add_group(
    found: Units, candidate: Candidate, key: tuple[int, tuple[str, ...]], members: list[int]
) -> None:
    number, values = key
    policy = candidate.gang.subgroups[number]
    running = _size(policy, candidate.running, values)
    ended = _size(policy, candidate.succeeded, values)
    lacking = max(policy.size - running, 0)
    if lacking == 0:
        found.open |= set(members)
    elif sum(candidate.supplies[index].count for index in members) >= lacking:
        completes = int(running + ended < policy.size)
        found.waiting.append(Unit(tuple(members), lacking, number, completes))


def _size(policy: SubGroupPolicy, pods: Iterable[Pod], values: tuple[str, ...]) -> int:
    return Counter(policy.key_of(pod) for pod in pods)[values]


def _everything(candidate: Candidate) -> Units:
    """One unit of all pods where that satisfies every policy; without one the gang waits."""
    gang = candidate.gang
    if any(supply.promised for supply in candidate.supplies):
        return Units()
    for number, policy in enumerate(gang.subgroups):
        sizes = Counter(policy.key_of(pod) for pod in candidate.running)
        for supply in candidate.supplies:
            sizes[supply.subgroups[number]] += supply.count
        newcomers = {supply.subgroups[number] for supply in candidate.supplies} - {None}
        if any(sizes[key] < policy.size for key in newcomers):
            return Units()
        sizes += Counter(policy.key_of(pod) for pod in candidate.succeeded)
        del sizes[None]
        if sum(size >= policy.size for size in sizes.values()) < policy.min_subgroups:
            return Units()
    every = tuple(range(len(candidate.supplies)))
    size = sum(supply.count for supply in candidate.supplies)
    return Units(waiting=[Unit(every, size)], lacking=[0] * len(gang.subgroups))
