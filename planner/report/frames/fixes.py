"""What would start waiting gangs: one row per class and change."""

from __future__ import annotations

import json

import pandas as pd

from models.plan import PlanResult
from planner.report.frames.build import frame_of

COLUMNS = {
    "queue": "object",
    "priority": "Int64",
    "gangs": "Int64",
    "example": "object",
    "gpus": "Int64",
    "minimal_sets": "object",
    "kind": "object",
    "change": "object",
    "basis": "object",
    "edits": "object",
}


def fixes_frame(result: PlanResult) -> pd.DataFrame:
    """Classes of waiting gangs with their changes; a class without any has one row. ``gpus`` are those of one gang."""
    rows = []
    for one in result.waiting:
        common = {
            "queue": one.queue,
            "priority": one.priority,
            "gangs": len(one.gangs),
            "example": one.gangs[0],
            "gpus": one.gpus,
            "minimal_sets": "; ".join(" + ".join(codes) for codes in one.minimal_sets),
        }
        if not one.fixes:
            rows.append(common)
        for fix in one.fixes:
            edits = json.dumps([dict(edit) for edit in fix.edits], ensure_ascii=False)
            told = {"kind": fix.kind, "change": fix.text, "basis": fix.basis, "edits": edits}
            rows.append({**common, **told})
    return frame_of(rows, COLUMNS)
