"""The Markdown twin of the HTML page: the same sections without charts, in the tables of GitHub."""

from __future__ import annotations

import re

from planner.report.tables import Report, Section, Table
from planner.report.text import clean

ROW_LIMIT = 2_000
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_LINE_START = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$)")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: markup characters behind backslashes, no control characters, one line."""
    shown = _SPECIAL.sub(r"\\\1", clean(text))
    return _LINE_START.sub(lambda match: f"{match[1]}\\{match[2]}", shown)


def markdown_page(report: Report, limit: int = ROW_LIMIT) -> str:
    """Title, sentence, key figures, sections, footer; tables of more than ``limit`` rows are grouped by class."""
    parts = [f"# {escaped(report.title)}", escaped(report.sentence)]
    parts += [f"> **Note:** {escaped(warning)}" for warning in report.warnings]
    if report.key_figures:
        rows = [
            _row([f"**{escaped(one.label)}**", escaped(one.value), escaped(one.detail)])
            for one in report.key_figures
        ]
        parts.append("\n".join(["| Figure | Value | Detail |", "| --- | ---: | --- |", *rows]))
    for section in report.sections("page", limit):
        parts += _section(section) if _has_text(section) else []
    parts.append("---")
    parts.append("  \n".join(escaped(line) for line in report.footer))
    return "\n\n".join(part for part in parts if part) + "\n"


def _has_text(section: Section) -> bool:
    """Figures are drawn in HTML only; a section of nothing else would be a bare heading."""
    told = (section.lead, section.points, section.tables, section.notes)
    return any(told) or not section.figures


def _section(section: Section) -> list[str]:
    mark = "1." if section.numbered else "-"
    parts = [f"## {escaped(section.title)}", escaped(section.lead)]
    parts.append("\n".join(f"{mark} {escaped(point)}" for point in section.points))
    for table in section.tables:
        parts += _table(table, named=table.title != section.title)
    return [*parts, *(escaped(note) for note in section.notes)]


def _table(table: Table, *, named: bool) -> list[str]:
    head = [f"### {escaped(table.title)}"] if named else []
    if not table.rows:
        return [*head, escaped(table.empty)] if table.empty else []
    heads = [
        escaped(f"{column.heading} ({column.unit})" if column.unit else column.heading)
        for column in table.columns
    ]
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    lines = [
        _row(heads),
        _row(rules),
        *(_row([_cell(cell) for cell in row]) for row in table.rows),
    ]
    return [*head, "\n".join(lines), *(escaped(note) for note in table.notes)]


def _cell(text: str) -> str:
    return "<br>".join(escaped(line) for line in text.split("\n"))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
