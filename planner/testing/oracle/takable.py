"""What waiting gangs may take by I7, deserved and guarantee aside, for the oracle."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from models.workloads import Pod
from planner.testing.oracle.gang_options import GangView
from planner.testing.oracle.victim_causes import could_reclaim, outranks
from planner.testing.oracle.victims import breaks_budget, is_open

if TYPE_CHECKING:
    from planner.testing.oracle.situation import Situation


def open_pods(situation: Situation) -> list[Pod]:
    """Running pods of gangs that nothing protects, each looked at alone."""
    snapshot, policy = situation.snapshot, situation.policy
    return [
        pod
        for gang in snapshot.gangs
        for pod in snapshot.pods_of(gang)
        if is_open(policy, gang, pod) and not breaks_budget(snapshot, policy, [pod])
    ]


def takable_pods(situation: Situation) -> list[Pod]:
    """Those that some gang which waits with enough pods and an open queue may preempt or reclaim."""
    askers = [
        view
        for view in situation.waiting.values()
        if view.options
        and situation.shares.open_for_work(view.queue)
        and situation.entry.admits([view.gang.full_name])
    ]
    return [
        pod for pod in open_pods(situation) if any(may_take(situation, one, pod) for one in askers)
    ]


def may_take(situation: Situation, view: GangView, pod: Pod) -> bool:
    """A gang may preempt the pod, or reclaim it once it is entitled."""
    owner = situation.snapshot.gang_by_name[pod.gang]
    asked = {
        name
        for option in view.options
        for kind, _ in option.counts
        for name, amount in kind.request
        if amount
    }
    return outranks(situation, view.gang, owner) or could_reclaim(
        situation, view.gang, asked, owner, pod
    )


def staying_use(situation: Situation, view: GangView) -> Counter[str]:
    """Use of the gang's queue by running pods that it may not preempt."""
    used = Counter(situation.used_by_queue.get(view.queue, Counter()))
    for pod in open_pods(situation) if situation.policy.evict else ():
        if outranks(situation, view.gang, situation.snapshot.gang_by_name[pod.gang]):
            used.subtract(pod.spec.request.as_dict())
    return used
