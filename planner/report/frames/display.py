"""Frames for a screen: the same rows with CPUs, GiB, hours and percent in place of base units."""

from __future__ import annotations

import pandas as pd

#: Part of a column name, what it becomes, by how much values are divided, and digits kept.
_UNITS = (
    ("cpu_milli", "cpus", 1000, 1),
    ("memory_bytes", "memory_gib", 1 << 30, 1),
    ("_seconds", "_hours", 3600, 2),
)


def display_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns in base units become columns in display units under a name that says so; the rest stays.

    A ratio ``gap`` becomes ``gap_percent``, and ``gpus`` tell parts of GPUs where ``milli_gpus`` have some. Exact
    values stay in the frame that was given, which CSV files hold.
    """
    shown: dict[str, pd.Series] = {}
    for name in frame.columns:
        column = frame[name]
        for part, word, size, digits in _UNITS:
            if part in name:
                shown[name.replace(part, word)] = (column.astype("Float64") / size).round(digits)
                break
        else:
            if name == "gap":
                shown["gap_percent"] = (column.astype("Float64") * 100).round(3)
            else:
                shown[name] = column
    if "milli_gpus" in frame and (frame["milli_gpus"] % 1000 != 0).any():
        shown["gpus"] = (frame["milli_gpus"].astype("Float64") / 1000).round(2)
    return pd.DataFrame(shown)
