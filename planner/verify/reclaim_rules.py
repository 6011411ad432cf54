"""I7 across queues: guarantees stay, and only what is above deserved is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from models.workloads import Pod
from planner.verify.causes import Causes, above
from planner.verify.state import State, Usage


def broken_guarantees(
    state: State, causes: Causes, reclaimed: Mapping[str, list[Pod]] | None = None
) -> Iterator[tuple[str, str, int, int]]:
    """Queue, resource, what reclaim leaves and what is guaranteed, where that is more.

    ``reclaimed``: other pods per queue than those that the plan can only have reclaimed.
    """
    for queue, pods in (reclaimed or causes.reclaimed).items():
        rest = dict(state.queue_before.get(queue, {}))
        for pod in pods:
            state.add(rest, pod.spec, -1)
        for name, floor in state.queues.listed[queue].guarantee.items():
            if rest.get(name, 0) < floor:
                yield queue, name, rest.get(name, 0), floor


def taken_below_deserved(
    state: State, causes: Causes, reclaimed: Mapping[str, list[Pod]] | None = None
) -> Iterator[Pod]:
    """Reclaimed pods for which no order of taking finds their queue (and its ancestors) above deserved.

    Judged backwards: with all victims gone, put back every pod that could have been the last to go. A pod put back
    only raises the use, so the order of putting back does not matter.
    """
    for queue, pods in (reclaimed or causes.reclaimed).items():
        levels = _levels(state, queue, causes)
        used = {level: dict(state.queue_usage(state.queue_before, level)) for level in levels}
        for usage in used.values():
            for pod in pods:
                state.add(usage, pod.spec, -1)
        yield from never_above(state, pods, used)


def never_above(state: State, pods: list[Pod], used: Mapping[str, Usage]) -> list[Pod]:
    """Pods that no order of taking finds above deserved at every level; ``used`` (changed) is without all of them."""
    left = list(pods)
    while left:
        last = [
            pod
            for pod in left
            if all(_was_above(state, pod, level, usage) for level, usage in used.items())
        ]
        if not last:
            break
        names = {pod.full_name for pod in last}
        left = [pod for pod in left if pod.full_name not in names]
        for usage in used.values():
            for pod in last:
                state.add(usage, pod.spec)
    return left


def _was_above(state: State, pod: Pod, queue: str, used: Usage) -> bool:
    """``used`` is without the pod."""
    book = state.queues
    request = state.request(pod.spec)
    deserved: dict[str, Fraction] = {name: book.deserved(queue, name) for name, _ in request}
    if not any(amount > 0 for amount in deserved.values()):
        return True
    return any(
        above(used.get(name, 0) + amount, deserved[name])
        for name, amount in request
        if book.proportional or book.entitled(queue, name)
    )


def _levels(state: State, queue: str, causes: Causes) -> list[str]:
    """The queue, and with ``ancestor_reclaim_level`` its ancestors that no entitled gang shares at that height."""
    book = state.queues
    depth = state.policy.policy.ancestor_reclaim_level if book.tree else 0
    paths = [book.levels(one.gang.queue)[1:] for one in causes.entitled if one.gang.queue != queue]
    found = [queue]
    for height, ancestor in enumerate(book.levels(queue)[1:][:depth]):
        if not any(path[height : height + 1] == (ancestor,) for path in paths):
            found.append(ancestor)
    return found
