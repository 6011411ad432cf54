"""One gang in words, for a ticket, and the numbers behind its reasons."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from models.plan import GangEntry, PlanResult
from planner.report.frames.build import frame_of
from planner.report.proof_words import proof_short, verification_words
from planner.report.reason_words import ADVICE
from planner.report.sections.footer import told_digest
from planner.report.text import clean, counted


def gang_named(result: PlanResult, full_name: str) -> GangEntry | None:
    """The gang of this name."""
    return next((gang for gang in result.gangs if gang.full_name == full_name), None)


def ticket_text(gang: GangEntry, result: PlanResult) -> str:
    """Plain text: what waits, why with numbers, what a person can do, and what this was found on."""
    head = (
        f"{gang.full_name} (queue {gang.queue}, priority {gang.priority}, {counted(gang.gpus, 'GPU')}, "
        f"minimum {counted(gang.min_member, 'pod')}): {gang.decision}"
    )
    reasons = []
    for reason in gang.reasons:
        reasons.append(f"- {reason.code}: {reason.message}")
        if reason.code in ADVICE:
            reasons.append(f"  what helps: {ADVICE[reason.code]}")
    foot = (
        f"gangplan on snapshot {told_digest(result.snapshot.digest, result.snapshot.sources)} as of "
        f"{result.snapshot.as_of or 'an unknown time'}; {proof_short(result.certificate)}; "
        f"{verification_words(result.verification)}"
    )
    return "\n".join(clean(line, keep_newlines=True) for line in (head, *reasons, foot))


def reason_numbers(gang: GangEntry) -> pd.DataFrame:
    """One row per number of a gang's reasons: code, what it is, its value; CPU in milli-CPU, memory in bytes."""
    rows = [
        {"code": reason.code, "key": key, "value": value}
        for reason in gang.reasons
        for key, value in _flat(reason.data, "")
    ]
    return frame_of(rows, {"code": "object", "key": "object", "value": "object"})


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, tuple)) and any(isinstance(one, Mapping) for one in value):
        for place, inner in enumerate(value, 1):
            yield from _flat(inner, f"{path}[{place}]")
    elif isinstance(value, (list, tuple)):
        yield path, ", ".join(str(one) for one in value)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path, f"{value:,}"
    else:
        yield path, value if isinstance(value, str) else json.dumps(value)
