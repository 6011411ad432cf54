"""Scenarios and sweeps as frames of a page; the tidy frames for files are in :mod:`planner.report.whatif.frames`."""

from __future__ import annotations

from typing import Any

import pandas as pd

from planner.report.frames.build import frame_of
from planner.report.whatif.document import FigureDelta, ScenarioOutcome, WhatIf
from planner.report.whatif.sweep_document import SweepResult
from planner.report.whatif.tables import changed

BASE = "base"
SCENARIOS = {
    "scenario": "object",
    "judgement": "object",
    "gpus_in_use": "Int64",
    "gpus_change": "object",
    "gangs_started": "Int64",
    "gangs_change": "object",
    "gangs_waiting": "Int64",
    "gangs_evicted": "Int64",
    "pods_evicted": "Int64",
    "gpus_allocatable": "Int64",
    "verdict": "object",
    "seconds": "Float64",
}
MARGINAL = {
    "name": "object",
    "relaxed_gpus_each": "Float64",
    "gpus_gained": "Int64",
    "gangs_gained": "Int64",
    "meaning_of_gain": "object",
}


def scenarios_frame(document: WhatIf) -> pd.DataFrame:
    """The base, then one row per scenario; changes are text, ``≈`` where open gaps leave them undecided."""
    figures = document.figures
    rows: list[dict[str, Any]] = [
        {
            "scenario": BASE,
            "gpus_in_use": figures.get("gpus_after"),
            "verdict": document.base_status,
            "seconds": document.base_seconds,
            **{key: figures.get(key) for key in SCENARIOS if key in figures},
        }
    ]
    rows += [_scenario(one) for one in document.scenarios]
    return frame_of(rows, SCENARIOS)


def _scenario(outcome: ScenarioOutcome) -> dict[str, Any]:
    if outcome.error:
        return {"scenario": outcome.name, "judgement": "no plan", "verdict": outcome.error}
    values: dict[str, FigureDelta] = {one.key: one for one in outcome.figures}
    return {
        "scenario": outcome.name,
        "judgement": outcome.verdict.judgement if outcome.verdict else "",
        "gpus_in_use": values["gpus_after"].value,
        "gpus_change": changed(values["gpus_after"]),
        "gangs_change": changed(values["gangs_started"]),
        "verdict": outcome.verdict.message if outcome.verdict else "",
        "seconds": outcome.seconds,
        **{key: one.value for key, one in values.items() if key in SCENARIOS},
    }


def figures_beside(document: WhatIf) -> pd.DataFrame:
    """Key figures that are not 0 everywhere: one row each, one column per plan, values with their change as text."""
    planned = [one for one in document.scenarios if not one.error]
    rows = []
    for place, figure in enumerate(planned[0].figures if planned else ()):
        deltas = [one.figures[place] for one in planned]
        if figure.base == 0 and not any(one.change for one in deltas):
            continue
        row = {"figure": figure.label, "unit": figure.unit, BASE: f"{figure.base:,}"}
        for one, delta in zip(planned, deltas, strict=True):
            told = f" ({changed(delta)})" if delta.change else ""
            row[one.name] = f"{delta.value:,}{told}"
        rows.append(row)
    names = ["figure", "unit", BASE, *(one.name for one in planned)]
    return frame_of(rows, dict.fromkeys(names, "object"))


def scenario_gpus(document: WhatIf) -> pd.DataFrame:
    """GPUs allocated by plan, the base first; ``open_gpus`` are what the gaps may still move."""
    figures = document.figures
    rows: list[dict[str, Any]] = [
        {
            "scenario": BASE,
            "gpus": figures.get("gpus_after"),
            "open_gpus": 0,
            "gpus_allocatable": figures.get("gpus_allocatable"),
        }
    ]
    for one in document.scenarios:
        used, every = one.figure("gpus_after"), one.figure("gpus_allocatable")
        if used is not None and every is not None:
            rows.append(
                {
                    "scenario": one.name,
                    "gpus": used.value,
                    "open_gpus": used.slack,
                    "gpus_allocatable": every.value,
                }
            )
    columns = {"gpus": "Int64", "open_gpus": "Int64", "gpus_allocatable": "Int64"}
    return frame_of(rows, {"scenario": "object", **columns})


def queue_gpus_frame(document: WhatIf) -> pd.DataFrame:
    """GPUs allocated by queue and plan, of the queues in which they differ."""
    rows = []
    planned = [one for one in document.scenarios if not one.error]
    for name in sorted({queue.name for one in planned for queue in one.queues}):
        base = document.base_queues.get(name, 0)
        line = [(BASE, base), *((one.name, _gpus_of(one, name, base)) for one in planned)]
        if len({gpus for _, gpus in line}) > 1:
            rows += [{"queue": name, "scenario": plan, "gpus": gpus} for plan, gpus in line]
    return frame_of(rows, {"queue": "object", "scenario": "object", "gpus": "Int64"})


def _gpus_of(outcome: ScenarioOutcome, queue: str, base: int) -> int:
    found = next((one for one in outcome.queues if one.name == queue), None)
    if found is None:
        return base
    return sum(found.used_after.amount(name) for name in outcome.gpu_resources)


def marginal_frame(document: WhatIf) -> pd.DataFrame:
    """What one more of each is worth."""
    rows = [
        {
            "name": one.name,
            "relaxed_gpus_each": one.dual,
            "gpus_gained": one.gpus,
            "gangs_gained": one.gangs,
            "meaning_of_gain": one.sentence,
        }
        for one in document.marginal
    ]
    return frame_of(rows, MARGINAL)


def sweep_points(result: SweepResult) -> pd.DataFrame:
    """One row per point: its keys as text, figures, gap, judgement or error."""
    keys = [axis.key for axis in result.axes]
    figures = {
        "gpus_after": "Int64",
        "gangs_started": "Int64",
        "gangs_waiting": "Int64",
        "gangs_evicted": "Int64",
        "gap_gpus": "Int64",
        "judgement": "object",
        "error": "object",
    }
    rows = [
        {
            **{key: value_text(row.point.get(key)) for key in keys},
            **{name: getattr(row, name) for name in figures},
        }
        for row in result.rows
    ]
    found = frame_of(rows, {**dict.fromkeys(keys, "object"), **figures})
    return found.rename(columns={"gpus_after": "gpus_in_use"})


def value_text(value: Any) -> str:
    """A value of a grid as people read it."""
    return value if isinstance(value, str) else "none" if value is None else str(value)
