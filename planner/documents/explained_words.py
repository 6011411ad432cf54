"""Sentences of an explanation: what becomes of a gang, and what is proved about its waiting."""

from __future__ import annotations

from collections.abc import Sequence

from models.checks.wording import counted, names_text
from models.explanation import ExplainedGang
from models.plan import GangEntry, PlanResult, WaitingClass

LISTED_NODES = 3
WORDS = {
    "quota": "the queue limit",
    "quota_never": "the queue limit",
    "guarantee_reserved": "what is guaranteed to other queues",
    "cluster_capacity": "the missing room on nodes",
    "fragmentation": "the room on nodes, which comes in the wrong pieces",
    "never_fits": "the size of the nodes",
    "topology": "the missing room in one topology domain",
    "topology_never": "the size of the topology domains",
    "node_selection": "the nodes that are closed to it",
    "time_window": "the closed revocable zone",
    "protected_victims": "the protection of running pods",
    "lower_priority": "the gangs that the plan starts instead",
}


def sentence_of(entry: GangEntry) -> str:
    """One sentence on what the plan does with the gang."""
    placed = sum(pods.count for pods in entry.pods if pods.action == "place")
    kept = sum(pods.count for pods in entry.pods if pods.action == "keep")
    nodes = sorted({pods.node for pods in entry.pods if pods.node and pods.action != "evict"})
    on = f" on {names_text(nodes, shown=LISTED_NODES)}" if nodes else ""
    if entry.decision == "start":
        return f"it starts: {counted(placed, 'pod')}{on}"
    left = entry.pods_pending
    waits = f"; {counted(left, 'further pod')} {'waits' if left == 1 else 'wait'}" if left else ""
    if entry.decision == "keep":
        idle = "nothing will fill it" if entry.reasons else "it has finished or asks for nothing"
        return f"it runs and stays: {counted(kept, 'pod')}{on}{waits}" if kept else idle
    if entry.decision == "grow":
        return f"it runs and grows by {counted(placed, 'pod')}{on}{waits}"
    if entry.decision == "wait":
        gpus = f" and {counted(entry.gpus, 'GPU')}" if entry.gpus else ""
        return f"it waits: its minimum of {counted(max(entry.min_member, 1), 'pod')}{gpus} is not placed"
    if entry.decision == "move":
        return f"it keeps running and changes nodes{on}"
    lost = sum(pods.count for pods in entry.pods if pods.action == "evict")
    what = "all its pods" if entry.decision == "evict" else counted(lost, "pod")
    return f"it loses {what}"


def proof_of(result: PlanResult, entry: GangEntry, group: WaitingClass | None) -> str:
    """What was shown about the waiting, in plain words; "" for a gang that does not wait."""
    if entry.decision != "wait" or group is None or not group.minimal_sets:
        return ""
    sets = [_set_words(codes) for codes in group.minimal_sets]
    if len(sets) == 1:
        shown = f"It cannot start beside this plan because of {sets[0]}"
        alone = len(group.minimal_sets[0]) == 1
        shown += "; without it, it could." if alone else "; without any one of these it could."
    else:
        shown = f"It cannot start beside this plan for {len(sets)} reasons, each enough alone: {'; '.join(sets)}."
    if result.certificate.properties == "proved" and result.certificate.scope == "all":
        shown += " The plan's starts are proved to be best: no plan starts it without giving up what goes first."
    else:
        shown += " No gang fits beside the plan; that the plan's starts are best is not proved."
    return shown


def _set_words(codes: Sequence[str]) -> str:
    words = [WORDS.get(code, code.replace("_", " ")) for code in codes]
    if len(words) == 1:
        return words[0]
    return f"{words[0]} together with {names_text(words[1:])}"


def summary_of(gangs: Sequence[ExplainedGang]) -> str:
    """The headline: how many wait, and how many of them some shown change starts."""
    waiting = [one for one in gangs if one.decision == "wait"]
    if not gangs:
        return "No planned gang waits here."
    if len(gangs) == 1:
        one = gangs[0]
        more = f"; {counted(len(one.fixes), 'change')} would start it" if one.fixes else ""
        if one.decision == "wait" and not one.fixes:
            more = "; no change that was tried starts it" if one.tried else ""
        return f"{one.full_name}: {one.sentence}{more}."
    helped = sum(bool(one.fixes) for one in waiting)
    runs = len(gangs) - len(waiting)
    also = f" {counted(runs, 'gang')} {'runs' if runs == 1 else 'run'}." if runs else ""
    wait = f"{counted(len(waiting), 'gang')} {'waits' if len(waiting) == 1 else 'wait'}"
    return f"{wait}; for {helped:,} of them a change that starts it is shown.{also}"
