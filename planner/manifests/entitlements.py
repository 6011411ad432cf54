"""``deserved`` for the night: where reclaim would take GPUs that the plan lets a queue borrow, and its undo.

Under the capacity model with reclaim, a queue below its ``deserved`` takes GPUs back for any waiting gang, also for one
that the plan starts later. Then the plan's borrower gets, for the night, what the other deserves and does not use
in the plan. GPUs lent by online services are left out of it: services must be able to reclaim them at any time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.gpu import whole_gpu_names
from models.queues import Queue
from planner.manifests.early_starts import start_bucket
from planner.manifests.holds import NEVER_BY_ITSELF
from planner.manifests.manifest_file import Action, Advice, Phase
from planner.manifests.night import Night
from planner.manifests.objects import queue_patch


@dataclass(frozen=True)
class _Shift:
    """GPUs of ``deserved`` that go from some queues to one, in the buckets ``[first, until)``."""

    borrower: Queue
    given: Mapping[str, int]
    first: int
    until: int

    @property
    def gpus(self) -> int:
        return sum(self.given.values())


def entitle_queues(night: Night, advice: Advice) -> None:
    """Add the patches of every borrower that reclaim would hurt, and those that put ``deserved`` back.

    Queues that the advice limits already are left alone: two patches of the same field would undo each other.
    """
    if night.policy.queue_model != "capacity" or "reclaim" not in night.policy.evict:
        return
    names = [
        name
        for name in whole_gpu_names(night.policy.policy.gpu_models)
        if any(name in queue.deserved for queue in night.snapshot.queues)
    ]
    if len(names) != 1:
        return
    taken = {one.subject.partition(" ")[2] for one in advice.actions if one.target.startswith("q")}
    for queue in night.snapshot.queues:
        shift = _shift(night, queue, names[0], taken)
        if shift is not None:
            taken |= {queue.name, *shift.given}
            _add(night, shift, names[0], advice)


def _shift(night: Night, queue: Queue, name: str, taken: set[str]) -> _Shift | None:
    used = _used(night)
    if queue.name in taken or queue.name in night.online_queues or queue.name not in used:
        return None
    lent = [
        sum(pool.lent[b] for pool in night.schedule.pools) for b in range(len(used[queue.name]))
    ]
    over = [
        held - queue.deserved.amount(name) - borrowed
        for held, borrowed in zip(used[queue.name], lent, strict=True)
    ]
    lenders = [
        other
        for other in night.snapshot.queues
        if other.name not in taken | night.online_queues | {queue.name}
        and other.parent_name == queue.parent_name
        and name in other.deserved
    ]
    first, until = _window(night, over, lenders, used, name)
    if first >= until:
        return None
    given, missing = {}, max(over[first:until])
    for other in lenders:
        most = max(used.get(other.name, [0] * until)[first:until], default=0)
        spare = other.deserved.amount(name) - max(most, other.guarantee.amount(name))
        if spare > 0 and missing > 0:
            given[other.name] = min(spare, missing)
            missing -= given[other.name]
    return _Shift(queue, given, first, until) if given else None


def _used(night: Night) -> Mapping[str, Sequence[int]]:
    return {one.name: one.used for one in night.schedule.queues}


def _window(
    night: Night,
    over: Sequence[int],
    lenders: Sequence[Queue],
    used: Mapping[str, Sequence[int]],
    name: str,
) -> tuple[int, int]:
    """From the first to the last bucket in which it borrows and a waiting gang of a lender could reclaim."""
    names = {one.name: one.deserved.amount(name) for one in lenders}
    waiting = [
        (gang.queue, start_bucket(night.schedule, gang))
        for gang in night.schedule.gangs
        if gang.status != "running"
        and gang.gpus
        and gang.queue in names
        and not any(reason.code in NEVER_BY_ITSELF for reason in gang.reasons)
    ]
    hit = [
        bucket
        for bucket, borrowed in enumerate(over)
        if borrowed > 0
        and any(
            bucket < start and used.get(queue, [0] * len(over))[bucket] < names[queue]
            for queue, start in waiting
        )
    ]
    return (min(hit), max(hit) + 1) if hit else (0, 0)


def _add(night: Night, shift: _Shift, name: str, advice: Advice) -> None:
    start, end = night.schedule.edges[shift.first], night.schedule.edges[shift.until]
    lenders = " and ".join(shift.given)
    why = (
        f"The plan runs more in queue {shift.borrower.name} than it deserves; gangs of {lenders} that start later "
        f"would reclaim it. {shift.gpus} GPUs of what they do not use in the plan count for it meanwhile."
    )
    changes = {lender: -gpus for lender, gpus in shift.given.items()}
    for queue, change in (*changes.items(), (shift.borrower.name, shift.gpus)):
        deserved = night.snapshot.queue_by_name[queue].deserved
        now = {name: str(deserved.amount(name) + change)}
        # What falls goes first: the webhook wants the sum of children within the parent's share at any time.
        rises = change > 0
        advice.actions.append(_patch(queue, now, start, "entitle", why, rank=int(rises)))
        before = {name: str(deserved.amount(name)) if name in deserved else None}
        undo = "Its entitlement as it was before."
        advice.actions.append(_patch(queue, before, end, "release", undo, rank=int(not rises)))


def _patch(
    queue: str, deserved: Mapping[str, str | None], at: int, phase: Phase, why: str, *, rank: int
) -> Action:
    return Action(
        at=at,
        phase=phase,
        subject=f"queue {queue}",
        stem="queue-deserved" if phase == "entitle" else "queue-restore",
        name=queue,
        operation="merge-patch",
        why=why,
        body=queue_patch(queue, {"deserved": dict(deserved)}),
        target=f"queues.scheduling.volcano.sh/{queue}",
        rank=rank,
    )
