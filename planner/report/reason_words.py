"""Reason codes in words: what each means, and what a person can do about it."""

from __future__ import annotations

MEANING = {
    "queue_closed": "the queue is missing, not open, or not a leaf",
    "quota": "a queue limit leaves too little now",
    "quota_never": "asks for more than the queue's limits can ever give",
    "admission_gate": "has not passed admission or a scheduling gate",
    "not_enough_pods": "fewer pods exist or are promised than the minimum needs",
    "cluster_capacity": "the free sum of a resource is too small",
    "fragmentation": "free sums would do, but no packing on the nodes fits",
    "never_fits": "does not fit even with every node empty",
    "topology": "no topology domain has enough room now",
    "topology_never": "no topology domain is large enough even when empty",
    "node_selection": "selectors, affinity, taints or node groups leave too few nodes",
    "guarantee_reserved": "the room is held back for another queue's guarantee",
    "protected_victims": "only evictions that are not allowed would make room",
    "fair_share": "fair sharing forbids the evictions it needs",
    "time_window": "a revocable zone is closed now",
    "lower_priority": "newly started gangs, which go first or were chosen, take the room",
    "behind_head": "the head of its strict queue waits before it",
    "dependency": "waits for another gang or role",
    "scheduled_later": "starts later in the schedule",
    "deadline": "cannot end by its deadline",
    "unsupported": "has a required rule that is not modelled; nothing is placed against it",
}
ADVICE = {
    "queue_closed": "open the queue, or move the gangs to an open leaf queue",
    "quota": "decide whether the limit of the queue should rise",
    "quota_never": "raise the queue's capability, or make the gangs smaller",
    "admission_gate": "free or raise what admission gives away, or remove the gates once the gangs may run",
    "not_enough_pods": "have the controllers create the missing pods, or lower minMember",
    "cluster_capacity": "add capacity, or wait until running work ends",
    "fragmentation": "free whole nodes: let small gangs that are spread over many nodes end or move",
    "never_fits": "change the pods' requests, or add nodes that are large enough",
    "topology_never": "relax the topology rule, or add a larger domain",
    "node_selection": "widen the selectors and tolerations, or label and untaint more nodes",
    "deadline": "move the deadline, or start the gang by hand in place of others",
    "guarantee_reserved": "decide whether the guarantee is still needed",
    "protected_victims": "wait for the protected pods, mark them preemptable, or change what protects them",
    "unsupported": "check by hand where these gangs may run",
}

#: Codes that one queue's settings decide.
QUEUE_CODES = ("queue_closed", "quota", "quota_never", "guarantee_reserved")


def meaning(code: str) -> str:
    """What a reason code says; the code itself where it is new."""
    return MEANING.get(code, code)
