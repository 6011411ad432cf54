"""``-o table`` and ``-o wide``: text for people at a terminal."""

from __future__ import annotations

from typing import TextIO

from planner.report.formats import Format, Style
from planner.report.tables import Report

#: Rows of one table on a terminal before gangs are grouped by class.
TABLE_ROWS = 60
#: The same with ``-o wide``.
WIDE_ROWS = 2_000


def write_table(report: Report, stream: TextIO, style: Style) -> None:
    """The tables that fit most questions."""
    from planner.report.terminal import write_terminal

    write_terminal(
        report, stream, place="table", limit=TABLE_ROWS, width=style.width, color=style.color
    )


def write_wide(report: Report, stream: TextIO, style: Style) -> None:
    """More columns, all node names, all findings."""
    from planner.report.terminal import write_terminal

    write_terminal(
        report, stream, place="wide", limit=WIDE_ROWS, width=style.width, color=style.color
    )


FORMATS = (Format("table", ".txt", write=write_table), Format("wide", ".txt", write=write_wide))
