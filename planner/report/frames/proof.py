"""How good the plan is: tiers, stage times, and the policy with its origins."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

import pandas as pd

from models.plan import PlanResult
from models.rules import CATALOGUE
from models.schedule_rules import SENTENCES, ScheduleRule
from planner.report.frames.build import frame_of

TIER_COLUMNS = {
    "tier": "object",
    "sense": "object",
    "unit": "object",
    "value": "Int64",
    "bound": "Int64",
    "gap": "Float64",
    "conditional": "boolean",
    "seconds": "Float64",
    "backend": "object",
}


def tiers_frame(result: PlanResult) -> pd.DataFrame:
    """Tiers of the objective, highest first; bound and gap are missing where nothing is proved."""
    rows = [
        {**tier.model_dump(by_alias=False), "tier": tier.name} for tier in result.certificate.tiers
    ]
    return frame_of(rows, TIER_COLUMNS)


def stages_frame(result: PlanResult) -> pd.DataFrame:
    """Seconds per stage of the run."""
    rows = [
        {"stage": name, "seconds": seconds}
        for name, seconds in result.certificate.stage_seconds().items()
    ]
    return frame_of(rows, {"stage": "object", "seconds": "Float64"})


def rules_frame(result: PlanResult) -> pd.DataFrame:
    """The catalogue of rules with the violations that the independent check found (missing without a check)."""
    check = result.verification
    counts = Counter(one.rule for one in check.violations) if check is not None else Counter()
    rows = [
        {
            "rule": rule.id.value,
            "invariant": rule.invariant,
            "message": rule.sentence,
            "constraint": rule.constraint,
            "violations": counts[rule.id.value] if check is not None else None,
        }
        for rule in CATALOGUE
    ]
    rows += [
        {
            "rule": rule.value,
            "invariant": "schedule",
            "message": sentence,
            "constraint": rule is not ScheduleRule.TIERS and rule is not ScheduleRule.DELAY,
            "violations": counts[rule.value] if check is not None else None,
        }
        for rule, sentence in (SENTENCES.items() if result.schedule is not None else ())
    ]
    columns = {
        "rule": "object",
        "invariant": "object",
        "message": "object",
        "constraint": "boolean",
        "violations": "Int64",
    }
    return frame_of(rows, columns)


def policy_frame(result: PlanResult) -> pd.DataFrame:
    """Every key of the effective policy with its value (as JSON) and where it came from."""
    rows = []
    for key, entry in result.policy.items():
        told = isinstance(entry, Mapping) and "value" in entry
        rows.append(
            {
                "key": key,
                "value": json.dumps(entry["value"] if told else entry, ensure_ascii=False),
                "origin": entry.get("origin", "") if told else "",
            }
        )
    return frame_of(rows, {"key": "object", "value": "object", "origin": "object"})
