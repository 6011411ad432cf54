"""Why gangs wait, reason by reason, and what was found about the input."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pandas as pd

from models.plan import FindingEntry, PlanResult
from planner.report.frames.build import frame_of
from planner.report.frames.gangs import milli_gpus

REASON_COLUMNS = {
    "namespace": "object",
    "gang": "object",
    "queue": "object",
    "decision": "object",
    "gpus": "Int64",
    "code": "object",
    "message": "object",
    "data": "object",
    "milli_gpus": "Int64",
}
FINDING_COLUMNS = {
    "severity": "object",
    "code": "object",
    "object": "object",
    "message": "object",
    "remedy": "object",
}
SEVERITIES = ("error", "warning", "info")


def reasons_frame(result: PlanResult) -> pd.DataFrame:
    """One row per gang and reason; ``data`` holds the numbers as JSON, ``gpus`` those of the gang."""
    rows = [
        {
            "namespace": gang.namespace,
            "gang": gang.full_name,
            "queue": gang.queue,
            "decision": gang.decision,
            "gpus": gang.gpus,
            "code": reason.code,
            "message": reason.message,
            "data": json.dumps(dict(reason.data), sort_keys=True, ensure_ascii=False, default=str),
            "milli_gpus": milli_gpus(gang),
        }
        for gang in result.gangs
        for reason in gang.reasons
    ]
    return frame_of(rows, REASON_COLUMNS)


def reason_totals(
    reasons: pd.DataFrame, *, by: tuple[str, ...] = ("code", "queue")
) -> pd.DataFrame:
    """Waiting gangs and their GPUs per reason code and queue, most GPUs first.

    A gang with two reasons counts under both. ``example`` is the message of the first gang.
    """
    waiting = reasons[reasons["decision"] == "wait"].drop_duplicates(["gang", "code"])
    totals = waiting.groupby(list(by), sort=True).agg(
        gangs=("gang", "size"),
        gpus=("gpus", "sum"),
        example=("message", "first"),
        milli_gpus=("milli_gpus", "sum"),
    )
    order = ["milli_gpus", "gangs"]
    ordered = totals.reset_index().sort_values(order, ascending=False, kind="stable")
    return ordered.reset_index(drop=True)


def findings_frame(result: PlanResult) -> pd.DataFrame:
    """Findings about the input of a plan, errors first, otherwise in the order of the document."""
    return finding_rows(result.snapshot.findings)


def finding_rows(findings: Iterable[FindingEntry]) -> pd.DataFrame:
    """Findings as a frame, errors first, otherwise in the order given."""
    rows = [finding.model_dump(by_alias=False) for finding in findings]
    ordered = sorted(rows, key=lambda row: SEVERITIES.index(row["severity"]))
    return frame_of(ordered, FINDING_COLUMNS)
