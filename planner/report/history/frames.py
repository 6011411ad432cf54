"""Frames of the documents of the history: whole numbers stay whole, also beside missing ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from models.history.night import PastFigures, PastNight
from models.part import Part
from models.reasons import Reason
from models.resources import Resources
from planner.report.frames.build import frame_of

_TYPES: Mapping[object, str] = {
    int: "Int64",
    int | None: "Int64",
    bool: "boolean",
    bool | None: "boolean",
}


def nights_frame(nights: Sequence[PastNight]) -> pd.DataFrame:
    """One row per night with every figure; missing where a run left no plan."""
    rows = []
    for night in nights:
        row = _row(night)
        figures = row.pop("figures")
        rows.append({**row, **({} if figures is None else _row(figures))})
    types = {**_types(PastNight), **_types(PastFigures)}
    types.pop("figures")
    return frame_of(rows, types)


def typed_frame(parts: Iterable[Part], kind: type[Part]) -> pd.DataFrame:
    """One row per part; maps are ``name=amount`` joined by blanks, reasons their codes."""
    return frame_of([_row(one) for one in parts], _types(kind))


def _types(kind: type[Part]) -> dict[str, str]:
    return {
        name: _TYPES.get(field.annotation, "object") for name, field in kind.model_fields.items()
    }


def _row(part: Part) -> dict[str, Any]:
    return {name: _cell(getattr(part, name)) for name in type(part).model_fields}


def _cell(value: Any) -> Any:
    if isinstance(value, (Mapping, Resources)):
        return " ".join(f"{key}={amount}" for key, amount in value.items())
    if isinstance(value, tuple):
        return ", ".join(one.code if isinstance(one, Reason) else str(one) for one in value)
    return value
