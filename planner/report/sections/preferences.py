"""Preferred rules that new pods do not get."""

from __future__ import annotations

from models.plan import GangEntry, Tier
from planner.report.plan_view import PlanView
from planner.report.rows import rest_note
from planner.report.tables import Column, Place, Section, Table
from planner.report.text import clean, counted, ratio_percent

_COLUMNS = (
    Column("GANG"),
    Column("POINTS", "points", numeric=True),
    Column("PODS", "pods", numeric=True),
    Column("PREFERRED, BUT NOT MET", grows=True),
)


def preference_tier(view: PlanView) -> Tier | None:
    """The tier, where some pod that may be placed prefers anything."""
    tiers = view.result.certificate.tiers
    return next((tier for tier in tiers if tier.name == "preferences"), None)


def has_unmet(view: PlanView) -> bool:
    """Some new pod does not get what it prefers."""
    tier = preference_tier(view)
    return tier is not None and tier.value > 0


def preferences_section(view: PlanView, place: Place, limit: int) -> Section:
    """Points in all, with their bound, and rule by rule the gangs that lose most."""
    rows = [(gang, one) for gang in view.result.gangs for one in gang.unmet]
    rows.sort(key=lambda row: (-row[1].points, row[0].full_name, row[1].rule))
    cells = tuple(
        (gang.full_name, f"{one.points:,}", f"{one.pods:,}", clean(one.rule))
        for gang, one in rows[:limit]
    )
    notes = rest_note(len(cells), len(rows), "rows", "the plan document (-o json)")
    return Section(
        "preferences",
        "Preferences not met",
        lead=_lead(view, [gang for gang in view.result.gangs if gang.unmet]),
        tables=(Table("Preferences not met", _COLUMNS, cells, "None.", notes),),
        notes=(
            "A new pod loses the weight of a preferred affinity term that it does not get, and 100 points for a soft "
            "taint of its node or where it is one too many in its domain. This is the last tier: no gang waits, and no "
            "GPU stays idle, for a preference.",
        ),
    )


def _lead(view: PlanView, gangs: list[GangEntry]) -> str:
    tier = preference_tier(view)
    if tier is None:
        return "No pod prefers anything."
    if tier.bound is None or tier.gap is None:
        proof = "nothing is proved"
    elif tier.bound == tier.value:
        proof = "proved the fewest"
    elif tier.bound == 0:
        proof = "how few are possible is not proved"
    else:
        proof = f"at least {tier.bound:,} in any such plan, gap {ratio_percent(tier.gap)}"
    starts = "New pods of " + counted(len(gangs), "gang")
    return f"{starts} lose {counted(tier.value, 'point')}; {proof}."
