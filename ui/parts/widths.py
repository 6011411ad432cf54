"""Widths of table columns: a table fits a window of 1280 pixels, and its columns grow by themselves in wider ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

ROOM_PX = 880
"""Of a table on a page 1280 pixels wide, beside the side bar."""
HALF_PX = ROOM_PX // 2 - 10
CHECKBOX_PX, PADDING_PX = 36, 18
LEAST_TEXT_PX, MOST_TEXT_PX = 96, 400
MOST_NAME_PX = 220
"""Names in the first column tell what a row is about: they are cut last."""
MOST_HEADING_PX = 160
"""A longer heading of a text, such as the key of a sweep, may be cut."""
_NARROW = frozenset("ijltfrI.,:;'|()[]/ -")
_WIDE_FROM = 0x2E80
"""Letters from here on are as wide as high."""


def text_px(text: str) -> int:
    """About the width of a text in the font of tables."""
    return sum(_letter_px(letter) for letter in text)


def _letter_px(letter: str) -> int:
    if ord(letter) >= _WIDE_FROM:
        return 14
    if letter in _NARROW:
        return 5
    return 9 if letter.isupper() else 7


def fitted(
    labels: Mapping[str, str], shown: pd.DataFrame, texts: Sequence[str], *, room: int = ROOM_PX
) -> dict[str, int]:
    """Widths in pixels where a table would be wider than its room, else nothing: columns are as wide as what they hold.

    Columns of texts give way, the widest first; headings, numbers and names stay whole.

    Parameters
    ----------
    labels
        Column to heading, in the order of the table.
    texts
        Columns that may be cut.
    """
    wanted = {name: _wanted(label, shown[name]) for name, label in labels.items()}
    if sum(wanted.values()) <= room:
        return {} if max(wanted.values(), default=0) <= MOST_TEXT_PX else wanted
    wanted |= {name: min(wanted[name], MOST_TEXT_PX) for name in texts}
    least = {name: _least(labels[name], wanted[name]) for name in texts}
    first = next(iter(labels))
    if first in least:
        least[first] = max(least[first], min(wanted[first], MOST_NAME_PX))

    def under(most: int) -> dict[str, int]:
        return {name: max(least[name], min(wanted[name], most)) for name in texts}

    others = sum(px for name, px in wanted.items() if name not in least)
    caps = range(MOST_TEXT_PX, 0, -1)
    most = next((one for one in caps if others + sum(under(one).values()) <= room), 0)
    return wanted | under(most)


def _wanted(label: str, column: pd.Series[Any]) -> int:
    heading = text_px(label)
    content = max((text_px(_told(value)) for value in column.unique().tolist()), default=0)
    return max(heading, content) + PADDING_PX


def _least(label: str, wanted: int) -> int:
    return min(wanted, max(min(text_px(label), MOST_HEADING_PX) + PADDING_PX, LEAST_TEXT_PX))


def lines_of(shown: pd.DataFrame, widths: Mapping[str, int]) -> int:
    """Lines that the longest text needs in its column, where texts break; words need a fifth more than letters."""
    return max(
        (
            -(-6 * max((text_px(_told(value)) for value in shown[name].unique()), default=0))
            // (5 * (px - PADDING_PX))
            + 1
            for name, px in widths.items()
        ),
        default=1,
    )


def _told(value: Any) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)
