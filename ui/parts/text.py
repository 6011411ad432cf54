"""Foreign text on a page: names and messages of an export may hold anything."""

from __future__ import annotations

import re

from planner.report.text import clean

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|~$:&])")


def plain(text: object) -> str:
    """Text as Markdown that shows exactly this text: no links, images, formulas or icons come out of a name."""
    return _MARKUP.sub(r"\\\1", clean(text))


def moment(text: str) -> str:
    """An RFC 3339 time in UTC as people read it, with its zone."""
    return f"{text.removesuffix('Z').replace('T', ' ')} UTC" if text.endswith("Z") else text
