"""The ``schedule`` part of the plan document: when everything starts, on whose GPUs, and when it is back.

All bucket indices refer to ``Schedule.edges``; a run holds whole buckets ``[startBucket, endBucket)``.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from models.horizon import Horizon
from models.lending import LendingLimits
from models.part import Part, TimeText
from models.reasons import Reason
from models.resources import NO_RESOURCES, Resources

ScheduleStatus = Literal["running", "starts", "waits"]
DurationSource = Literal["annotation", "active_deadline", "history", "default"]


class Duration(Part):
    """How long a gang runs, in seconds; all but ``annotation`` and ``active_deadline`` are estimates.

    ``low_s`` and ``high_s`` enclose an estimate (quantiles of the owner's history); equal where nothing is uncertain.
    """

    seconds: int
    low_s: int
    high_s: int
    source: DurationSource

    @property
    def uncertain(self) -> bool:
        """The run may be shorter or longer than planned."""
        return self.low_s != self.high_s


class NodePods(Part):
    """Pods of a gang on one node, and what they hold together."""

    node: str
    pods: int
    requests: Resources = NO_RESOURCES


class Run(Part):
    """One stretch in which the gang holds its GPUs in one pool; a split gang has several.

    ``pods`` and ``gpus`` are those that the pool holds (a gang larger than any pool lies in several). ``nodes`` tells
    where they are for the whole of the stretch; it is empty where they were counted and not placed.
    """

    pool: str
    start_bucket: int
    end_bucket: int
    starts_at: TimeText
    ends_at: TimeText
    pods: int = 0
    gpus: int = 0
    nodes: tuple[NodePods, ...] = ()


class Shrink(Part):
    """Pods above the minimum of a running gang that leave at a bucket while the gang goes on."""

    bucket: int
    pods: tuple[str, ...]


class Growth(Part):
    """Pods above the minimum of a gang that starts, on one node from one bucket to the end of the run.

    They are a fill beside the schedule: neither its tiers nor ``gpus``, ``runs`` and the use of pools count them.
    """

    start_bucket: int
    end_bucket: int
    node: str
    pods: int
    gpus: int
    gpu_seconds: int
    requests: Resources = NO_RESOURCES


class ScheduledGang(Part):
    """One gang over time.

    Attributes
    ----------
    requests
        What it holds while it runs: its running pods, or the least that makes it ready.
    work_gpu_seconds
        GPU-seconds of its work done within the horizon, restarts not counted.
    lost_gpu_seconds
        GPU-seconds of restarts and work since the last checkpoint, where it is split or must leave.
    delay_s
        Seconds from the moment it could first start (now, or ``earliest_start``) to its start, or to the horizon's end.
    earliest, latest
        Range of the start where durations before it are estimates; equal to ``starts_at`` otherwise.
    stoppable
        It may be stopped and resumes later (preemptible, and its work is saved).
    leaves_in_time
        Its pods leave within the deadline of the lending limits.
    shrinks
        Pods that leave earlier than the rest of a running gang; their runs end then.
    grows
        Pods above its minimum that run beside it, where nodes are free to the end of its run.
    previous_start_bucket
        Bucket of this grid in which the previous schedule starts it; None where it does not.
    """

    namespace: str
    name: str
    queue: str
    priority: int = 0
    status: ScheduleStatus
    tier_class: str = ""
    rank: int = 0
    gpus: int = 0
    requests: Resources = NO_RESOURCES
    duration: Duration | None = None
    runs: tuple[Run, ...] = ()
    starts_at: TimeText | None = None
    ends_at: TimeText | None = None
    earliest: TimeText | None = None
    latest: TimeText | None = None
    earliest_start: TimeText | None = None
    deadline: str | None = None
    work_gpu_seconds: int = 0
    lost_gpu_seconds: int = 0
    delay_s: int = 0
    grace_s: int = 0
    stoppable: bool = False
    leaves_in_time: bool = False
    previous_start_bucket: int | None = None
    shrinks: tuple[Shrink, ...] = ()
    grows: tuple[Growth, ...] = ()
    reasons: tuple[Reason, ...] = ()
    fixes: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def end_unknown(self) -> bool:
        """It runs, nothing says how long, and nothing makes it leave: its end is a guess."""
        guessed = self.duration is not None and self.duration.source == "default"
        return self.status == "running" and guessed and not self.reasons


class ScheduledPool(Part):
    """One pool over time; tuples run over the buckets, in whole GPUs.

    Attributes
    ----------
    capacity
        GPUs that batch work may hold: its own ones and those that may be borrowed, maintenance deducted.
    own
        The part of ``capacity`` that is no loan.
    used
        GPUs that running and scheduled gangs hold.
    lent
        The part of ``used`` beyond ``own``.
    slow
        The part of ``used`` by pods that do not leave within the deadline.
    online
        GPUs kept for online services (running ones where no demand is known).
    """

    name: str
    nodes: int = 0
    gpus: int = 0
    capacity: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    used: tuple[int, ...] = ()
    lent: tuple[int, ...] = ()
    slow: tuple[int, ...] = ()
    online: tuple[int, ...] = ()


class ScheduledQueue(Part):
    """GPUs of one queue (descendants included) and its limit per bucket; None where it has no limit."""

    name: str
    used: tuple[int, ...] = ()
    limit: tuple[int | None, ...] = ()


class ServicePlace(Part):
    """Pods of an online service on one node for some buckets.

    ``requests`` is what one of them holds; ``names`` are those that run now, empty for pods that come later. A service
    of which no pod tells the size (``service`` may be empty then) is counted in pods of one GPU.
    """

    service: str
    pool: str
    node: str
    start_bucket: int
    end_bucket: int
    pods: int
    gpus: int
    requests: Resources = NO_RESOURCES
    names: tuple[str, ...] = ()


class MissedReturn(Part):
    """GPUs that a service lacks from one bucket on, because no node holds its pods.

    Attributes
    ----------
    due_at
        When they had to be back; ``back_at`` is when they are, None where that is not within the horizon.
    gangs
        Running gangs that hold GPUs of the pool then and may not be stopped.
    """

    service: str
    pool: str
    start_bucket: int
    end_bucket: int
    due_at: TimeText
    back_at: TimeText | None = None
    gpus: int
    gpu_seconds: int
    gangs: tuple[str, ...] = ()
    cause: str = ""


class ServiceReturn(Part):
    """What one service takes back of a loan, counted in its pool.

    Attributes
    ----------
    leave_by
        Moment at which its demand rises for the last time within the loan.
    returned_by
        Moment from which on batch work holds no more than it may hold then; later than ``leave_by`` where the service
        lacks GPUs.
    """

    service: str
    returned_by: TimeText
    leave_by: TimeText
    slack_s: int


class TimedLoan(Part):
    """GPUs of one pool lent from one bucket on, and their return.

    Attributes
    ----------
    gpus
        Most GPUs lent at one time.
    returned_by
        Moment at which the last of them is back; ``leave_by`` is when it had to be.
    slack_s
        Seconds from the return to the moment it had to be; negative where a service lacks GPUs in between.
    reclaimable_gpus
        GPUs of it that can be back within the deadline at any time, should demand exceed the forecast.
    services
        Every service of the pool whose demand rises while GPUs are lent, or when they are back, with a time of its own.
    """

    pool: str
    start_bucket: int
    end_bucket: int
    starts_at: TimeText
    returned_by: TimeText
    leave_by: TimeText
    gpus: int
    gpu_seconds: int
    slack_s: int = 0
    reclaimable_gpus: int = 0
    worst_return_s: int = 0
    gangs: tuple[str, ...] = ()
    services: tuple[ServiceReturn, ...] = ()


MOST_BACKFILLED = 50
"""Gangs that a reservation names."""


class Reservation(Part):
    """Room that a gang of several GPUs is sure of later, and who runs there until then without delaying it.

    ``backfilled_gangs`` counts them; ``backfilled`` names the first of them, at most 50.
    """

    gang: str
    pool: str
    starts_at: TimeText
    gpus: int
    backfilled_gangs: int = 0
    backfilled: tuple[str, ...] = ()


class Schedule(Part):
    """The whole part.

    Attributes
    ----------
    edges
        Bucket edges in seconds since the epoch.
    exact_buckets
        Starts in the first so many buckets are placed on concrete nodes.
    rounding_gpu_seconds
        GPU-seconds that gangs hold beyond their work because runs end on bucket edges.
    fill_bound_gpu_seconds
        Proved most GPU-seconds of work that any schedule does in the horizon; None where unknown.
    service_places
        Where pods of services are, in pools with loan limits.
    missed_returns
        What services lack of the GPUs that are theirs; first what is due first.
    previous_digest
        Schedule against which stability is counted, "" for none.
    """

    edges: tuple[int, ...]
    timezone: str = "UTC"
    exact_buckets: int = 1
    gangs: tuple[ScheduledGang, ...] = ()
    pools: tuple[ScheduledPool, ...] = ()
    queues: tuple[ScheduledQueue, ...] = ()
    lending: LendingLimits | None = None
    loans: tuple[TimedLoan, ...] = ()
    service_places: tuple[ServicePlace, ...] = ()
    missed_returns: tuple[MissedReturn, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    work_gpu_seconds: int = 0
    running_gpu_seconds: int = 0
    rounding_gpu_seconds: int = 0
    growth_gpu_seconds: int = 0
    fill_bound_gpu_seconds: int | None = None
    previous_digest: str = ""
    notes: tuple[str, ...] = Field(default=())

    @property
    def horizon(self) -> Horizon:
        """The bucket grid."""
        return Horizon(self.edges, self.timezone)
