"""The moment that a plan counts from."""

from __future__ import annotations

from collections.abc import Mapping

from models.moments import epoch_seconds
from models.plan import PlanResult


def moment_of(result: PlanResult) -> int | None:
    """First edge of the schedule, else the policy's ``now``, else the newest time of the export; None for none."""
    if result.schedule is not None and result.schedule.edges:
        return result.schedule.edges[0]
    entry = result.policy.get("now")
    now = entry.get("value") if isinstance(entry, Mapping) else entry
    found = epoch_seconds(now) if isinstance(now, str) else None
    return epoch_seconds(result.snapshot.as_of) if found is None else found
