"""Conditions of PodGroups and Jobs: type, reason and time; messages are left unread, they may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.readers.fields import mapping, mappings, text
from models.readers.metadata import MetaReader
from models.workloads import GangCondition


def read_conditions(status: Mapping[str, Any], metas: MetaReader) -> tuple[GangCondition, ...]:
    """Conditions that hold, in the order of the status, each type once (the last one counts)."""
    found: dict[str, GangCondition] = {}
    for one in mappings(status, "conditions"):
        kind = text(one, "type")
        if kind and text(one, "status") == "True":
            found[kind] = _condition(kind, one, metas)
    return tuple(found.values())


def read_state(status: Mapping[str, Any], metas: MetaReader) -> tuple[GangCondition, ...]:
    """The state of a Volcano Job as a condition where it gives a reason for its phase."""
    state = mapping(status, "state")
    phase = text(state, "phase")
    return (_condition(phase, state, metas),) if phase and text(state, "reason") else ()


def _condition(kind: str, raw: Mapping[str, Any], metas: MetaReader) -> GangCondition:
    return GangCondition(
        type=metas.share(kind, "condition"),
        reason=metas.share(text(raw, "reason"), "reason"),
        since=metas.clock.read(raw.get("lastTransitionTime")),
    )
