"""What becomes of pods whose node goes: they wait again, as their controllers would create them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from models.checks.wording import counted
from models.edits.edit import Situation
from models.gpu import gpus_in, whole_gpu_names
from models.workloads import Pod

NODE_BOUND = ("DaemonSet", "Node")
"""Controllers whose pods belong to a node and vanish with it."""


def waiting_again(pod: Pod) -> Pod:
    """The pod as its controller would create it anew, under the same name."""
    return replace(pod, node=None, phase="Pending", started="", terminating=False, reason="")


def pods_off(
    situation: Situation, nodes: Collection[str], *, node_pods_stay: bool, what: str
) -> Situation:
    """No pod on these nodes: node-bound ones vanish (or stay), terminating ones are gone, all others wait again.

    A Volcano Job that restarts when a pod is evicted loses all its running pods. Pods of other schedulers wait too,
    but no plan places them; a note says how many.
    """
    snapshot = situation.snapshot
    kept: list[Pod] = []
    restarting = _restarting(situation, nodes)
    again = strangers = stranger_gpus = restarted = 0
    gpu_names = whole_gpu_names(situation.policy.policy.gpu_models)
    for pod in snapshot.pods:
        leaves = pod.node in nodes
        if not leaves and not (pod.gang in restarting and pod.running):
            kept.append(pod)
        elif leaves and pod.owner_kind in NODE_BOUND:
            if node_pods_stay:
                kept.append(pod)
        elif not pod.holds_node:
            kept.append(pod if node_pods_stay else replace(pod, node=None))
        elif not pod.terminating:
            kept.append(waiting_again(pod))
            restarted += not leaves
            if pod.spec.scheduler_name in situation.policy.policy.scheduler_names:
                again += 1
            else:
                strangers += 1
                stranger_gpus += gpus_in(pod.spec.request, gpu_names)
    return situation.holding(pods=kept).noting(
        *_notes(what, again, restarted, strangers, stranger_gpus)
    )


def _restarting(situation: Situation, nodes: Collection[str]) -> set[str]:
    gangs = {gang.full_name for gang in situation.snapshot.gangs if gang.restarts_on_eviction}
    hit = {pod.gang for pod in situation.snapshot.pods if pod.node in nodes and pod.running}
    return gangs & hit


def _notes(what: str, again: int, restarted: int, strangers: int, gpus: int) -> list[str]:
    notes = []
    if again:
        more = f", {restarted:,} of them because their job restarts as a whole" if restarted else ""
        notes.append(f"{counted(again, 'pod')} of {what} nodes wait again{more}")
    if strangers:
        room = f" ({counted(gpus, 'GPU')})" if gpus else ""
        notes.append(
            f"{counted(strangers, 'pod')}{room} of other schedulers lose their node; this plan keeps no room for them"
        )
    return notes
