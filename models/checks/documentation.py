"""The table of all finding codes: ``python -m models.checks.documentation FILE`` writes it, a test keeps it equal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from models.checks.check import Check
from models.checks.lending import DEMAND_REFUSALS
from models.checks.nights import NIGHTLY_REFUSALS
from models.checks.reading import REFUSALS
from models.checks.registry import FAMILIES
from models.checks.scenarios import SCENARIO_REFUSALS

_HEAD = """\
# Findings

What `gangplan inspect` and `gangplan plan` say about an input, without any solver. A finding is never a failure:
what it concerns waits with a reason, the rest is planned. Two exceptions stop a run with exit code 3:
`export_incomplete` (unless `--allow-incomplete` is given), and the refusals of the last table.

Severity `error`: the picture of the cluster is wrong in part; `warning`: somebody should look at it; `info`: good to
know. Many findings of one code are told as one that says how many there are and where to see all.

This file is generated: `python -m models.checks.documentation docs/findings.md`.
"""


def findings_document() -> str:
    """Every code with severity, meaning and remedy, as Markdown."""
    tables = [_table(family, checks) for family, checks in FAMILIES.items()]
    refusals = (*REFUSALS, *DEMAND_REFUSALS, *SCENARIO_REFUSALS, *NIGHTLY_REFUSALS)
    return "\n".join([_HEAD, *tables, _table("Refused input", refusals)])


def _table(title: str, checks: Iterable[Check]) -> str:
    rows = [
        f"| `{check.code}` | {check.severity} | {_cell(check.sentence)} | {_cell(check.remedy)} |"
        for check in checks
    ]
    head = ["| code | severity | what it means | what to do |", "|---|---|---|---|"]
    return "\n".join([f"## {title}", "", *head, *rows, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(findings_document(), encoding="utf-8")
