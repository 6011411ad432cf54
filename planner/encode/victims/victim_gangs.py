"""What a running gang can lose and stay ready: its surplus, else it is given up whole (I3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from models.readiness import complete_subgroups, is_ready
from models.workloads import Gang, Pod
from planner.problem.victims import VictimGang, VictimSubGroup


def victim_gang(
    gang: Gang,
    running: Sequence[Pod],
    succeeded: Sequence[Pod],
    allowed: Sequence[Pod],
    demand: int,
    numbers: Mapping[str, tuple[int, ...]],
) -> VictimGang:
    """The gang's surplus; none where it is not ready, or where any eviction restarts the whole job."""
    counted = len(running) + len(succeeded)
    sheds = is_ready(gang, running, succeeded) and not gang.restarts_on_eviction
    roles = Counter(pod.role for pod in (*running, *succeeded))
    role_surplus = {
        role: max(roles[role] - minimum, 0)
        for role, minimum in gang.role_minimum.items()
        if gang.roles_bind
    }
    return VictimGang(
        name=gang.full_name,
        running=len(running),
        whole=len(allowed) == len(running),
        surplus=max(counted - gang.min_member, 0) if sheds else 0,
        role_surplus=role_surplus,
        subgroups=_subgroups(gang, running, numbers),
        min_subgroups=tuple(
            min(one.min_subgroups, complete_subgroups(one, running)) for one in gang.subgroups
        ),
        demand=demand,
    )


def subgroup_numbers(gang: Gang, running: Sequence[Pod]) -> dict[str, tuple[int, ...]]:
    """Pod to the numbers of its subgroups, counted through all policies of the gang."""
    numbers: dict[tuple[int, tuple[str, ...]], int] = {}
    found: dict[str, tuple[int, ...]] = {}
    for pod in running:
        keys = [(place, policy.key_of(pod)) for place, policy in enumerate(gang.subgroups)]
        found[pod.full_name] = tuple(
            numbers.setdefault((place, key), len(numbers)) for place, key in keys if key is not None
        )
    return found


def _subgroups(
    gang: Gang, running: Sequence[Pod], numbers: Mapping[str, tuple[int, ...]]
) -> tuple[VictimSubGroup, ...]:
    sizes = Counter(number for pod in running for number in numbers[pod.full_name])
    policies: dict[int, int] = {}
    for pod in running:
        places = [
            place for place, policy in enumerate(gang.subgroups) if policy.key_of(pod) is not None
        ]
        policies.update(zip(numbers[pod.full_name], places, strict=True))
    return tuple(
        VictimSubGroup(policies[number], gang.subgroups[policies[number]].size, sizes[number])
        for number in range(len(sizes))
    )
