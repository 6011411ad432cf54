"""Every GPU on the open nodes that is not back in time, and what holds it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from models.checks.wording import amount_text
from models.drill import CauseTotal, DrillResult, Holder, Leaver
from models.gpu import gpus_in
from models.resources import PODS
from models.workloads import Pod
from planner.drill.causes import Cause, Causes
from planner.drill.prepare import PreparedDrill
from planner.problem.drill import DrillNeed

ORDER = (
    "queue_limit",
    "grace",
    "terminating_late",
    "terminating_overdue",
    "mark",
    "budget",
    "deserved",
    "guarantee",
    "reclaimable",
    "same_queue",
    "gang",
    "protected",
    "own",
    "fragment",
    "kept",
    "spare",
    "closed_node",
)
"""Codes in the order of the list: what can be changed comes first."""


@dataclass
class _Held:
    gpus: int = 0
    pods: int = 0
    nodes: set[str] = field(default_factory=set)


def holders(drill: PreparedDrill, result: DrillResult) -> tuple[Holder, ...]:
    """One entry per cause and object.

    Over the open nodes the GPUs sum up to ``gpus_open`` less those back in time (overcommitted nodes aside);
    ``closed_node`` entries are GPUs of the kind that was asked for on other nodes.
    """
    held: dict[Cause, _Held] = {}
    for cause, gpus, pods, node in (*_on_open_nodes(drill, result), *_closed(drill)):
        one = held.setdefault(cause, _Held())
        one.gpus += gpus
        one.pods += pods
        one.nodes.add(node)
    found = [
        Holder(
            code=cause.code,
            object=cause.object,
            gpus=one.gpus,
            pods=one.pods,
            nodes=tuple(sorted(one.nodes)),
            second=cause.second,
            message=cause.words,
        )
        for cause, one in held.items()
    ]
    return tuple(sorted(found, key=lambda one: (ORDER.index(one.code), -one.gpus, one.object)))


def totals(found: Sequence[Holder]) -> tuple[CauseTotal, ...]:
    """One entry per code, in the order of the list."""
    by_code: dict[str, list[Holder]] = {}
    for one in found:
        by_code.setdefault(one.code, []).append(one)
    return tuple(
        CauseTotal(
            code=code,
            gpus=sum(one.gpus for one in members),
            pods=sum(one.pods for one in members),
            objects=len({one.object for one in members}),
            first_second=min((s for one in members if (s := one.second) is not None), default=None),
            last_second=max((s for one in members if (s := one.second) is not None), default=None),
        )
        for code, members in by_code.items()
    )


def _on_open_nodes(
    drill: PreparedDrill, result: DrillResult
) -> Iterator[tuple[Cause, int, int, str]]:
    causes = Causes(drill, result)
    leaving: dict[str, list[Leaver]] = {}
    for gone in result.leaving:
        leaving.setdefault(gone.node, []).append(gone)
    back: dict[str, int] = {}
    for one in result.places:
        if one.second <= drill.question.deadline_seconds:
            back[one.node] = back.get(one.node, 0) + one.gpus
    snapshot, names = drill.prepared.snapshot, drill.prepared.gpu_names
    for index in sorted({node for need in drill.problem.needs for node in need.nodes}):
        node = snapshot.nodes[index]
        left = gpus_in(node.allocatable, names)
        for pod in snapshot.pods_by_node.get(node.name, ()):
            gpus = gpus_in(pod.spec.request, names)
            cause = causes.of(pod) if gpus else None
            if cause is not None:
                left -= gpus
                yield cause, gpus, 1, node.name
        left -= back.get(node.name, 0)
        if left > 0:
            yield _unused(drill, result, leaving.get(node.name, ()), index), left, 0, node.name


def _unused(
    drill: PreparedDrill, result: DrillResult, leaving: Sequence[Leaver], index: int
) -> Cause:
    """GPUs that are free in time and take no pod that is asked for."""
    if result.summary.in_time:
        return Cause("spare", "", None, "free in time and not asked for")
    problem, name = drill.problem, drill.problem.node_names[index]
    deadline = drill.question.deadline_seconds
    free = problem.free_at(index, deadline)
    pods = drill.prepared.snapshot.pod_by_name
    for one in leaving:
        if one.in_time:
            free = [
                a + b
                for a, b in zip(free, _amounts(pods[one.pod], problem.dimensions), strict=True)
            ]
    for place in result.places:
        if place.node == name and place.second <= deadline:
            request = problem.needs[place.need].request
            free = [a - b * place.pods for a, b in zip(free, request, strict=True)]
    open_needs = [need for need in problem.needs if index in need.nodes]
    short = {
        d
        for need in open_needs
        for d, amount in enumerate(need.request)
        if amount and free[d] < amount
    }
    if not all(any(n.request[d] and free[d] < n.request[d] for d in short) for n in open_needs):
        return _limit(drill, open_needs)
    words = ", ".join(_word(problem.dimensions[d]) for d in sorted(short))
    return Cause("fragment", words, None, f"free in time, but short of {words} for a whole pod")


def _limit(drill: PreparedDrill, needs: Sequence[DrillNeed]) -> Cause:
    """There is room, and nobody may take it: a queue's limit, or all of a need's pods have room already."""
    problem = drill.problem
    for one in problem.queue_rooms:
        asking = [number for number in one.asked if problem.needs[number] in needs]
        for number in asking:
            wanted = problem.needs[number].pods
            if one.asked[number] * wanted > one.room:
                limit = drill.prepared.limits.limit(one.queue, one.dimension) or 0
                used = drill.prepared.usage_below(one.queue).amount(one.dimension)
                told = (
                    f"there is room, but queue {one.queue} may use {amount_text(one.dimension, limit)} at most "
                    f"and uses {amount_text(one.dimension, used)} already"
                )
                return Cause("queue_limit", f"queue {one.queue}", None, told)
    return Cause("spare", "", None, "free in time; the need that could use it has all its pods")


def _amounts(pod: Pod, dimensions: tuple[str, ...]) -> list[int]:
    return [*(pod.spec.request.amount(name) for name in dimensions[:-1]), 1]


def _word(name: str) -> str:
    return {"cpu": "CPUs", "memory": "memory", PODS: "pods"}.get(name, name)


def _closed(drill: PreparedDrill) -> Iterator[tuple[Cause, int, int, str]]:
    """Nodes of the kind that is asked for, closed to every need that they would suit."""
    snapshot, names = drill.prepared.snapshot, drill.prepared.gpu_names
    open_names = {
        drill.problem.node_names[index] for need in drill.problem.needs for index in need.nodes
    }
    told: dict[str, str] = {}
    for closed in drill.closed:
        told.update({node: why for node, why in closed.items() if node not in open_names})
    for name, why in sorted(told.items()):
        gpus = gpus_in(snapshot.node_by_name[name].allocatable, names)
        yield Cause("closed_node", why, None, f"nodes closed to its pods: {why}"), gpus, 0, name
