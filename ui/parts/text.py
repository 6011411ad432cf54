"""Foreign text on a page: names and messages of an export may hold anything."""

from __future__ import annotations

import re

from models.moments import epoch_seconds, local_text
from planner.report.text import clean

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|~$:&])")
_READ_LATE = re.compile(
    r"(?<=://)|(?<=www)(?=\.)|(?=@)|(?<=:)(?=[a-z_+-][\w+/-]*[:\[])", re.IGNORECASE
)
_WORD_JOINER = "\u2060"
"""Has no width. Addresses and icons are found after backslashes have been read; inside one it keeps them text."""


def plain(text: object) -> str:
    """Text as Markdown that looks exactly so: no links, images, formulas or icons come out of a name."""
    return _MARKUP.sub(r"\\\1", _READ_LATE.sub(_WORD_JOINER, clean(text)))


def moment(text: str, timezone: str = "UTC") -> str:
    """An RFC 3339 time as people read it, in a time zone that it names: ``2026-09-15 21:00:00 Europe/Berlin``."""
    second = epoch_seconds(text)
    if second is None:
        return text
    return f"{local_text(second, timezone)[:19].replace('T', ' ')} {timezone}"
