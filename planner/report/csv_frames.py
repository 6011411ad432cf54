"""Which frames the CSV sets hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from models.drill import (
    CauseTotal,
    Change,
    CurvePoint,
    DrillPlace,
    DrillResult,
    Holder,
    Leaver,
    LeavingGang,
    NeedEntry,
)
from models.plan import Part, Tier
from planner.report.compare_document import FigureChange, GangChange, PlanDifference, QueueChange
from planner.report.frames import pods_frame
from planner.report.frames.fixes import fixes_frame
from planner.report.frames.reasons import finding_rows
from planner.report.inspect_document import (
    InspectResult,
    NodeClassEntry,
    QueueStanding,
    WaitingGang,
)
from planner.report.plan_view import PlanView


def plan_frames(view: PlanView) -> Mapping[str, pd.DataFrame]:
    """File stem to frame; every gang, pod, queue, loan, node, reason, fix, tier and finding of the document."""
    return {
        "gangs": view.gangs,
        "pods": pods_frame(view.result),
        "queues": view.queues,
        "loans": view.loans,
        "nodes": view.nodes,
        "reasons": view.reasons,
        "fixes": fixes_frame(view.result),
        "tiers": view.tiers,
        "findings": view.findings,
    }


def drill_frames(result: DrillResult) -> Mapping[str, pd.DataFrame]:
    """Needs, places, gangs and pods that leave, curve, causes, changes, tiers and findings of a drill."""
    return {
        "needs": flat_frame(result.needs, NeedEntry),
        "places": flat_frame(result.places, DrillPlace),
        "gangs": flat_frame(result.gangs, LeavingGang),
        "leaving": flat_frame(result.leaving, Leaver),
        "curve": flat_frame(result.curve, CurvePoint),
        "causes": flat_frame(result.causes, CauseTotal),
        "holders": flat_frame(result.holders, Holder),
        "changes": flat_frame(result.changes, Change),
        "tiers": flat_frame(result.certificate.tiers, Tier),
        "findings": finding_rows(result.snapshot.findings),
    }


def difference_frames(difference: PlanDifference) -> Mapping[str, pd.DataFrame]:
    """Figures, gangs and queues that differ."""
    figures = flat_frame(difference.figures, FigureChange)
    figures["change"] = figures["after"].astype("Int64") - figures["before"].astype("Int64")
    return {
        "figures": figures,
        "gangs": flat_frame(difference.gangs, GangChange),
        "queues": flat_frame(difference.queues, QueueChange),
    }


def inspect_frames(result: InspectResult) -> Mapping[str, pd.DataFrame]:
    """Node classes, queues, waiting gangs and findings of a snapshot."""
    return {
        "node_classes": flat_frame(result.node_classes, NodeClassEntry),
        "queues": flat_frame(result.queues, QueueStanding),
        "waiting": flat_frame(result.waiting, WaitingGang),
        "findings": finding_rows(result.findings),
    }


def flat_frame(entries: Iterable[Part], kind: type[Part]) -> pd.DataFrame:
    """A frame of entries: resource maps become one column per resource, lists are joined by commas."""
    rows = [_flat(entry) for entry in entries]
    names = list(dict.fromkeys([*(name for row in rows for name in row), *_plain_fields(kind)]))
    return pd.DataFrame(
        {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
    )


def _plain_fields(kind: type[Part]) -> list[str]:
    maps = ("Resources", "Mapping")
    fields = kind.model_fields.items()
    return [
        name for name, field in fields if not any(word in str(field.annotation) for word in maps)
    ]


def _flat(entry: Part) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in entry.model_dump(by_alias=False).items():
        if isinstance(value, Mapping):
            row.update({f"{name}_{_unit(key)}": amount for key, amount in value.items()})
        elif isinstance(value, (list, tuple)):
            row[name] = ", ".join(str(one) for one in value)
        else:
            row[name] = value
    return row


def _unit(resource: str) -> str:
    return {"cpu": "cpu_milli", "memory": "memory_bytes"}.get(resource, resource)
