"""What was found about the input, what it lacks and what was left aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from planner.report.frames.reasons import SEVERITIES
from planner.report.plan_view import PlanView
from planner.report.rows import records, rest_note
from planner.report.tables import Column, Place, Section, Table
from planner.report.text import counted

_BRIEF = 8
_COLUMNS = (
    Column("SEVERITY"),
    Column("CODE", needs_width=120),
    Column("OBJECT"),
    Column("MESSAGE", grows=True),
    Column("REMEDY", grows=True, needs_width=100),
)


def findings_section(view: PlanView, place: Place, limit: int) -> Section:
    """Findings of a plan; a plain table shows the first few and says how many there are."""
    snapshot = view.result.snapshot
    return findings_of(
        view.findings, place, limit, missing=snapshot.missing_kinds, ignored=snapshot.ignored
    )


def findings_of(
    findings: pd.DataFrame,
    place: Place,
    limit: int,
    *,
    missing: Mapping[str, str],
    ignored: Mapping[str, int],
    brief: bool = True,
) -> Section:
    """Findings by severity, kinds that the input does not hold with what is assumed, and kinds left aside.

    ``brief`` lets a plain terminal table show only the first findings.
    """
    brief = brief and place == "table"
    tables = [findings_table(findings, _BRIEF if brief else limit)]
    if not brief:
        tables += [_missing(missing), _ignored(ignored)]
    return Section("findings", "Findings", lead=_lead(findings), tables=tuple(tables))


def findings_table(findings: pd.DataFrame, limit: int) -> Table:
    """The findings, errors first."""
    rows = records(findings.head(limit))
    cells = tuple(
        (row["severity"], row["code"], row["object"], row["message"], row["remedy"] or "-")
        for row in rows
    )
    where = "-o wide, -o json and findings.csv (-o csv --out DIR)"
    notes = rest_note(len(cells), len(findings), "findings", where)
    return Table("Findings about the input", _COLUMNS, cells, "Nothing was found wrong.", notes)


def _lead(findings: pd.DataFrame) -> str:
    counts = Counter(findings["severity"])
    parts = [
        counted(counts[name], {"info": "remark"}.get(name, name))
        for name in SEVERITIES
        if counts[name]
    ]
    return f"About the input: {', '.join(parts)}." if parts else ""


def _missing(missing: Mapping[str, str]) -> Table:
    rows = tuple((kind, assumed) for kind, assumed in missing.items())
    columns = (Column("KIND NOT FOUND"), Column("WHAT IS ASSUMED INSTEAD", grows=True))
    return Table("Kinds not found", columns, rows, "Every kind that is read was found.")


def _ignored(ignored: Mapping[str, int]) -> Table:
    rows = tuple((kind, f"{count:,}") for kind, count in ignored.items())
    columns = (Column("KIND LEFT ASIDE"), Column("OBJECTS", "objects", numeric=True))
    return Table("Kinds left aside", columns, rows, "Every object of the input was used.")
