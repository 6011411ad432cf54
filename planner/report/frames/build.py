"""Frames from rows, with their columns even when there is no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd


def frame_of(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], extra: Sequence[str] = ()
) -> pd.DataFrame:
    """A frame with exactly these columns and types; ``extra`` are further columns of nullable integers.

    Types are pandas names: ``Int64`` (exact, may be missing), ``boolean``, ``Float64`` and ``object`` (text). A column
    of whole numbers that leave 64 bits is ``object`` and stays exact.
    """
    types = {**columns, **dict.fromkeys(extra, "Int64")}
    return pd.DataFrame(
        {name: series_of([row.get(name) for row in rows], dtype) for name, dtype in types.items()}
    )


def series_of(values: Sequence[Any], dtype: str = "Int64") -> pd.Series[Any]:
    """A column; whole numbers that leave 64 bits are kept as they are."""
    wide = dtype == "Int64" and any(
        one is not None and one is not pd.NA and not _SMALLEST <= one <= _LARGEST for one in values
    )
    if not wide:
        return pd.Series(values, dtype=dtype)
    return pd.Series([pd.NA if one is None else one for one in values], dtype="object")


_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1
