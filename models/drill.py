"""The document of a reclaim drill (``kind: DrillResult``): who leaves, how fast, and whether that is enough.

All seconds count from the moment at which the GPUs are called back; amounts are GPUs of running pods, whole ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from models.plan import Certificate, Part, SnapshotEntry, Verification
from models.resources import NO_RESOURCES, Resources

FoundAs = Literal["service", "queue", "gang"]
LeavingDecision = Literal["evict", "shrink"]


class Need(Part):
    """GPUs that somebody wants back.

    Attributes
    ----------
    service
        Name of a service of the policy, of a queue, or of a gang (``namespace/name``).
    per_pod
        GPUs of one pod, on one node; None takes those of the service's pods, else 1.
    gpu_model, pools, labels
        Only nodes with this GPU model, of one of these pools, with all of these labels.
    """

    service: str
    gpus: int = Field(gt=0)
    per_pod: int | None = Field(default=None, gt=0)
    gpu_model: str = ""
    pools: tuple[str, ...] = ()
    labels: Mapping[str, str] = Field(default_factory=dict)


class DrillQuestion(Part):
    """What is asked.

    Attributes
    ----------
    overhead_seconds
        From the call to the first signal that a pod gets; the scheduler's next cycle.
    by_hand
        A person evicts: shares, guarantees and ``reclaimable`` of queues are set aside.
    """

    needs: tuple[Need, ...]
    deadline_seconds: int = Field(gt=0)
    overhead_seconds: int = Field(default=1, ge=0)
    by_hand: bool = False


class NeedEntry(Part):
    """One need and what comes back for it.

    Attributes
    ----------
    queue
        Where its pods count; "" for pods outside the queues.
    pattern
        The existing pod (``namespace/name``) whose shape was taken, "" for none.
    pods, request
        Pods to make room for, and what each of them requests.
    nodes, gpus_open
        Nodes open to such pods, and their allocatable GPUs.
    gpus_free
        GPUs for which there is room at second 0, nobody leaving.
    gpus_in_time, gpus_back
        With room within the deadline, and in the end.
    last_second
        When the last pod that was asked for has room; None where it never has.
    """

    service: str
    found_as: FoundAs = "queue"
    queue: str = ""
    gpus: int
    gpus_per_pod: int
    pods: int
    request: Resources = NO_RESOURCES
    pattern: str = ""
    gpu_model: str = ""
    pools: tuple[str, ...] = ()
    labels: Mapping[str, str] = Field(default_factory=dict)
    nodes: int = 0
    gpus_open: int = 0
    gpus_free: int = 0
    pods_in_time: int = 0
    gpus_in_time: int = 0
    gpus_back: int = 0
    last_second: int | None = None


class DrillPlace(Part):
    """Room for ``pods`` pods of a need (its index in ``needs``) on a node, from ``second`` on."""

    need: int
    service: str
    node: str
    second: int
    pods: int
    gpus: int


class Leaver(Part):
    """A pod that leaves, in the order of leaving; ``second`` is when its room is free at the latest."""

    order: int
    pod: str
    gang: str
    queue: str = ""
    node: str
    gpus: int = 0
    grace_seconds: int = 0
    second: int
    in_time: bool
    lost_gpu_seconds: int = 0


class LeavingGang(Part):
    """A gang that loses pods: given up whole (``evict``) or its surplus only (``shrink``)."""

    gang: str
    queue: str = ""
    priority: int = 0
    decision: LeavingDecision
    pods: int
    pods_left: int = 0
    gpus: int
    last_second: int
    lost_gpu_seconds: int = 0
    nodes: tuple[str, ...] = ()


class CurvePoint(Part):
    """GPUs back at a second: with this drill, and at most, whoever leaves; ``bound`` is the proof, None without one."""

    second: int
    gpus_planned: int
    gpus_most: int
    bound: int | None = None


class Holder(Part):
    """GPUs on the open nodes that are not back within the deadline, and why (one object, one cause)."""

    code: str
    object: str
    gpus: int
    pods: int = 0
    nodes: tuple[str, ...] = ()
    second: int | None = None
    message: str


class CauseTotal(Part):
    """All holders of one code together: ``objects`` is their number; when the first and the last of them is free."""

    code: str
    gpus: int
    pods: int = 0
    objects: int = 0
    first_second: int | None = None
    last_second: int | None = None


class Change(Part):
    """Something to change, confirmed by drilling the edited cluster again.

    Attributes
    ----------
    gpus_in_time
        GPUs back within the deadline then; ``gain`` is what the change adds.
    data
        The edit in figures.
    """

    code: str
    objects: tuple[str, ...] = ()
    message: str
    gpus_in_time: int
    gain: int
    in_time: bool
    data: Mapping[str, Any] = Field(default_factory=dict)


class DrillSummary(Part):
    """Key figures.

    Attributes
    ----------
    gpus_missing
        Asked for, less those back within the deadline.
    gpus_most_in_time
        Proved bound of what can be back within the deadline; None where nothing is proved.
    last_second
        When the last GPU that was asked for is back; None where that is never.
    lost_gpu_seconds
        Work that the evictions destroy: since the start or the last checkpoint, plus restarts.
    """

    sentence: str = ""
    gpus_needed: int = 0
    gpus_free: int = 0
    gpus_in_time: int = 0
    gpus_back: int = 0
    gpus_missing: int = 0
    gpus_most_in_time: int | None = None
    in_time: bool = False
    last_second: int | None = None
    deadline_seconds: int = 0
    pods_evicted: int = 0
    gangs_evicted: int = 0
    gangs_shrunk: int = 0
    lost_gpu_seconds: int = 0


class DrillResult(Part):
    """The whole document.

    Attributes
    ----------
    budgets
        PodDisruptionBudgets limit who leaves.
    shares
        Shares and guarantees of the victims' queues are kept.
    causes
        Totals of ``holders``.
    changes_tried
        Changes that were tried; those that help are in ``changes``.
    changes_left_out
        Possible changes that were not tried: too many, or no time left.
    """

    schema_version: int = 1
    kind: str = "DrillResult"
    summary: DrillSummary = DrillSummary()
    question: DrillQuestion
    budgets: bool = True
    shares: bool = True
    snapshot: SnapshotEntry = SnapshotEntry()
    policy: Mapping[str, Any] = Field(default_factory=dict)
    certificate: Certificate = Certificate()
    verification: Verification | None = None
    needs: tuple[NeedEntry, ...] = ()
    places: tuple[DrillPlace, ...] = ()
    gangs: tuple[LeavingGang, ...] = ()
    leaving: tuple[Leaver, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    causes: tuple[CauseTotal, ...] = ()
    holders: tuple[Holder, ...] = ()
    changes: tuple[Change, ...] = ()
    changes_tried: int = 0
    changes_left_out: int = 0
