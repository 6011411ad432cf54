"""The section of preferences: there only where a new pod does not get what it prefers, with its points and proof."""

from __future__ import annotations

import pytest

from models.plan import Certificate, GangEntry, PlanResult, Tier, UnmetPreference
from planner.report.plan_view import PlanView
from planner.report.sections.plan import plan_sections
from planner.report.sections.preferences import preferences_section


def _plan(value: int, bound: int | None) -> PlanResult:
    gap = None if bound is None else abs(bound - value) / max(1, value)
    tier = Tier(name="preferences", sense="min", unit="points", value=value, bound=bound, gap=gap)
    unmet = (UnmetPreference(rule="nodeAffinity for disk=ssd", pods=2, points=value),)
    gang = GangEntry(namespace="ml", name="a", decision="start", unmet=unmet if value else ())
    return PlanResult(certificate=Certificate(tiers=(tier,)), gangs=(gang,))


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        (80, "proved the fewest"),
        (40, "at least 40 in any such plan, gap 50.00 %"),
        (0, "how few are possible is not proved"),
        (None, "nothing is proved"),
    ],
)
def test_the_lead_says_points_and_proof(bound: int | None, told: str) -> None:
    section = preferences_section(PlanView(_plan(80, bound)), "page", 10)
    assert section.lead == f"New pods of 1 gang lose 80 points; {told}."
    assert section.tables[0].rows == (("ml/a", "80", "2", "nodeAffinity for disk=ssd"),)


@pytest.mark.parametrize(("value", "there"), [(80, True), (0, False)])
def test_the_section_is_there_where_something_is_not_met(value: int, there: bool) -> None:
    sections = plan_sections(PlanView(_plan(value, 0)), "page", 10, command="gangplan plan")
    assert ("preferences" in [one.anchor for one in sections]) == there
