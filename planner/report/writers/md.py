"""``-o md``: the report for tickets, wikis and pull requests."""

from __future__ import annotations

from typing import TextIO

from planner.report.formats import Format, Style
from planner.report.tables import Report


def write_markdown(report: Report, stream: TextIO, style: Style) -> None:
    """Write the page; no style applies."""
    from planner.report.markdown import markdown_page

    stream.write(markdown_page(report))


FORMATS = (Format("md", ".md", write=write_markdown),)
