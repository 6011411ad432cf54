"""A report as text for a terminal: sentence, tables, footer; wraps to the width, colours only where allowed."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from planner.report.column_widths import column_widths
from planner.report.tables import Column, Place, Report, Section, Table
from planner.report.text import clean

#: Width in characters where there is no terminal and none is given.
PIPE_WIDTH = 160
_NARROW = 110
_MARKED = {
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
    text = StringIO()
    console = _console(text, width=width or _width_of(stream), color=color)
    console.print(Text(clean(report.sentence), style="bold"))
    for warning in report.warnings:
        console.print(Text(f"! {clean(warning)}", style="yellow"))
    for section in report.sections(place, limit):
        _print_section(console, section)
    console.print()
    for line in report.footer:
        console.print(Text(clean(line), style="dim"))
    stream.writelines(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def _width_of(stream: TextIO) -> int:
    on_terminal = bool(getattr(stream, "isatty", lambda: False)())
    return Console(file=stream).width if on_terminal else PIPE_WIDTH


def _console(stream: TextIO, *, width: int, color: bool) -> Console:
    return Console(
        file=stream,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _print_section(console: Console, section: Section) -> None:
    console.print()
    console.print(Text(section.title.upper(), style="bold cyan"))
    for text in (section.lead, *section.points):
        if text:
            console.print(Text(clean(text)))
    for table in section.tables:
        _print_table(console, table, named=len(section.tables) > 1)
    for note in section.notes:
        console.print(Text(clean(note), style="dim"))


def _print_table(console: Console, table: Table, *, named: bool) -> None:
    if named:
        console.print()
        console.print(Text(table.title, style="bold"))
    if not table.rows:
        console.print(Text(clean(table.empty)))
        return
    kept = [
        place for place, column in enumerate(table.columns) if column.needs_width <= console.width
    ]
    wide = console.width >= _NARROW
    columns = [table.columns[place] for place in kept]
    rows = [[clean(row[place], keep_newlines=True) for place in kept] for row in table.rows]
    gap = 3 if wide else 2
    widths = column_widths(columns, rows, width=console.width, gap=gap)
    drawn = RichTable(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        header_style="bold",
        padding=(0, gap - 1, 0, 0),
    )
    for column, width in zip(columns, widths, strict=True):
        _add_column(drawn, column, width)
    for row in rows:
        drawn.add_row(*map(_cell, row))
    usual, console.width = console.width, max(console.width, sum(widths) + gap * len(widths))
    console.print(drawn)  # wider than the terminal rather than cut
    console.width = usual
    for note in (*table.notes, *_hidden_note(table, kept)):
        console.print(Text(clean(note), style="dim"))


def _add_column(drawn: RichTable, column: Column, width: int) -> None:
    heading = Text(column.heading)
    if column.unit:
        heading.append(f"\n{column.unit}", style="dim")
    drawn.add_column(
        heading,
        justify="right" if column.numeric else "left",
        overflow="fold",
        width=width,
        vertical="top",
    )


def _cell(text: str) -> Text:
    return Text(text, style=_MARKED.get(text, ""))


def _hidden_note(table: Table, kept: Sequence[int]) -> tuple[str, ...]:
    hidden = [column.heading for place, column in enumerate(table.columns) if place not in kept]
    if not hidden:
        return ()
    return (
        f"Not shown at this width: {', '.join(hidden)}; a wider terminal or -o json shows them.",
    )
