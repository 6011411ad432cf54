"""Explanations as tidy tables."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pandas as pd

from models.explanation import Explanations
from planner.report.frames.build import frame_of

GANGS = {
    "namespace": "object",
    "gang": "object",
    "queue": "object",
    "priority": "Int64",
    "min_member_pods": "Int64",
    "gpus": "Int64",
    "decision": "object",
    "sentence": "object",
    "proof": "object",
    "changes": "Int64",
    "changes_tried": "Int64",
}
REASONS = {"gang": "object", "code": "object", "message": "object", "data": "object"}
FIXES = {
    "gang": "object",
    "kind": "object",
    "change": "object",
    "basis": "object",
    "starts": "Int64",
    "loses": "Int64",
    "pods_evicted": "Int64",
    "gpus_after": "Int64",
    "scenario": "object",
}


def explained_frames(document: Explanations) -> Mapping[str, pd.DataFrame]:
    """``explained``, ``reasons`` and ``fixes``; nested values as JSON."""
    gangs = [
        {
            "namespace": one.namespace,
            "gang": one.full_name,
            "queue": one.queue,
            "priority": one.priority,
            "min_member_pods": one.min_member,
            "gpus": one.gpus,
            "decision": one.decision,
            "sentence": one.sentence,
            "proof": one.proof,
            "changes": one.candidates,
            "changes_tried": one.tried,
        }
        for one in document.gangs
    ]
    reasons = [
        {
            "gang": one.full_name,
            "code": reason.code,
            "message": reason.message,
            "data": _json(reason.data),
        }
        for one in document.gangs
        for reason in one.reasons
    ]
    fixes = [
        {
            "gang": one.full_name,
            "kind": fix.kind,
            "change": fix.text,
            "basis": fix.basis,
            "starts": fix.starts_total,
            "loses": fix.loses_total,
            "pods_evicted": fix.pods_evicted,
            "gpus_after": fix.gpus_after,
            "scenario": _json(fix.scenario),
        }
        for one in document.gangs
        for fix in one.fixes
    ]
    return {
        "explained": frame_of(gangs, GANGS),
        "reasons": frame_of(reasons, REASONS),
        "fixes": frame_of(fixes, FIXES),
    }


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(dict(value), sort_keys=True, ensure_ascii=False, default=str)
