"""Queue amounts that the cluster cannot give."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from models.cards.kinds import MILLI_RESOURCE
from models.checks.check import LISTED_GROUPS, Check, Hit
from models.checks.guarantees import free_amounts
from models.checks.quotas import excess
from models.checks.subject import Subject
from models.checks.wording import amount_text, counted, names_text
from models.queues import ROOT_QUEUE
from models.resources import PODS, total_of

_SEE_ALL = "kubectl get queues -o yaml"

COUNT_QUOTA_PREFIX = "count/"


def _offered_total(subject: Subject) -> dict[str, int]:
    """Cluster total in the dimensions that some node offers; the others are told by another check."""
    return {name: subject.total.amount(name) for name in subject.offered}


def deserved_above_cluster(subject: Subject) -> Iterator[Hit]:
    """deserved(queue) > total; else sum of deserved over the competing queues > total."""
    total = _offered_total(subject)
    single: set[str] = set()
    for queue in subject.snapshot.queues:
        over = excess(queue.deserved, total)
        if over and queue.name != ROOT_QUEUE:
            single.update(n for n, a in queue.deserved.items() if a > total.get(n, a))
            yield Hit(
                f"queue/{queue.name}",
                f"queue {queue.name} deserves more than the whole cluster has: {', '.join(over)}",
            )
    sums = total_of(queue.deserved for queue in subject.competing_queues)
    rest = {name: amount for name, amount in total.items() if name not in single}
    over = excess(sums, rest)
    if over:
        owners = [queue.name for queue in subject.competing_queues if queue.deserved]
        yield Hit(
            "cluster/deserved",
            f"{counted(len(owners), 'queue')} ({names_text(owners)}) together deserve more than the cluster has: "
            f"{', '.join(over)}",
        )


def guarantees_above_total(subject: Subject) -> Iterator[Hit]:
    """Sum of guarantee over the competing queues > total."""
    sums = total_of(queue.guarantee for queue in subject.competing_queues)
    over = excess(sums, _offered_total(subject))
    if over:
        owners = [queue.name for queue in subject.competing_queues if queue.guarantee]
        yield Hit(
            "cluster/guarantee",
            f"the guarantees of {counted(len(owners), 'queue')} ({names_text(owners)}) exceed the cluster: "
            f"{', '.join(over)}",
        )


def quota_for_missing_resource(subject: Subject) -> Iterator[Hit]:
    """A queue has an amount of a resource that no node offers; one hit per resource."""
    if not subject.snapshot.nodes:
        return
    owners: dict[str, dict[str, None]] = {}
    gpus = set(subject.offered).intersection(subject.gpu_names)
    for queue in subject.snapshot.queues:
        for amounts in (queue.capability, queue.deserved, queue.guarantee):
            for name, amount in amounts.items():
                known = name in subject.offered or name.startswith(COUNT_QUOTA_PREFIX)
                known = known or (name == MILLI_RESOURCE and bool(gpus))  # a part of whole GPUs
                if amount > 0 and not known and name != PODS:
                    owners.setdefault(name, {})[queue.name] = None
    for name, queues in sorted(owners.items()):
        near = difflib.get_close_matches(name, sorted(subject.offered), n=1)
        hint = f" (did they mean {near[0]}?)" if near else ""
        yield Hit(
            f"resource/{name}",
            f"{counted(len(queues), 'queue')} ({names_text(list(queues))}) "
            f"{'has' if len(queues) == 1 else 'have'} a quota for {name}, which no node offers{hint}",
            amount=len(queues),
        )


def guarantee_not_honoured(subject: Subject) -> Iterator[Hit]:
    """guarantee(queue) - running(queue) > free sum of the nodes that take pods."""
    free: dict[str, int] | None = None
    for queue in subject.snapshot.queues:
        if queue.name == ROOT_QUEUE or not queue.guarantee:
            continue
        free = free_amounts(subject) if free is None else free
        held = subject.running_by_queue.get(queue.name, {})
        if queue.name in subject.children:
            continue  # a parent's guarantee is used by its leaves, which are looked at one by one
        short = [
            f"{amount_text(name, amount)} guaranteed, {amount_text(name, held.get(name, 0))} in use, "
            f"{amount_text(name, free[name])} free in the cluster"
            for name, amount in queue.guarantee.items()
            if name in free and amount - held.get(name, 0) > free[name]
        ]
        if short:
            yield Hit(
                f"queue/{queue.name}",
                f"the guarantee of queue {queue.name} cannot be had now: {'; '.join(short)}",
            )


CHECKS = (
    Check(
        "deserved_above_cluster",
        "warning",
        "A queue, or all queues together, deserve more than the cluster has; not every entitlement can be met.",
        "lower deserved until the sum fits the cluster's allocatable amounts",
        noun="queues",
        phrase="deserve more than the cluster has",
        see_all=_SEE_ALL,
        find=deserved_above_cluster,
    ),
    Check(
        "guarantees_above_total",
        "warning",
        "The guarantees of the queues sum up to more than the cluster has: nothing is left outside them, and they "
        "cannot all be kept.",
        "lower the guarantees until their sum fits the cluster",
        find=guarantees_above_total,
    ),
    Check(
        "quota_for_missing_resource",
        "warning",
        "A queue has a quota for a resource that no node offers. One finding per resource.",
        "correct the resource name in the queue, or add nodes that offer it",
        noun="resources",
        phrase="have quotas, but no node offers them",
        see_all=_SEE_ALL,
        listed=LISTED_GROUPS,
        find=quota_for_missing_resource,
    ),
    Check(
        "guarantee_not_honoured",
        "warning",
        "The unused part of a queue's guarantee is larger than what is free in the cluster, so the queue could not "
        "have it now. Without evictions it has to wait for others to end.",
        "let running work of other queues end or reclaim it, or lower the guarantee",
        noun="queues",
        phrase="could not have their guarantee now",
        see_all=_SEE_ALL,
        find=guarantee_not_honoured,
    ),
)
