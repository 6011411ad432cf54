"""All sections of a plan in the order in which people read them."""

from __future__ import annotations

from planner.report.plan_view import PlanView
from planner.report.sections.appendix import appendix_section
from planner.report.sections.changes import changes_section, starts_section
from planner.report.sections.decisions import decisions_section
from planner.report.sections.evictions import evictions_section
from planner.report.sections.findings import findings_section
from planner.report.sections.gpu_map import gpu_map_section
from planner.report.sections.helps import helps_section
from planner.report.sections.method import method_section
from planner.report.sections.preferences import has_unmet, preferences_section
from planner.report.sections.queues import queues_section
from planner.report.sections.shared_cards import has_shared_cards, shared_cards_section
from planner.report.sections.shares import shares_section
from planner.report.sections.topology import has_topology, topology_section
from planner.report.sections.use import use_section
from planner.report.sections.waits import waits_section
from planner.report.tables import Place, Section

_BY_PLACE = {
    "table": (queues_section, changes_section, evictions_section, findings_section),
    "wide": (
        queues_section,
        shares_section,
        changes_section,
        evictions_section,
        helps_section,
        gpu_map_section,
        method_section,
        findings_section,
    ),
    "page": (
        decisions_section,
        queues_section,
        shares_section,
        starts_section,
        evictions_section,
        waits_section,
        gpu_map_section,
        method_section,
        findings_section,
    ),
}


def plan_sections(view: PlanView, place: Place, limit: int, *, command: str) -> tuple[Section, ...]:
    """Sections for a kind of output; tables of gangs with more than ``limit`` rows are grouped by class."""
    chosen = [
        make for make in _BY_PLACE[place] if make is not evictions_section or len(view.evictions)
    ]
    if gpu_map_section in chosen and has_topology(view):
        chosen.insert(chosen.index(gpu_map_section), topology_section)
    if gpu_map_section in chosen and has_shared_cards(view):
        chosen.insert(chosen.index(gpu_map_section) + 1, shared_cards_section)
    if method_section in chosen and has_unmet(view):
        chosen.insert(chosen.index(method_section), preferences_section)
    found = tuple(make(view, place, limit) for make in chosen)
    if view.result.use is not None:
        found = (*found[:-1], use_section(view.result.use, limit), found[-1])
    return (*found, appendix_section(view, command=command)) if place == "page" else found
