"""Whether one more gang could start beside a plan without making its evictions illegal."""

from __future__ import annotations

from models.workloads import Gang
from planner.verify.causes import Causes, Comer, comers, never_preempts
from planner.verify.needs import Need
from planner.verify.reclaim_rules import broken_guarantees, taken_below_deserved
from planner.verify.standing import RankedState


def upsets_evictions(state: RankedState, gang: Gang, need: Need) -> bool:
    """Starting this gang too could break a rule about victims.

    It takes its share of the entitlement of its queue, so that another gang may lose its cause; and a gang that was
    given up might come back at its expense, which is assumed where priorities or queues would allow it.
    """
    if not state.reading.evicted:
        return False
    if any(_may_return_for(state, lost, gang, need) for lost in _given_up(state)):
        return True
    running = len(state.running_before(gang))
    for counts in need.counts or ():
        pods = tuple(
            (piece.spec, count) for piece, count in zip(need.pieces, counts, strict=True) if count
        )
        starters = [*comers(state), Comer(gang, pods, running)]
        causes = Causes(state, starters, state.reading.evicted.values())
        illegal = (
            any(causes.without_cause)
            or any(broken_guarantees(state, causes))
            or any(taken_below_deserved(state, causes))
        )
        if not illegal:
            return False
    return True


def _given_up(state: RankedState) -> list[Gang]:
    names = dict.fromkeys(pod.gang for pod in state.reading.evicted.values())
    gangs = [state.snapshot.gang_by_name[name] for name in names]
    return [gang for gang in gangs if not state.staying(gang)]


def _may_return_for(state: RankedState, lost: Gang, gang: Gang, need: Need) -> bool:
    """The gang that was given up might preempt the other one or reclaim from it."""
    if never_preempts(state, lost):
        return False
    if lost.queue == gang.queue:
        return "preempt" in state.policy.evict and gang.priority < lost.priority
    queue = state.queues.listed.get(gang.queue)
    if "reclaim" not in state.policy.evict or queue is None or not queue.reclaimable:
        return False
    asked = {name for pod in state.lost_by(lost) for name, _ in state.request(pod.spec)}
    return any(name in asked for piece in need.pieces for name, _ in state.request(piece.spec))
