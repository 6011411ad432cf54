"""The document of ``gangplan compare`` (``kind: PlanDifference``)."""

from __future__ import annotations

from typing import Literal

from models.plan import Part
from models.resources import NO_RESOURCES, Resources

GangChangeKind = Literal["added", "removed", "decision", "placement", "reasons"]


class PlanMark(Part):
    """Which plan was compared."""

    as_of: str = ""
    snapshot_digest: str = ""
    policy_digest: str = ""
    sentence: str = ""
    gangs: int = 0
    sources: tuple[str, ...] = ()


class FigureChange(Part):
    """One key figure in both plans."""

    key: str
    label: str
    unit: str
    before: int
    after: int

    @property
    def change(self) -> int:
        """After less before."""
        return self.after - self.before


class GangChange(Part):
    """A gang that the plans treat differently; nodes in host-list notation, pods in the state after each plan."""

    namespace: str
    name: str
    queue: str
    changes: tuple[GangChangeKind, ...]
    decision_before: str = ""
    decision_after: str = ""
    pods_before: int = 0
    pods_after: int = 0
    gpus_before: int = 0
    gpus_after: int = 0
    nodes_before: str = ""
    nodes_after: str = ""
    reasons_before: tuple[str, ...] = ()
    reasons_after: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class QueueChange(Part):
    """A queue whose settings, share or use differ; the resource maps are those after each plan."""

    name: str
    fields: tuple[str, ...]
    deserved_before: Resources = NO_RESOURCES
    deserved_after: Resources = NO_RESOURCES
    used_before: Resources = NO_RESOURCES
    used_after: Resources = NO_RESOURCES
    waiting_before: int = 0
    waiting_after: int = 0


class PlanDifference(Part):
    """What differs between two plans; times, seeds and bounds are no difference."""

    schema_version: int = 1
    kind: str = "PlanDifference"
    changed: bool = False
    sentence: str = ""
    before: PlanMark = PlanMark()
    after: PlanMark = PlanMark()
    same_snapshot: bool = True
    same_policy: bool = True
    figures: tuple[FigureChange, ...] = ()
    gangs: tuple[GangChange, ...] = ()
    queues: tuple[QueueChange, ...] = ()
    nodes_added: tuple[str, ...] = ()
    nodes_removed: tuple[str, ...] = ()
    gpu_resources: tuple[str, ...] = ()

    @property
    def has_difference(self) -> bool:
        """Whether anything differs: the exit code of ``--fail-on-change``."""
        return self.changed
