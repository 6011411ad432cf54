"""``-o csv``: one file per table, for spreadsheets and data frames."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from planner.report.atomic import atomic_text
from planner.report.formats import Format
from planner.report.tables import Report
from planner.report.text import clean

if TYPE_CHECKING:
    import pandas as pd

#: A cell that starts so would be run as a formula by a spreadsheet.
_FORMULA_STARTS = ("=", "+", "-", "@")


def write_csv_set(report: Report, folder: Path) -> tuple[Path, ...]:
    """Write every frame of a report below a folder; RFC 4180, UTF-8, empty cells for missing values.

    Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection"); line
    ends become blanks, other control characters are made visible. Numbers are exact integers in the unit that the
    column name tells.
    """
    written = []
    for stem, frame in report.frames().items():
        path = folder / f"{stem}.csv"
        with atomic_text(path) as stream:
            safe_cells(frame).to_csv(
                stream, index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL
            )
        written.append(path)
    return tuple(written)


def safe_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with texts that no spreadsheet runs as a formula, one line each."""
    texts = [name for name, dtype in frame.dtypes.items() if dtype.kind == "O"]
    return frame.assign(**{str(name): frame[name].map(_safe_text) for name in texts})


def _safe_text(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = clean(value.replace("\n", " "))
    return f"'{text}" if text.startswith(_FORMULA_STARTS) and text != "-" else text


FORMATS = (Format("csv", ".csv", write_files=write_csv_set),)
