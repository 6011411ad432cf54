"""Changes that may start one waiting gang: fixes that were tried beside the plan, and settings that need a new plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from models.edits.catalogue import edit_from
from models.edits.edit import Edit
from models.edits.nodes import AddNodes
from models.effective import EffectivePolicy
from models.plan import GangEntry, PlanResult
from models.snapshot import Snapshot
from planner.explain.fixes.candidate import ORDER, STEP
from planner.explain.fixes.settings import Settings


@dataclass(frozen=True)
class PlannedChange:
    """One change, ready to be applied to the snapshot."""

    kind: str
    text: str
    edits: tuple[Edit, ...]
    objects: tuple[str, ...] = ()
    data: Mapping[str, int] = field(default_factory=dict)

    @property
    def nodes(self) -> AddNodes | None:
        """The edit that adds nodes, where there is one."""
        return next((one for one in self.edits if isinstance(one, AddNodes)), None)

    @property
    def steps(self) -> tuple[str, ...]:
        """What it does, edit by edit; none where it is one step, or edits are not told one by one."""
        told = self.text.split(STEP)
        return tuple(told) if len(told) == len(self.edits) > 1 else ()

    def without(self, step: int) -> PlannedChange:
        """The change with one of its steps left out."""
        told = [one for place, one in enumerate(self.steps) if place != step]
        edits = tuple(one for place, one in enumerate(self.edits) if place != step)
        return replace(self, text=STEP.join(told), edits=edits)


def changes_of(
    snapshot: Snapshot, policy: EffectivePolicy, result: PlanResult, entry: GangEntry
) -> tuple[PlannedChange, ...]:
    """All changes for one gang, cheap kinds first; none for a gang that does not wait."""
    if entry.decision != "wait":
        return ()
    found = [*_beside(result, entry.full_name), *_settings(snapshot, policy, result, entry)]
    ordered = sorted(found, key=lambda one: ORDER.index(one.kind))
    kept: dict[str, PlannedChange] = {}
    for one in ordered:
        kept.setdefault(repr([edit.document() for edit in one.edits]), one)
    return tuple(kept.values())


def _beside(result: PlanResult, name: str) -> list[PlannedChange]:
    group = next((one for one in result.waiting if name in one.gangs), None)
    if group is None:
        return []
    return [
        PlannedChange(
            one.kind,
            one.text,
            tuple(edit_from(_for(dict(edit), group.gangs[0], name)) for edit in one.edits),
            one.objects,
            one.data,
        )
        for one in group.fixes
    ]


def _for(edit: dict[str, Any], example: str, name: str) -> dict[str, Any]:
    """The edit for another gang of the class than the example that it is written for."""
    ((kind, content),) = edit.items()
    if content.get("gangs") == example:
        return {kind: {**content, "gangs": name}}
    return edit


def _settings(
    snapshot: Snapshot, policy: EffectivePolicy, result: PlanResult, entry: GangEntry
) -> list[PlannedChange]:
    name = entry.full_name
    return [
        PlannedChange(one.kind, one.text, one.edits_for(name), one.objects, one.data)
        for one in Settings(snapshot, policy, result, entry).candidates()
    ]
