"""One way to show a table: headings with units, pages for long ones, a CSV file, a selected row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from planner.report.downloads import csv_bytes
from planner.report.frames.display import display_frame
from ui.messages import Words
from ui.parts.labels import LABELS
from ui.parts.widths import CHECKBOX_PX, ROOM_PX, fitted, lines_of

if TYPE_CHECKING:
    import pandas as pd

PAGE_ROWS = 1_000
ROW_PX, MOST_PX = 35, 560
LINE_PX, MOST_LINES = 20, 7
FEW = 9
"""Columns that a page has room for; the first one of a wider table stays where it is when the others are moved."""
SPOKEN = frozenset({"action", "became", "decision", "next_night", "recommended", "sense", "unit"})
"""Columns whose values are words of the planner."""


def show_table(
    say: Words,
    key: str,
    frame: pd.DataFrame,
    columns: Sequence[str],
    *,
    alt: str,
    empty: str,
    unit: str = "",
    select: bool = False,
    wrap: bool = False,
    quiet: Collection[str] = (),
    room: int = ROOM_PX,
) -> int | None:
    """Draw a frame; the position in ``frame`` of the row that the visitor selected, None without one.

    Parameters
    ----------
    columns
        Columns to show, in display units (see :mod:`planner.report.frames.display`); absent ones are skipped.
    alt
        What the table holds, for screen readers.
    empty
        Sentence in place of a table without rows.
    unit
        Unit behind the headings of queue amounts.
    wrap
        Rows as high as their longest text needs, up to seven lines.
    quiet
        Columns that are shown only where a value is not zero.
    room
        Pixels of the table's place on a page 1280 pixels wide.
    """
    if not len(frame):
        st.info(empty)
        return None
    first, part = _page(say, key, frame)
    shown = _in_words(say, display_frame(part))
    names = [
        name
        for name in columns
        if name in shown.columns and not _is_empty(shown[name], zero=name in quiet)
    ]
    labels = {name: _label(say, name, unit) for name in names}
    texts = [name for name in names if not _is_number(shown, name)]
    widths = fitted(labels, shown, texts, room=room - (CHECKBOX_PX if select else 0))
    row_px = ROW_PX
    if wrap and widths:
        row_px += LINE_PX * (min(MOST_LINES, lines_of(shown, widths)) - 1)
    event: Any = st.dataframe(
        shown,
        key=f"table-{key}-{first}",
        hide_index=True,
        column_order=names,
        column_config={
            name: _column(
                shown, name, labels[name], widths.get(name), pinned=place == 0 and len(names) > FEW
            )
            for place, name in enumerate(names)
        },
        height=min(MOST_PX, row_px * len(part) + ROW_PX + 3),
        row_height=row_px,
        placeholder="–",
        alt=alt,
        on_select="rerun" if select else "ignore",
        selection_mode="single-row",
    )
    _csv(say, key, frame)
    rows = event.selection.rows if select else []
    return first + rows[0] if rows and rows[0] < len(part) else None


def _in_words(say: Words, shown: pd.DataFrame) -> pd.DataFrame:
    """Words of the planner's own vocabulary in the reader's language; names and messages stay as they are."""
    spoken = {
        name: [say(value) if isinstance(value, str) else value for value in shown[name]]
        for name in shown.columns
        if name in SPOKEN
    }
    return shown.assign(**spoken) if spoken else shown


def _is_empty(column: pd.Series, *, zero: bool) -> bool:
    """Whether a column says nothing: missing or empty text in every row, where ``zero`` says so also zeros."""
    values = column.astype(object)
    empty = column.isna() | (values == "")
    return bool((empty | (values == 0)).all() if zero else empty.all())


def _page(say: Words, key: str, frame: pd.DataFrame) -> tuple[int, pd.DataFrame]:
    total = len(frame)
    if total <= PAGE_ROWS:
        return 0, frame
    pages = -(-total // PAGE_ROWS)
    left, right = st.columns([1, 4], vertical_alignment="bottom")
    page = int(
        left.number_input(say("Page of {pages}", pages=pages), 1, pages, 1, key=f"page-{key}")
    )
    first = (page - 1) * PAGE_ROWS
    last = min(total, first + PAGE_ROWS)
    right.caption(
        say(
            "Rows {first} to {last} of {total}; sorting in the table sorts these rows, the CSV file holds all.",
            first=first + 1,
            last=last,
            total=total,
        )
    )
    return first, frame.iloc[first:last]


def _label(say: Words, name: str, unit: str) -> str:
    label = say(LABELS.get(name, name))
    return f"{label} ({unit})" if unit and name in AMOUNT_COLUMNS else label


TRUTHS = ("boolean", "bool")


def _is_number(frame: pd.DataFrame, name: str) -> bool:
    return str(frame[name].dtype) in (*TRUTHS, "Int64", "int64", "Float64", "float64")


def _column(frame: pd.DataFrame, name: str, label: str, width: int | None, *, pinned: bool) -> Any:
    if str(frame[name].dtype) in TRUTHS:
        return st.column_config.CheckboxColumn(label, width=width, pinned=pinned)
    if _is_number(frame, name):
        return st.column_config.NumberColumn(label, format="localized", width=width, pinned=pinned)
    return st.column_config.TextColumn(label, width=width, pinned=pinned)


AMOUNT_COLUMNS = frozenset(
    {
        "guarantee",
        "deserved",
        "capability",
        "limit",
        "requested",
        "before",
        "after",
        "borrowed",
        "lent",
        "amount",
    }
)


def _csv(say: Words, key: str, frame: pd.DataFrame) -> None:
    st.download_button(
        say("CSV, rows: {rows}", rows=len(frame)),
        lambda: csv_bytes(frame),
        file_name=f"gangplan-{key}.csv",
        mime="text/csv",
        key=f"csv-{key}",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )
