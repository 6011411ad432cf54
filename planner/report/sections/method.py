"""How good the plan is and what was proved: tiers with bounds, the check, the time it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.plan import PlanResult
from planner.report.earlier_words import earlier_words
from planner.report.plan_view import PlanView
from planner.report.proof_words import (
    proof_detail,
    properties_words,
    status_words,
    tier_words,
    verification_words,
)
from planner.report.rows import records, rest_note
from planner.report.sections.footer import baseline_words
from planner.report.svg.tiers import tier_bars
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import duration, gap_words, number

_COLUMNS = (
    Column("TIER"),
    Column("MEANING", needs_width=110, grows=True),
    Column("SENSE"),
    Column("VALUE", numeric=True),
    Column("BOUND", numeric=True),
    Column("GAP", numeric=True),
    Column("CONDITIONAL"),
    Column("TIME", numeric=True),
    Column("BACKEND"),
)


def method_section(view: PlanView, place: Place, limit: int) -> Section:
    """Objective and certificate in words, then every tier, violations if there are any, and stage times."""
    certificate = view.result.certificate
    tiers = view.tiers
    figures = (Figure("Value against proved bound, tier by tier", lambda: tier_bars(tiers)),)
    return Section(
        "method",
        "Method and proof",
        lead=(
            f"The plan is {status_words(certificate)}: {proof_detail(certificate)}. "
            f"{verification_words(view.result.verification)}."
        ),
        points=_points(view.result),
        figures=figures if len(tiers) else (),
        tables=(_tiers(view, limit), *_violations(view.result, limit), _stages(view)),
    )


def _points(result: PlanResult) -> tuple[str, ...]:
    return (
        "Tiers are optimised one after the other, highest first; a lower tier never costs a higher one anything.",
        properties_words(result.certificate),
        "The gap is |bound − value| / max(1, |value|). A conditional bound holds only for the values fixed in the "
        "tiers above it. Where nothing is proved, bound and gap say so.",
        *(
            f"Simplified in the model: {one}. Its bounds hold for the cluster all the same."
            for one in result.certificate.approximations
        ),
        "Every rule was checked again from the snapshot by code that shares no rule with the solver."
        if result.verification is not None
        else "The plan has not been checked against the snapshot.",
        *_queue_rules(result),
        *baseline_words(result),
        *earlier_words(result),
    )


_ORIGINS = {
    "default": "the default",
    "snapshot": "worked out from the snapshot",
    "scheduler ConfigMap": "from the scheduler ConfigMap",
    "history": "with durations from the history of nights",
    "file": "from the policy file",
    "flag": "from the command line",
    "scenario": "from the scenario",
}


def _queue_rules(result: PlanResult) -> tuple[str, ...]:
    """Which queue model and evictions applied, and where each came from; nothing where the policy is not told."""
    policy = result.policy
    if "queue_model" not in policy:
        return ()
    model, evict = _told(policy, "queue_model"), _told(policy, "evict")
    tree = _told(policy, "hierarchy")
    words = f"with the queue tree ({tree[1]})" if tree[0] else f"without a queue tree ({tree[1]})"
    allowed = " and ".join(str(one) for one in evict[0] or ()) or "none"
    sentence = (
        f"Queue model: {model[0]} ({model[1]}), {words}. Evictions allowed: {allowed} ({evict[1]})"
    )
    level = _told(policy, "ancestor_reclaim_level")
    if tree[0] and "reclaim" in (evict[0] or ()):
        sentence += f", reclaim looks at {level[0] or 0} levels above the leaf ({level[1]})"
    return (f"{sentence}.",)


def _told(policy: Mapping[str, Any], key: str) -> tuple[Any, str]:
    """Value of a policy key and words for where it came from."""
    entry = policy.get(key)
    if not isinstance(entry, Mapping) or "value" not in entry:
        return entry, "origin not told"
    origin = str(entry.get("origin", ""))
    return entry["value"], _ORIGINS.get(origin, origin or "origin not told")


def _tiers(view: PlanView, limit: int) -> Table:
    words = {tier.name: tier_words(tier.name) for tier in view.result.certificate.tiers}
    rows = records(view.tiers)
    cells = tuple(_tier_row(row, words) for row in rows[:limit])
    notes = rest_note(len(cells), len(rows), "tiers", "tiers.csv (-o csv --out DIR)")
    return Table("Tiers of the objective", _COLUMNS, cells, "No tier is reported.", notes)


def _tier_row(row: dict[str, Any], words: dict[str, str]) -> tuple[str, ...]:
    bound = "not proved" if row["bound"] is None else f"{number(row['bound'])} {row['unit']}"
    return (
        row["tier"],
        words.get(row["tier"], row["tier"]),
        "most" if row["sense"] == "max" else "least",
        f"{number(row['value'])} {row['unit']}",
        bound,
        gap_words(row["gap"], row["value"], row["bound"], row["unit"]),
        "yes" if row["conditional"] else "no",
        duration(row["seconds"]),
        row["backend"] or "-",
    )


def _violations(result: PlanResult, limit: int) -> tuple[Table, ...]:
    found = result.verification.violations if result.verification is not None else ()
    if not found:
        return ()
    rows = tuple((one.rule, one.object, one.message) for one in found[:limit])
    notes = rest_note(len(rows), len(found), "violations", "the JSON document")
    columns = (Column("RULE"), Column("OBJECT"), Column("MESSAGE", grows=True))
    return (Table("Violations", columns, rows, notes=notes),)


def _stages(view: PlanView) -> Table:
    rows = tuple((row["stage"], duration(row["seconds"])) for row in records(view.stages))
    columns = (Column("STAGE"), Column("TIME", numeric=True))
    return Table("Time by stage", columns, rows, "No stage time is reported.")
