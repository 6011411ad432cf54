"""``-o json``: the document itself; key order is that of the models."""

from __future__ import annotations

from typing import TextIO

from planner.report.formats import Format, Style
from planner.report.tables import Report


def write_json(report: Report, stream: TextIO, style: Style) -> None:
    """Write the document with an indent of two blanks; no style applies."""
    stream.write(report.document.model_dump_json(by_alias=True, indent=2))
    stream.write("\n")


FORMATS = (Format("json", ".json", write=write_json),)
