"""Edits of a cluster that a drill may propose; each gives a new snapshot and question, and touches nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from models.drill import DrillQuestion
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Pod

World = tuple[Snapshot, DrillQuestion]
Edit = Callable[[World], World]

_MARK = "volcano.sh/preemptable"


def shorter_grace(gangs: Collection[str], seconds: int, longer: Callable[[Pod], int]) -> Edit:
    """Pods of the gangs with a longer grace period (``longer`` tells it) get one of ``seconds``."""

    def change(pod: Pod) -> Pod:
        if pod.gang not in gangs or not pod.running or longer(pod) <= seconds:
            return pod
        return replace(pod, spec=replace(pod.spec, grace_seconds=seconds))

    return _on_pods(change)


def not_lent(gangs: Collection[str]) -> Edit:
    """The gangs do not run."""

    def edit(world: World) -> World:
        snapshot, question = world
        kept = tuple(pod for pod in snapshot.pods if pod.gang not in gangs or not pod.running)
        return replace(snapshot, pods=kept), question

    return edit


def made_preemptable(gangs: Collection[str]) -> Edit:
    """The mark ``volcano.sh/preemptable: "false"`` is taken off the gangs and their pods."""

    def change(pod: Pod) -> Pod:
        if pod.gang not in gangs:
            return pod
        return replace(pod, annotations=_unmarked(pod.annotations), labels=_unmarked(pod.labels))

    def edit(world: World) -> World:
        snapshot, question = _on_pods(change)(world)
        freed = tuple(
            replace(gang, preemptable=None) if gang.full_name in gangs else gang
            for gang in snapshot.gangs
        )
        return replace(snapshot, gangs=freed), question

    return edit


def _unmarked(marks: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in marks.items() if key != _MARK}


def made_reclaimable(queue: str) -> Edit:
    """``reclaimable: true`` in a queue."""

    def edit(world: World) -> World:
        snapshot, question = world
        queues = tuple(
            replace(one, reclaimable=True) if one.name == queue else one for one in snapshot.queues
        )
        return replace(snapshot, queues=queues), question

    return edit


def wider_budget(namespace: str, name: str, allowed: int) -> Edit:
    """A disruption budget that allows so many disruptions."""

    def edit(world: World) -> World:
        snapshot, question = world
        budgets = tuple(
            replace(one, disruptions_allowed=max(allowed, one.disruptions_allowed))
            if (one.namespace, one.name) == (namespace, name)
            else one
            for one in snapshot.disruption_budgets
        )
        return replace(snapshot, disruption_budgets=budgets), question

    return edit


def higher_capability(queues: Collection[str], amounts: Mapping[str, int]) -> Edit:
    """Listed capabilities of the queues grow by the amounts."""

    def edit(world: World) -> World:
        snapshot, question = world
        grown = tuple(
            replace(
                one,
                capability=Resources({k: v + amounts.get(k, 0) for k, v in one.capability.items()}),
            )
            if one.name in queues
            else one
            for one in snapshot.queues
        )
        return replace(snapshot, queues=grown), question

    return edit


def by_hand(world: World) -> World:
    """A person evicts."""
    snapshot, question = world
    return snapshot, question.model_copy(update={"by_hand": True})


def within(seconds: int) -> Edit:
    """Another deadline."""

    def edit(world: World) -> World:
        snapshot, question = world
        return snapshot, question.model_copy(update={"deadline_seconds": seconds})

    return edit


def both(first: Edit, second: Edit) -> Edit:
    """One edit after the other."""
    return lambda world: second(first(world))


def _on_pods(change: Callable[[Pod], Pod]) -> Edit:
    def edit(world: World) -> World:
        snapshot, question = world
        return replace(snapshot, pods=tuple(map(change, snapshot.pods))), question

    return edit
