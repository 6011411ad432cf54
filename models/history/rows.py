"""What the history keeps of each gang, queue and loan of a night."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from models.part import Part
from models.reasons import Reason
from models.resources import NO_RESOURCES, Resources


class GangOutcome(Part):
    """What the plan of a night recommended for one gang.

    Attributes
    ----------
    starts_at, ends_at
        Planned times (RFC 3339, UTC): the moment of the plan for a start now; "" where it does not start.
    waited_s
        Seconds from its creation to the moment of the plan, for gangs that wait.
    nodes
        Node to pods that it should hold after the plan; empty for a start later, which knows its pools only.
    """

    namespace: str
    name: str
    queue: str = ""
    kind: str = ""
    priority: int = 0
    min_member: int = 0
    decision: str = ""
    gpus: int = 0
    created: str = ""
    waited_s: int | None = None
    starts_at: str = ""
    ends_at: str = ""
    duration_s: int | None = None
    duration_source: str = ""
    lost_gpu_seconds: int = 0
    pools: tuple[str, ...] = ()
    nodes: Mapping[str, int] = Field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def recommended(self) -> bool:
        """The plan starts it, now or later in the horizon."""
        return bool(self.starts_at)


class GangSighting(Part):
    """What the snapshot of a night showed of one gang.

    Attributes
    ----------
    created
        Tells runs of the same name apart; "" where the export does not tell.
    started_at
        When the last of its running pods started, else the last pod of a finished gang; "" where none tells.
    ended_at
        When the last pod of a finished gang ended, or its controller said so; "" where the export does not tell.
    nodes
        Node to running pods; of a finished gang, to the pods that ran there.
    retries, restarts
        Retries that its controller counts; container restarts of its pods.
    """

    namespace: str
    name: str
    queue: str = ""
    kind: str = ""
    created: str = ""
    phase: str = ""
    finished: bool = False
    min_member: int = 0
    pods_running: int = 0
    pods_pending: int = 0
    pods_failed: int = 0
    gpus: int = 0
    started_at: str = ""
    ended_at: str = ""
    retries: int = 0
    restarts: int = 0
    nodes: Mapping[str, int] = Field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def runs(self) -> bool:
        """Enough of its pods run."""
        return self.pods_running > 0 and self.pods_running >= self.min_member


class PastQueue(Part):
    """One queue of a night: resource maps in base units, and the GPUs in them."""

    name: str
    parent: str = ""
    weight: int = 1
    state: str = ""
    gangs_waiting: int = 0
    gangs_started: int = 0
    gpus_deserved: int = 0
    gpus_before: int = 0
    gpus_after: int = 0
    gpus_borrowed: int = 0
    gpus_lent: int = 0
    gpus_requested: int = 0
    deserved: Resources = NO_RESOURCES
    requested: Resources = NO_RESOURCES
    before: Resources = NO_RESOURCES
    after: Resources = NO_RESOURCES
    borrowed: Resources = NO_RESOURCES
    lent: Resources = NO_RESOURCES
    limit: Resources = NO_RESOURCES


class PastLoan(Part):
    """One loan of online GPUs; times are RFC 3339 in UTC."""

    pool: str
    starts_at: str
    returned_by: str
    leave_by: str
    gpus: int
    gpu_seconds: int
    slack_s: int = 0
    reclaimable_gpus: int = 0
    worst_return_s: int = 0
    gangs: tuple[str, ...] = ()


class PastFinding(Part):
    """One finding of a night."""

    code: str
    severity: str
    object: str
    message: str
    remedy: str = ""
