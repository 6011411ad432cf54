"""What differs between two nights."""

from __future__ import annotations

from typing import Literal

from models.history.night import PastNight
from models.part import Part

Became = Literal[
    "started",
    "ended",
    "gone",
    "new",
    "new, runs",
    "came and ended",
    "still waits",
    "stopped",
    "replaced",
]
"""What a gang of either night is in the later one; ``gone``: ended or deleted, ``replaced``: another has its name."""


class FigureDifference(Part):
    """One key figure; None where a night does not tell it."""

    name: str
    before: int | None
    after: int | None

    @property
    def change(self) -> int | None:
        """After less before."""
        return None if self.before is None or self.after is None else self.after - self.before


class GangDifference(Part):
    """One gang that is not in the same state in both nights, or waits in both."""

    namespace: str
    name: str
    queue: str = ""
    gpus: int = 0
    became: Became
    waited_s: int | None = None

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class QueueDifference(Part):
    """GPUs and waiting gangs of one queue in both nights; None where the night does not know the queue."""

    name: str
    gpus_before: int | None = None
    gpus_after: int | None = None
    deserved_before: int | None = None
    deserved_after: int | None = None
    waiting_before: int | None = None
    waiting_after: int | None = None


class NightDifference(Part):
    """The whole comparison; figures and queues that agree are listed too."""

    schema_version: int = 1
    kind: str = "NightDifference"
    sentence: str = ""
    before: PastNight
    after: PastNight
    figures: tuple[FigureDifference, ...] = ()
    gangs: tuple[GangDifference, ...] = ()
    queues: tuple[QueueDifference, ...] = ()
