"""Frames from rows, with their columns even when there is no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd


def frame_of(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], extra: Sequence[str] = ()
) -> pd.DataFrame:
    """A frame with exactly these columns and types; ``extra`` are further columns of nullable integers.

    Types are pandas names: ``Int64`` (exact, may be missing), ``boolean``, ``Float64`` and ``object`` (text).
    """
    types = {**columns, **dict.fromkeys(extra, "Int64")}
    return pd.DataFrame(
        {
            name: pd.Series([row.get(name) for row in rows], dtype=dtype)
            for name, dtype in types.items()
        }
    )
