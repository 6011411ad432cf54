"""The document of several clusters that were planned in one run (``kind: Clusters``): one entry per cluster."""

from __future__ import annotations

from models.plan import Part

FIGURES = (
    "gpus_allocatable",
    "gpus_before",
    "gpus_after",
    "gangs_started",
    "gangs_waiting",
    "gangs_evicted",
    "pods_evicted",
)


class ClusterEntry(Part):
    """One cluster; the figures are those of its plan, null where there is none.

    Attributes
    ----------
    name
        Of its folder or file, without suffix.
    source
        What was read.
    error
        Why there is no plan; "" where there is one.
    exit_code
        That of ``gangplan plan`` on this cluster alone.
    gap_gpus
        GPUs that the bounds of its GPU tiers leave open at most; null where one has no bound.
    plan
        File of its plan document below ``--out``; "" where none was written.
    """

    name: str
    source: str
    error: str = ""
    exit_code: int = 0
    sentence: str = ""
    status: str = ""
    gpus_allocatable: int | None = None
    gpus_before: int | None = None
    gpus_after: int | None = None
    gangs_started: int | None = None
    gangs_waiting: int | None = None
    gangs_evicted: int | None = None
    pods_evicted: int | None = None
    gap_gpus: int | None = None
    findings: int = 0
    seconds: float = 0.0
    plan: str = ""


class Clusters(Part):
    """All clusters that were planned, in the order of their names; ``wanted`` counts those that a stop left out too."""

    schema_version: int = 1
    kind: str = "Clusters"
    sentence: str = ""
    wanted: int = 0
    engine: str = "local"
    seconds: float = 0.0
    gpus_allocatable: int = 0
    gpus_before: int = 0
    gpus_after: int = 0
    gangs_started: int = 0
    gangs_waiting: int = 0
    clusters: tuple[ClusterEntry, ...] = ()

    @property
    def planned(self) -> tuple[ClusterEntry, ...]:
        """Clusters with a plan."""
        return tuple(one for one in self.clusters if not one.error)
