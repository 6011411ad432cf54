"""``-o html``: the report to mail around."""

from __future__ import annotations

from typing import TextIO

from planner.report.formats import Format, Style
from planner.report.tables import Report


def write_html(report: Report, stream: TextIO, style: Style) -> None:
    """Write the page; no style applies."""
    from planner.report.html_page import html_page

    stream.write(html_page(report))


FORMATS = (Format("html", ".html", write=write_html),)
