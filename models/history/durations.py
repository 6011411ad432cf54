"""How long gangs ran, as the nights saw it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from models.part import Part


class ObservedDurations(Part):
    """Durations by owner, as ``durations.history`` of the policy takes them: newest last, in seconds.

    Attributes
    ----------
    seconds
        Owner (``namespace/name`` without the run's number, ``namespace``, ``queue:NAME``) to durations.
    runs
        Runs whose duration is known, ``estimated`` of them by the night that first saw them finished.
    running, vague, failed
        Runs that are left out: still running when last seen; ended, but nobody saw when; failed.
    """

    seconds: Mapping[str, tuple[int, ...]] = Field(default_factory=dict)
    runs: int = 0
    estimated: int = 0
    running: int = 0
    vague: int = 0
    failed: int = 0
