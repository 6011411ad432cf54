"""What a marginal value means, in one sentence; where nothing more starts, what binds instead."""

from __future__ import annotations

from collections import Counter

from models.plan import GangEntry, PlanResult
from planner.report.reason_words import meaning
from planner.report.text import counted
from planner.report.whatif.document import ScenarioOutcome
from planner.usecases.whatif.additions import Addition

ROOM = frozenset(
    {
        "cluster_capacity",
        "fragmentation",
        "never_fits",
        "guarantee_reserved",
        "protected_victims",
        "lower_priority",
        "node_selection",
        "behind_head",
    }
)
"""Reasons that room on more nodes may end."""
QUOTA = frozenset({"quota", "quota_never"})


def sentence_of(base: PlanResult, addition: Addition, outcome: ScenarioOutcome) -> str:
    """The sentence of one addition."""
    if outcome.error:
        return f"No plan: {outcome.error}."
    gpus, gangs = outcome.figure("gpus_after"), outcome.figure("gangs_started")
    assert gpus is not None
    assert gangs is not None
    if gpus.change > 0 or (gpus.change == 0 and gangs.change > 0):
        sure = " (within the open gaps: undecided)" if gpus.undecided else ""
        started = (
            f"{counted(gangs.change, 'more gang')} in all"
            if gangs.change >= 0
            else "fewer, larger gangs"
        )
        return f"Brings {counted(gpus.change, 'GPU')} into use, {started}{_beyond(addition, gpus.change)}{sure}."
    if gpus.change < 0:
        return f"Other gangs start than before: {counted(-gpus.change, 'GPU')} fewer in use, for gangs that go first."
    if addition.kind == "node":
        return _no_use_of_nodes(base, addition)
    return _no_use_of_quota(base, addition)


def _beyond(addition: Addition, gpus: int) -> str:
    """What is gained beyond a node's own GPUs is not its worth: those are there, and gangs pack anew."""
    more = gpus - addition.gpus_each
    if addition.kind != "node" or more <= 0:
        return ""
    if not addition.gpus_each:
        return "; none of these GPUs is its own: they are there and lack what it has"
    verb = "is" if more == 1 else "are"
    return f"; {more:,} of these GPUs {verb} there already and left over by the base's plan, not the node's own"


def _no_use_of_nodes(base: PlanResult, addition: Addition) -> str:
    """A gang that lacks room and also quota is not helped by room."""
    waiting = _waiting(base)
    if not waiting:
        return "Does not help: no planned gang waits."
    held = [gang for gang in waiting if _codes(gang) - ROOM]
    roomy = [gang for gang in waiting if not _codes(gang) - ROOM]
    if not roomy:
        return f"More nodes do not help: {_bound(held, apart=ROOM)}."
    smallest = min((gang.gpus for gang in roomy if gang.gpus), default=0)
    told = f"One more starts nothing: of {counted(len(waiting), 'waiting gang')} {len(roomy):,} lack room only"
    if smallest > addition.gpus_each:
        told += (
            f" (the smallest needs {counted(smallest, 'GPU')}, this node has {addition.gpus_each})"
        )
    return f"{told}; {_bound(held, apart=ROOM)}." if held else f"{told}."


def _no_use_of_quota(base: PlanResult, addition: Addition) -> str:
    waiting = [gang for gang in _waiting(base) if gang.queue == addition.queue]
    by_quota = [gang for gang in waiting if _codes(gang) & QUOTA]
    if not by_quota:
        return f"Quota does not bind: {_bound(waiting)}."
    if addition.step > 1:
        return f"Starts nothing: the smallest gang that waits there needs {counted(addition.step, 'GPU')}."
    others = [gang for gang in by_quota if _codes(gang) - QUOTA]
    if others:
        return f"Quota alone does not help: {_bound(others)}."
    return f"Starts nothing: {counted(len(by_quota), 'gang')} lack more quota than this."


def _waiting(plan: PlanResult) -> list[GangEntry]:
    return [gang for gang in plan.gangs if gang.decision == "wait"]


def _codes(gang: GangEntry) -> set[str]:
    return {reason.code for reason in gang.reasons}


def _bound(gangs: list[GangEntry], *, apart: frozenset[str] = frozenset()) -> str:
    """``12 gangs: a queue limit leaves too little now, 3 gangs: …``, the most frequent reasons."""
    if not gangs:
        return "no gang waits there"
    counts = Counter(code for gang in gangs for code in _codes(gang) - apart)
    told = [
        f"{counted(number, 'gang')}: {meaning(code)}"
        for code, number in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:4]
    ]
    return ", ".join(told) or f"{counted(len(gangs), 'gang')} without a reason"
