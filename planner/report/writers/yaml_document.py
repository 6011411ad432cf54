"""``-o yaml``: the same document as JSON, without anchors and aliases."""

from __future__ import annotations

from typing import Any, TextIO

import yaml

from planner.report.formats import Format, Style
from planner.report.tables import Report

_NEVER_FOLD = 2**30


class _PlainDumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """The safe dumper (in C where it is built in) that repeats equal values instead of naming them."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_yaml(report: Report, stream: TextIO, style: Style) -> None:
    """Write the document in block style, keys in the order of the JSON document; no style applies."""
    document = report.document.model_dump(mode="json", by_alias=True)
    yaml.dump(
        document,
        stream,
        Dumper=_PlainDumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=_NEVER_FOLD,
    )


FORMATS = (Format("yaml", ".yaml", write=write_yaml),)
