"""Every sentence of the dashboard in every language; the English text is the key.

A new language is one more module with a dict like :mod:`ui.messages.chinese`. Sentences of the planner itself (reasons,
findings, rule texts) stay in English, since tickets and bug reports quote them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.report.text import gpus_text
from ui.messages.chinese import CHINESE

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "中文"}
CATALOGS: Mapping[str, Mapping[str, str]] = {"en": {}, "zh": CHINESE}


class Words:
    """Gives texts in one language; a text that the catalog lacks stays English."""

    def __init__(self, language: str) -> None:
        self.language = language if language in CATALOGS else "en"
        self._catalog = CATALOGS[self.language]

    def __call__(self, text: str, /, **values: Any) -> str:
        """The text with its ``{names}`` filled; numbers get thousands separators."""
        found = self._catalog.get(text, text)
        if not values:
            return found
        return found.format(**{name: _shown(value) for name, value in values.items()})

    def counted(self, count: int, one: str, many: str) -> str:
        """A number with its noun: ``1 gang``, ``2 gangs``; both forms are keys with ``{count}``."""
        return self(one if count == 1 else many, count=count)

    def gangs(self, count: int) -> str:
        """Gangs, counted."""
        return self.counted(count, "{count} gang", "{count} gangs")

    def gpus(self, count: int) -> str:
        """GPUs, counted."""
        return self.counted(count, "{count} GPU", "{count} GPUs")

    def milli_gpus(self, milli: int) -> str:
        """Thousandths of GPUs, counted in GPUs with two decimals where they are no whole number."""
        if milli % 1000 == 0:
            return self.gpus(milli // 1000)
        return self("{count} GPUs", count=gpus_text(milli))

    def queues(self, count: int) -> str:
        """Queues, counted."""
        return self.counted(count, "{count} queue", "{count} queues")

    def nodes(self, count: int) -> str:
        """Nodes, counted."""
        return self.counted(count, "{count} node", "{count} nodes")

    def pods(self, count: int) -> str:
        """Pods, counted."""
        return self.counted(count, "{count} pod", "{count} pods")


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
