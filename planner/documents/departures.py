"""What evicted pods give back, and the reasons of the gangs that lose them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from models.checks.wording import counted
from models.plan import Reason
from models.resources import PODS, Resources
from models.snapshot import Snapshot
from planner.encode.prepared import Prepared
from planner.encode.victims.after_evictions import without
from planner.encode.victims.victim_causes import VictimCauses
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment

NAMES = 3
"""Gangs named in a message."""


def freed_by_node(snapshot: Snapshot, evicted: Collection[str]) -> dict[str, Resources]:
    """Node to what evicted pods held there, with their number."""
    found: dict[str, dict[str, int]] = {}
    for name in evicted:
        pod = snapshot.pod_by_name[name]
        total = found.setdefault(pod.node or "", {})
        total[PODS] = total.get(PODS, 0) + 1
        _add(total, pod.spec.request)
    return {node: Resources(total) for node, total in found.items()}


def freed_by_queue(snapshot: Snapshot, evicted: Collection[str]) -> dict[str, Resources]:
    """Queue to what evicted pods of its gangs requested."""
    found: dict[str, dict[str, int]] = {}
    for name in evicted:
        pod = snapshot.pod_by_name[name]
        _add(found.setdefault(snapshot.gang_by_name[pod.gang].queue, {}), pod.spec.request)
    return {queue: Resources(total) for queue, total in found.items()}


def _add(total: dict[str, int], request: Mapping[str, int]) -> None:
    for name, amount in request.items():
        total[name] = total.get(name, 0) + amount


def beside_evictions(
    prepared: Prepared, victims: Victims | None, assignment: Assignment
) -> Prepared:
    """The same with evicted pods gone: what waiting gangs are told is free is free once they have left."""
    if victims is None or not assignment.evicted:
        return prepared
    freed = freed_by_queue(prepared.snapshot, assignment.evicted)
    usage = {
        name: amounts.minus(freed[name]) if name in freed else amounts
        for name, amounts in prepared.usage.items()
    }
    problem = without(prepared.problem, victims, assignment.evicted)
    return replace(prepared, problem=problem, usage=usage)


def eviction_reasons(
    snapshot: Snapshot, problem: PlacementProblem, victims: Victims, assignment: Assignment
) -> dict[str, tuple[Reason, ...]]:
    """Per gang that loses pods: by which rule, and the gangs that it makes room for."""
    gone = frozenset(assignment.evicted)
    causes = VictimCauses(problem, victims, assignment)
    words: dict[tuple[int, str], Reason] = {}
    found: dict[str, dict[str, Reason]] = {}
    losses: dict[tuple[str, str], Counter[str]] = {}
    for one in victims.pods:
        kind = victims.kinds[one.kind]
        for name in one.names:
            if name not in gone:
                continue
            gang = snapshot.pod_by_name[name].gang
            for reason in _reasons(problem, causes, words, one.kind):
                found.setdefault(gang, {}).setdefault(reason.code, reason)
                lost = losses.setdefault((gang, reason.code), Counter())
                lost.update(pods=1, gpus=kind.gpus, lostGpuSeconds=kind.lost)
    return {
        gang: tuple(
            reasons[code].model_copy(update={"data": {**reasons[code].data, **losses[gang, code]}})
            for code in sorted(reasons)
        )
        for gang, reasons in found.items()
    }


def _reasons(
    problem: PlacementProblem,
    causes: VictimCauses,
    words: dict[tuple[int, str], Reason],
    kind: int,
) -> list[Reason]:
    """Preempted where its own queue has a gang of higher priority, else reclaimed."""
    preemptors = causes.preemptors(kind)
    code = "preempted" if preemptors else "reclaimed"
    if (kind, code) not in words:
        words[kind, code] = _reason(
            problem, causes.victims, kind, preemptors or causes.reclaimers(kind), code
        )
    return [words[kind, code]]


def _reason(
    problem: PlacementProblem, victims: Victims, kind: int, demands: Sequence[int], code: str
) -> Reason:
    one = victims.kinds[kind]
    gangs = sorted(problem.gang_names[problem.demands[demand].gang] for demand in demands)
    shown = ", ".join(gangs[:NAMES])
    more = f" and {len(gangs) - NAMES} more" if len(gangs) > NAMES else ""
    who = f"{counted(len(gangs), 'gang')} ({shown}{more})"
    if code == "preempted":
        message = f"its pods make room in queue {one.queue} for {who} of higher priority than {one.priority}"
    else:
        queues = sorted({problem.queue_names[problem.demands[d].queue] for d in demands})
        message = (
            f"queue {one.queue} gives back what it borrowed to {who} of queue {', '.join(queues)}"
        )
    data = {"gangs": gangs, "queue": one.queue, "priority": one.priority}
    return Reason(code=code, message=message, data=data)
