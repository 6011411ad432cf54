"""All sections of a plan in the order in which people read them."""

from __future__ import annotations

from collections.abc import Callable

from planner.report.plan_view import PlanView
from planner.report.sections.changes import changes_section, starts_section
from planner.report.sections.queues import queues_section
from planner.report.sections.waits import waits_section
from planner.report.tables import Place, Section

_ORDER: tuple[tuple[frozenset[Place], Callable[[PlanView, Place, int], Section]], ...] = (
    (frozenset({"table", "wide", "page"}), queues_section),
    (frozenset({"page"}), starts_section),
    (frozenset({"table", "wide"}), changes_section),
    (frozenset({"page"}), waits_section),
)


def plan_sections(view: PlanView, place: Place, limit: int, *, command: str) -> tuple[Section, ...]:
    """Sections for a kind of output; tables of more than ``limit`` rows are grouped by class."""
    return tuple(make(view, place, limit) for places, make in _ORDER if place in places)
