"""I3: a gang is ready or has no pod; a subgroup is complete or empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Gang, Pod, SubGroupPolicy
from planner.verify.arrivals import Arrival
from planner.verify.state import State
from planner.verify.subgroups import (
    group_key,
    rest_after_filling,
    unnamed_of,
    whole_groups_only,
)
from planner.verify.wording import units, violation


def is_ready(gang: Gang, running: Sequence[Pod], succeeded: Sequence[Pod]) -> bool:
    """minMember, role minima (where they bind) and minSubGroups hold; a gang without any pod is not ready."""
    counted = [*running, *succeeded]
    if not counted or len(counted) < gang.min_member or role_gaps(gang, counted):
        return False
    return all(
        _complete(policy, counted) >= policy.min_subgroups
        for policy in gang.subgroups
        if policy.min_subgroups
    )


def stays_legal(
    gang: Gang, after: Sequence[Pod], before: Sequence[Pod], succeeded: Sequence[Pod]
) -> bool:
    """Whether a running gang may be left with these pods: none, all it had, or ready with whole subgroups.

    A job that restarts as a whole when a pod of it is evicted keeps all or none.
    """
    if not after or len(after) == len(before):
        return True
    if gang.restarts_on_eviction or not is_ready(gang, after, succeeded):
        return False
    for policy in gang.subgroups:
        had = _members(policy, before)
        for key, names in _members(policy, after).items():
            if len(names) < policy.size and names != had.get(key):
                return False
    return True


def role_gaps(gang: Gang, pods: Iterable[Pod], unnamed: Iterable[Arrival] = ()) -> dict[str, int]:
    """Role to pods it lacks; role minima bind only where minMember is at least their sum."""
    minima = gang.role_minimum
    if not minima or gang.min_member < sum(minima.values()):
        return {}
    have = Counter(pod.role for pod in pods)
    for arrival in unnamed:
        have[arrival.pod.role] += arrival.count
    return {role: need - have[role] for role, need in minima.items() if have[role] < need}


def _complete(policy: SubGroupPolicy, pods: Iterable[Pod]) -> int:
    sizes = Counter(key for pod in pods if (key := group_key(policy, pod)) is not None)
    return sum(size >= policy.size for size in sizes.values())


@dataclass(frozen=True, slots=True)
class _After:
    """A touched gang after the plan: named pods that run, unnamed arrivals, succeeded pods."""

    gang: Gang
    before: list[Pod]
    named: list[Pod]
    unnamed: list[Arrival]
    succeeded: list[Pod]

    @property
    def counted(self) -> int:
        unnamed = sum(arrival.count for arrival in self.unnamed)
        return len(self.named) + unnamed + len(self.succeeded)


def _touched(state: State) -> Iterator[_After]:
    """Gangs that receive or lose pods and have some after the plan."""
    for gang in state.touched_gangs:
        arrivals = state.placed_by_gang.get(gang.full_name, [])
        named = state.staying(gang) + [one.pod for one in arrivals if one.exists]
        unnamed = [one for one in arrivals if not one.exists]
        if named or unnamed:
            before = state.running_before(gang)
            yield _After(gang, before, named, unnamed, state.succeeded(gang))


def check_minimum(state: State) -> Iterator[RuleViolation]:
    """Running, placed and succeeded pods of a touched gang >= minMember."""
    for after in _touched(state):
        lacking = after.gang.min_member - after.counted
        if lacking > 0:
            yield violation(
                RuleId.GANG_READY,
                f"gang/{after.gang.full_name}",
                f"has {after.counted} of at least {units(after.gang.min_member, 'pod')} (minMember); "
                f"place {units(lacking, 'more pod')} or none",
            )


def check_roles(state: State) -> Iterator[RuleViolation]:
    """Per role of a touched gang: running, placed and succeeded pods >= its minimum, where role minima bind."""
    for after in _touched(state):
        gaps = role_gaps(after.gang, [*after.named, *after.succeeded], after.unnamed)
        for role, lacking in sorted(gaps.items()):
            minimum = after.gang.role_minimum[role]
            yield violation(
                RuleId.ROLE_MINIMUM,
                f"gang/{after.gang.full_name}",
                f"has {minimum - lacking} of at least {units(minimum, 'pod')} of role {role!r}; "
                f"place {units(lacking, 'more pod')} of it or none at all",
            )


def check_subgroups(state: State) -> Iterator[RuleViolation]:
    """Every subgroup has subGroupSize pods, none, or exactly those it had; at least minSubGroups are complete."""
    for after in _touched(state):
        for policy in after.gang.subgroups:
            yield from _check_policy(policy, after)


def _check_policy(policy: SubGroupPolicy, after: _After) -> Iterator[RuleViolation]:
    subject = f"gang/{after.gang.full_name}"
    unnamed = unnamed_of(policy, after.unnamed)
    partial = _partial(policy, after, unnamed)
    rest = rest_after_filling(
        policy, unnamed, sum(partial.values()), whole=whole_groups_only(policy, after.unnamed)
    )
    if rest is None:
        for key, lacking in sorted(partial.items()):
            told = f"subgroup {policy.name} {'/'.join(key)}: {units(policy.size - lacking, 'pod')}"
            told += (
                f" of subGroupSize {policy.size}; place {units(lacking, 'more pod')} in it or none"
            )
            yield violation(RuleId.SUBGROUP_COMPLETE, subject, told)
        if not partial:
            told = f"{units(unnamed, 'unnamed pod')} cannot make up subgroups of {policy.size} pods"
            yield violation(RuleId.SUBGROUP_COMPLETE, subject, f"{told}; place whole subgroups")
        return
    counted = _members(policy, [*after.named, *after.succeeded])
    complete = {key for key, names in counted.items() if len(names) >= policy.size} | set(partial)
    own = rest // max(policy.size, 1) if policy.match_label_keys else 0
    lacking = policy.min_subgroups - len(complete) - own
    if lacking > 0:
        told = f"{len(complete) + own} complete subgroups of at least {policy.min_subgroups}"
        told += f" (minSubGroups); place {lacking} subgroups more or none"
        yield violation(RuleId.SUBGROUP_COMPLETE, subject, told)


def _partial(policy: SubGroupPolicy, after: _After, unnamed: int) -> dict[tuple[str, ...], int]:
    """Subgroup to pods it lacks, for those that have some, too few, and not exactly what they had."""
    now, before = _members(policy, after.named), _members(policy, after.before)
    if unnamed and not policy.match_label_keys:
        return {(): policy.size - have} if (have := len(now.get((), ()))) < policy.size else {}
    return {
        key: policy.size - len(names)
        for key, names in now.items()
        if len(names) < policy.size and names != before.get(key)
    }


def _members(policy: SubGroupPolicy, pods: Iterable[Pod]) -> dict[tuple[str, ...], set[str]]:
    found: dict[tuple[str, ...], set[str]] = {}
    for pod in pods:
        key = group_key(policy, pod)
        if key is not None:
            found.setdefault(key, set()).add(pod.full_name)
    return found
