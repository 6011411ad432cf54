"""Results as bytes for whoever hands them out: the same writers as for files, without a file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pandas as pd

from planner.report.formats import write_report
from planner.report.tables import Report
from planner.report.writers.csv_set import safe_cells


def report_bytes(report: Report, fmt: str) -> bytes:
    """A report in one format of a single file (``html``, ``json``, ``md``, ``yaml``)."""
    text = io.StringIO()
    write_report(report, fmt, stream=text)
    return text.getvalue().encode()


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """A frame as CSV (RFC 4180, UTF-8) with cells that no spreadsheet runs as a formula."""
    return safe_cells(frame).to_csv(index=False, lineterminator="\n").encode()


def csv_archive(frames: Mapping[str, pd.DataFrame]) -> bytes:
    """All frames as CSV files in one zip file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for stem, frame in frames.items():
            archive.writestr(f"{stem}.csv", csv_bytes(frame))
    return data.getvalue()
