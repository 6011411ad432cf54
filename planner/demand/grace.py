"""What the deadline and grace periods decide: how much may be lent to whom, and whose shorter grace buys most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from models.lending import LendingLimits, PoolLending
from planner.demand.occupants import Occupant
from planner.demand.returns import lendable_gpu_seconds

DEADLINES_S: Final = (30, 60, 120)
GRACES_S: Final = (5, 15, 30)
DEFAULT_GRACE_S: Final = 30
"""What Kubernetes gives a pod that names no grace period."""


@dataclass(frozen=True, slots=True)
class LendableCell:
    """Lendable GPUs of one pool for pods of one grace period under one deadline.

    ``least``, ``most`` are GPUs over the buckets of the horizon, ``gpu_seconds`` their sum over time.
    """

    pool: str
    deadline_s: int
    grace_s: int
    in_time: bool
    least: int
    most: int
    gpu_seconds: int


def lendable_table(
    limits: LendingLimits,
    *,
    deadlines_s: Sequence[int] = DEADLINES_S,
    graces_s: Sequence[int] = GRACES_S,
) -> tuple[LendableCell, ...]:
    """Every pool, deadline and grace period: all lendable GPUs where the pods leave in time, else the slow limit."""
    return tuple(
        _cell(one, limits, deadline, grace)
        for one in limits.pools
        for deadline in deadlines_s
        for grace in graces_s
    )


def _cell(lending: PoolLending, limits: LendingLimits, deadline: int, grace: int) -> LendableCell:
    in_time = grace + limits.overhead_s <= deadline
    gpus = lending.lendable_gpus if in_time else lending.slow_gpus
    return LendableCell(
        pool=lending.pool,
        deadline_s=deadline,
        grace_s=grace,
        in_time=in_time,
        least=min(gpus, default=0),
        most=max(gpus, default=0),
        gpu_seconds=lendable_gpu_seconds(lending, limits.edges, quick=in_time),
    )


@dataclass(frozen=True, slots=True)
class GraceGain:
    """What it buys if one gang's pods leave within the deadline.

    Attributes
    ----------
    gpus
        GPUs of the gang.
    wanted_grace_s
        Longest grace period that is short enough.
    gpu_seconds
        GPU-seconds of the horizon that could be lent in addition: room that only pods which leave in time may use, up
        to the gang's size.
    """

    gang: str
    gpus: int
    grace_s: int
    wanted_grace_s: int
    gpu_seconds: int


def grace_gains(
    limits: LendingLimits,
    pool: str,
    occupants: Sequence[Sequence[Occupant]],
    waiting: Sequence[Occupant] = (),
    lent: Sequence[int] | None = None,
) -> tuple[GraceGain, ...]:
    """Gangs whose pods leave too slowly, the one whose shorter grace buys most first; each taken alone.

    Parameters
    ----------
    occupants
        Who holds lent GPUs, per bucket.
    waiting
        Gangs that could run on lent GPUs and do not.
    lent
        As in :func:`~planner.demand.returns.return_proof`.
    """
    lending = limits.pool(pool)
    if lending is None or limits.maximal_grace_s < 0:
        return ()
    held = [sum(one.gpus for one in inside) for inside in occupants] if lent is None else lent
    room = _room_for_quick(lending, held)
    gangs: dict[str, Occupant] = {}
    for one in (*(one for inside in occupants for one in inside), *waiting):
        known = gangs.get(one.gang)
        if known is None or one.gpus > known.gpus:
            gangs[one.gang] = one
    lengths = [end - begin for begin, end in pairwise(limits.edges)]
    found = [
        GraceGain(
            one.gang,
            one.gpus,
            one.grace_s,
            limits.maximal_grace_s,
            sum(min(one.gpus, free) * length for free, length in zip(room, lengths, strict=True)),
        )
        for one in gangs.values()
        if one.evictable and not one.leaves_within(limits.maximal_grace_s)
    ]
    return tuple(sorted(found, key=lambda gain: (-gain.gpu_seconds, gain.gang)))


def _room_for_quick(lending: PoolLending, lent: Sequence[int]) -> tuple[int, ...]:
    """GPUs per bucket that are lent to nobody and that only pods which leave in time may get."""
    return tuple(
        min(max(0, lendable - held), lendable - slow)
        for lendable, slow, held in zip(lending.lendable_gpus, lending.slow_gpus, lent, strict=True)
    )


def grace_advice(limits: LendingLimits, *, default_grace_s: int = DEFAULT_GRACE_S) -> str:
    """What to change where pods with the cluster's default grace period do not leave in time, "" where they do."""
    needed = default_grace_s + limits.overhead_s
    if needed <= limits.deadline_s:
        return ""
    if limits.maximal_grace_s < 0:
        return (
            f"A return takes {limits.overhead_s} s beside the grace period, longer than the deadline of "
            f"{limits.deadline_s} s: nothing that is lent is back in time. Set lending.deadline_seconds to at least "
            f"{limits.overhead_s}."
        )
    return (
        f"Pods with a grace period of {default_grace_s} s (the default of Kubernetes is {DEFAULT_GRACE_S} s) are back "
        f"after {needed} s, later than the deadline of {limits.deadline_s} s: none of them is returnable in time. Set "
        f"terminationGracePeriodSeconds of batch pods to {limits.maximal_grace_s} or less, or "
        f"lending.deadline_seconds to {needed}."
    )
