"""When a gang is ready, and which pods it may receive (Volcano ``api/job_info.go``, CheckTaskReady)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from models.workloads import Gang, Pod, PodSpec, SubGroupPolicy


def is_ready(gang: Gang, running: Iterable[Pod], succeeded: Iterable[Pod]) -> bool:
    """Whether minMember, role minima and minSubGroups hold; succeeded pods count. A gang without any pod is not."""
    counted = [*running, *succeeded]
    if not counted or len(counted) < gang.min_member:
        return False
    if gang.roles_bind:
        roles = Counter(pod.role for pod in counted)
        if any(roles[role] < minimum for role, minimum in gang.role_minimum.items()):
            return False
    return all(
        complete_subgroups(policy, counted) >= policy.min_subgroups for policy in gang.subgroups
    )


def complete_subgroups(policy: SubGroupPolicy, pods: Iterable[Pod]) -> int:
    """Subgroups of the policy with at least ``size`` of these pods."""
    sizes = Counter(key for pod in pods if (key := policy.key_of(pod)) is not None)
    return sum(size >= policy.size for size in sizes.values())


@dataclass(frozen=True, slots=True)
class Supply:
    """Pods of one role and specification that a gang may receive.

    Attributes
    ----------
    names
        Full names of existing pending pods, oldest name first.
    promised
        Pods of the template that do not exist yet.
    revocable
        The pods are marked for revocable zones (``volcano.sh/revocable-zone: "*"``).
    subgroups
        Subgroup key of these pods, one per policy of the gang (None where a policy does not select them);
        empty for promised pods, whose subgroups are not known yet.
    step
        Promised pods come in multiples of this (partition size of the task).
    """

    role: str
    spec: PodSpec
    revocable: bool
    names: tuple[str, ...] = ()
    promised: int = 0
    subgroups: tuple[tuple[str, ...] | None, ...] = ()
    step: int = 1

    @property
    def count(self) -> int:
        """Pods in all."""
        return len(self.names) + self.promised


REVOCABLE_ZONE_KEY = "volcano.sh/revocable-zone"


def pod_supply(
    gang: Gang, pods: Iterable[Pod], scheduler_names: tuple[str, ...]
) -> tuple[list[Supply], list[Pod]]:
    """Pods that may be placed for a gang, grouped by what matters, and the pending pods that may not.

    Gated pods and those of another scheduler are not placed. A role's promised pods are its template's replicas
    less all existing pods of the role, whatever their phase.
    """
    groups: dict[tuple[object, ...], list[Pod]] = {}
    withheld: list[Pod] = []
    existing: Counter[str] = Counter()
    for pod in pods:
        existing[pod.role] += 1
        if not pod.pending:
            continue
        if pod.spec.scheduling_gates or pod.spec.scheduler_name not in scheduler_names:
            withheld.append(pod)
            continue
        groups.setdefault(_pod_key(gang, pod), []).append(pod)
    found = [_named_supply(key, members) for key, members in groups.items()]
    for template in gang.templates:
        promised = template.replicas - existing[template.role]
        if promised > 0 and not template.spec.scheduling_gates:
            found.append(
                Supply(
                    role=template.role,
                    spec=template.spec,
                    revocable=template.annotations.get(REVOCABLE_ZONE_KEY) == "*",
                    promised=promised,
                    step=max(template.partition_size, 1),
                )
            )
    return found, withheld


def _pod_key(gang: Gang, pod: Pod) -> tuple[object, ...]:
    subgroups = tuple(policy.key_of(pod) for policy in gang.subgroups)
    revocable = pod.annotations.get(REVOCABLE_ZONE_KEY) == "*"
    return (pod.role, pod.spec, revocable, subgroups)


def _named_supply(key: tuple[object, ...], members: list[Pod]) -> Supply:
    first = members[0]
    return Supply(
        role=first.role,
        spec=first.spec,
        revocable=bool(key[2]),
        names=tuple(sorted(pod.full_name for pod in members)),
        subgroups=key[3],  # type: ignore[arg-type]
    )
