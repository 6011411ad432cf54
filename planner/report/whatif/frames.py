"""Tidy frames of scenarios and sweeps, for CSV and Parquet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from models.plan import Part
from planner.report.csv_frames import flat_frame
from planner.report.whatif.document import (
    FigureDelta,
    GangFate,
    MarginalValue,
    ScenarioOutcome,
    TierPair,
    WhatIf,
)
from planner.report.whatif.sweep_document import SweepResult
from planner.report.whatif.timing import GangTiming


def what_if_frames(document: WhatIf) -> Mapping[str, pd.DataFrame]:
    """Scenarios, figures, gangs, queues, findings, tiers and marginal values; one row per scenario and object."""
    return {
        "scenarios": _scenarios(document.scenarios),
        "figures": _per_scenario(document.scenarios, "figures", FigureDelta),
        "gangs": _per_scenario(document.scenarios, "gangs", GangFate),
        "queues": _queues(document),
        "findings": _findings(document.scenarios),
        "tiers": _per_scenario(document.scenarios, "tiers", TierPair),
        "timing": _timing(document.scenarios),
        "marginal": flat_frame(document.marginal, MarginalValue).drop(
            columns=["edit"], errors="ignore"
        ),
    }


def _scenarios(outcomes: Sequence[ScenarioOutcome]) -> pd.DataFrame:
    rows = [
        {
            "scenario": one.name,
            "edits": "; ".join(one.edits),
            "judgement": one.verdict.judgement if one.verdict else "",
            "verdict": one.verdict.message if one.verdict else "",
            "status": one.status,
            "seconds": one.seconds,
            "error": one.error,
            "notes": "; ".join(one.notes),
        }
        for one in outcomes
    ]
    return pd.DataFrame(rows, columns=[
        "scenario", "edits", "judgement", "verdict", "status", "seconds", "error", "notes",
    ])  # fmt: skip


def _per_scenario(
    outcomes: Sequence[ScenarioOutcome], field: str, kind: type[Part]
) -> pd.DataFrame:
    parts = []
    for one in outcomes:
        frame = flat_frame(getattr(one, field), kind)
        frame.insert(0, "scenario", one.name)
        parts.append(frame)
    if not parts:
        empty = flat_frame((), kind)
        empty.insert(0, "scenario", pd.Series([], dtype=object))
        return empty
    return pd.concat(parts, ignore_index=True)


def _queues(document: WhatIf) -> pd.DataFrame:
    rows = [
        {
            "scenario": one.name,
            "queue": queue.name,
            "fields": ", ".join(queue.fields),
            "gpus_base": _gpus(queue.used_before, document),
            "gpus": _gpus(queue.used_after, document),
            "waiting_base": queue.waiting_before,
            "waiting": queue.waiting_after,
        }
        for one in document.scenarios
        for queue in one.queues
    ]
    columns = ["scenario", "queue", "fields", "gpus_base", "gpus", "waiting_base", "waiting"]
    return pd.DataFrame(rows, columns=columns)


def _gpus(amounts: Mapping[str, int], document: WhatIf) -> int:
    return sum(amounts.get(name, 0) for name in document.gpu_resources)


def _timing(outcomes: Sequence[ScenarioOutcome]) -> pd.DataFrame:
    rows = [
        {"scenario": one.name, **gang.model_dump(by_alias=False)}
        for one in outcomes
        if one.schedule is not None
        for gang in one.schedule.gangs
    ]
    return pd.DataFrame(rows, columns=["scenario", *GangTiming.model_fields])


def _findings(outcomes: Sequence[ScenarioOutcome]) -> pd.DataFrame:
    rows = [
        {"scenario": one.name, "change": word, **finding.model_dump(by_alias=False)}
        for one in outcomes
        for word, findings in (("appears", one.findings_new), ("vanishes", one.findings_gone))
        for finding in findings
    ]
    columns = ["scenario", "change", "code", "severity", "object", "message", "remedy"]
    return pd.DataFrame(rows, columns=columns)


def sweep_frames(result: SweepResult) -> Mapping[str, pd.DataFrame]:
    """One row per point with its keys as columns; a second frame with one row per point and queue."""
    points, queues = [], []
    for row in result.rows:
        keys = {key: _plain(value) for key, value in row.point.items()}
        values = row.model_dump(by_alias=False, exclude={"point", "queues"})
        points.append({"number": values.pop("number"), **keys, **values})
        queues += [
            {"number": row.number, **keys, "queue": name, "gpus_after": gpus}
            for name, gpus in row.queues.items()
        ]
    return {"points": pd.DataFrame(points), "queues": pd.DataFrame(queues)}


def _plain(value: Any) -> Any:
    """Numbers and texts as they are, everything else as text."""
    return value if isinstance(value, (int, float, str)) or value is None else str(value)
