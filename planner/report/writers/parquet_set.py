"""``-o parquet``: one file per table with types kept, for data frames and lakes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from models.findings import UsageError
from planner.report.atomic import atomic_bytes
from planner.report.formats import Format
from planner.report.tables import Report

if TYPE_CHECKING:
    import pandas as pd


def write_parquet_set(report: Report, folder: Path) -> tuple[Path, ...]:
    """Write every frame of a report below a folder.

    Raises
    ------
    UsageError
        pyarrow is not installed.
    """
    try:
        import pyarrow  # noqa: F401 (asked for before the first file is begun)
    except ImportError:
        raise UsageError(
            "-o parquet needs pyarrow: install it with `pip install 'gangplan[parquet]'`"
        ) from None
    written = []
    for stem, frame in report.frames().items():
        path = folder / f"{stem}.parquet"
        with atomic_bytes(path) as stream:
            _typed(frame).to_parquet(stream, index=False, engine="pyarrow")
        written.append(path)
    return tuple(written)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of one type each; a column that mixes numbers and texts becomes text."""
    found = frame.convert_dtypes()
    for name in found.columns:
        values = found[name].dropna()
        if found[name].dtype == object and len({type(value) for value in values}) > 1:
            found[name] = found[name].map(lambda value: None if value is None else str(value))
    return found


FORMATS = (Format("parquet", ".parquet", write_files=write_parquet_set),)
