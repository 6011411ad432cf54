"""Subgroups of a gang (``subGroupPolicy``): who belongs to which, and what pods without a name can make up."""

from __future__ import annotations

from collections.abc import Iterable

from models.workloads import Pod, SubGroupPolicy
from planner.verify.arrivals import Arrival
from planner.verify.matching import selects

_ROLE_KEY = "volcano.sh/task-spec"


def group_key(policy: SubGroupPolicy, pod: Pod) -> tuple[str, ...] | None:
    """Values of the policy's keys, or None where it does not select the pod.

    Volcano writes role and partition to labels and annotations; either may carry the key, labels go first.
    """
    marks = {**pod.annotations, **pod.labels}
    if not selects(policy.selector, marks):
        return None
    return tuple(marks.get(key, "") for key in policy.match_label_keys)


def selects_promised(policy: SubGroupPolicy, pod: Pod) -> bool:
    """Whether the policy will select pods that a template promises; the controller adds the role to their labels."""
    return selects(policy.selector, {_ROLE_KEY: pod.role, **pod.annotations, **pod.labels})


def unnamed_of(policy: SubGroupPolicy, arrivals: Iterable[Arrival]) -> int:
    """Placed pods without a name that the policy will select."""
    return sum(one.count for one in arrivals if selects_promised(policy, one.pod))


def whole_groups_only(policy: SubGroupPolicy, arrivals: Iterable[Arrival]) -> bool:
    """Some of these pods come in partitions: no subgroup of theirs is larger than its size."""
    return any(
        template is not None and template.partition_size > 0
        for one in arrivals
        if selects_promised(policy, one.pod)
        for template in (one.gang.template(one.pod.role),)
    )


def rest_after_filling(
    policy: SubGroupPolicy, unnamed: int, lacking: int, *, whole: bool
) -> int | None:
    """Unnamed pods left for subgroups of their own after the partial ones are filled with ``lacking`` pods.

    Their subgroups are not known before they exist, so the question is whether some arrangement is legal: None
    where there is none. ``whole``: subgroups hold exactly their size.
    """
    rest = unnamed - lacking
    if rest < 0:
        return None
    if not policy.match_label_keys:
        return rest  # all selected pods are one subgroup, which is filled
    if rest % max(policy.size, 1) == 0 or (rest >= policy.size and not whole):
        return rest
    return None
