"""In whose words something is told: English, or those that a catalog gives for the English ones."""

from __future__ import annotations

from typing import Protocol


class Say(Protocol):
    """Gives a text in the reader's language, with its ``{names}`` filled."""

    def __call__(self, text: str, /, **values: str) -> str:
        """The text."""


def english(text: str, /, **values: str) -> str:
    """The text as it stands, filled."""
    return text.format(**values)
