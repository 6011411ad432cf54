"""What a night brought, as the writers of its folder see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from models.demand import DemandSamples
from models.effective import EffectivePolicy
from models.history.adoption import Adoption
from models.history.trend import Trend
from models.nightly.config import NightlyConfig
from models.nightly.run import NightRun
from models.plan import PlanResult
from models.snapshot import Snapshot


@dataclass(frozen=True)
class NightOutcome:
    """One planned night.

    Attributes
    ----------
    run
        As far as it is known before the files are: without ``files``, ``finishedAt`` and the last stages.
    demand
        Of online services, as it was read.
    trend
        Figures of the nights before, from the history; None where none is kept or it cannot be read.
    adoption
        What became of the last plan before this night; None likewise.
    """

    config: NightlyConfig
    snapshot: Snapshot
    policy: EffectivePolicy
    result: PlanResult
    run: NightRun
    demand: tuple[DemandSamples, ...] = ()
    trend: Trend | None = None
    adoption: Adoption | None = None


Writer = Callable[[NightOutcome, Path], None]
"""Writes some files of a night below its folder; it may raise OSError or UsageError where that cannot be written."""
