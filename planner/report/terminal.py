"""A report as text for a terminal: sentence, tables, footer; wraps to the width, colours only where allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from planner.report.tables import Column, Place, Report, Section, Table
from planner.report.text import clean

PIPE_WIDTH = 160
_DECISION_STYLE = {
    "start": "bold green",
    "grow": "green",
    "wait": "yellow",
    "evict": "bold red",
    "shrink": "red",
    "error": "bold red",
    "warning": "yellow",
}


def write_terminal(
    report: Report, stream: TextIO, *, place: Place, limit: int, width: int | None, color: bool
) -> None:
    """Write a report; without ``width`` the terminal's own, or 160 characters where there is none."""
    console = _console(stream, width=width, color=color)
    console.print(Text(clean(report.sentence), style="bold"))
    for warning in report.warnings:
        console.print(Text(f"! {clean(warning)}", style="yellow"))
    for section in report.sections(place, limit):
        _print_section(console, section)
    console.print()
    for line in report.footer:
        console.print(Text(clean(line), style="dim"))


def _console(stream: TextIO, *, width: int | None, color: bool) -> Console:
    on_terminal = bool(getattr(stream, "isatty", lambda: False)())
    return Console(
        file=stream,
        width=width or (None if on_terminal else PIPE_WIDTH),
        force_terminal=color or None,
        color_system="auto" if color else None,
        no_color=not color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _print_section(console: Console, section: Section) -> None:
    console.print()
    texts: Sequence[str] = [text for text in (section.lead, *section.points) if text]
    if texts or not section.tables:
        console.print(Text(section.title.upper(), style="bold cyan"))
    for text in texts:
        console.print(Text(clean(text)))
    for table in section.tables:
        _print_table(console, table, section)
    for note in section.notes:
        console.print(Text(clean(note), style="dim"))


def _print_table(console: Console, table: Table, section: Section) -> None:
    if len(section.tables) > 1:
        console.print(Text(table.title, style="bold cyan"))
    if not table.rows:
        console.print(Text(clean(table.empty)))
        return
    kept = [
        place for place, column in enumerate(table.columns) if column.needs_width <= console.width
    ]
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for place in kept:
        _add_column(drawn, table.columns[place])
    for row in table.rows:
        drawn.add_row(*(_cell(row[place]) for place in kept))
    console.print(Padding(drawn, (0, 0, 0, 0)))
    for note in (*table.notes, *_hidden_note(table, kept)):
        console.print(Text(clean(note), style="dim"))


def _add_column(drawn: RichTable, column: Column) -> None:
    heading = Text(column.heading)
    if column.unit:
        heading.append(f"\n{column.unit}", style="dim")
    drawn.add_column(
        heading,
        justify="right" if column.numeric else "left",
        no_wrap=column.numeric,
        overflow="fold",
        ratio=None,
        vertical="top",
    )


def _cell(text: str) -> Text:
    return Text(clean(text), style=_DECISION_STYLE.get(text, ""))


def _hidden_note(table: Table, kept: Sequence[int]) -> tuple[str, ...]:
    hidden = [column.heading for place, column in enumerate(table.columns) if place not in kept]
    if not hidden:
        return ()
    return (
        f"Not shown at this width: {', '.join(hidden)}; a wider terminal or -o json shows them.",
    )
