"""Smaller minima of a gang's roles, as a change; those of the pods that exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from models.edits.new_gangs import SetGang
from models.effective import EffectivePolicy
from models.readiness import pod_supply
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.explain.fixes.candidate import Candidate
from planner.explain.units import listed


@dataclass(frozen=True, slots=True)
class Lowered:
    """Smaller minima: those of roles, and minMember that still covers their sum."""

    gang: Gang
    roles: Mapping[str, int]
    member: int

    @property
    def fewer(self) -> int:
        """Pods that the gang needs less, by minMember and by roles."""
        roles = sum(self.gang.role_minimum.values()) - sum(self.roles.values())
        return max(self.gang.min_member - self.member, roles)

    @property
    def changed(self) -> dict[str, int]:
        """Roles with a smaller minimum."""
        return {
            role: least
            for role, least in self.roles.items()
            if least != self.gang.role_minimum[role]
        }

    def candidate(self) -> Candidate:
        """As a change; the minima go down together, so that they still bind."""
        gang, changed, member = self.gang, self.changed, self.member
        told = [
            f"the minimum of role {role or '(none)'} from {gang.role_minimum[role]:,} to {least:,}"
            for role, least in changed.items()
        ]
        if member != gang.min_member:
            told.append(f"minMember from {gang.min_member:,} to {member:,}")
        return Candidate(
            "lower_min_member",
            f"lower {listed(told)}",
            lambda name: (SetGang(gangs=name, min_member=member, role_minimum=changed),),
            self.fewer,
            (),
            {"minMember": member, **{f"minimum of {role}": n for role, n in changed.items()}},
        )


def lowered(gang: Gang, roles: Mapping[str, int]) -> Lowered:
    """These minima of roles, and minMember lowered by as much as they are."""
    fewer = sum(gang.role_minimum.values()) - sum(roles.values())
    return Lowered(gang, dict(roles), gang.min_member - fewer)


def minima_that_exist(snapshot: Snapshot, policy: EffectivePolicy, gang: Gang) -> Lowered | None:
    """Minima of as many pods as exist or are promised; None where a role has none, or none is missing."""
    pods = snapshot.pods_of(gang)
    supplies, _ = pod_supply(gang, pods, policy.policy.scheduler_names)
    have = Counter(pod.role for pod in pods if pod.running or pod.phase == "Succeeded")
    for one in supplies:
        have[one.role] += one.count // one.step * one.step
    roles = {role: min(least, have[role]) for role, least in gang.role_minimum.items()}
    found = lowered(gang, roles)
    member = min(found.member, have.total())
    if not found.changed or not all(roles[role] for role in found.changed):
        return None
    return Lowered(gang, roles, max(member, sum(roles.values())))
