"""Frames of the history for a screen: nights, what differs between two, what became of recommendations."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from models.history.adoption import Adoption
from models.history.difference import NightDifference
from models.history.night import PastNight
from models.history.record import NightRecord
from models.history.trend import Trend
from planner.report.frames.build import frame_of

_TEXT, _WHOLE = "object", "Int64"
FIGURES = (
    "gpus_allocatable",
    "gpus_before",
    "gpus_after",
    "gangs_started",
    "gangs_started_later",
    "gangs_waiting",
    "pods_evicted",
    "work_gpu_seconds",
    "lent_gpu_seconds",
    "longest_wait_s",
    "long_waits",
    "findings_warnings",
)
"""Key figures of a night that a list shows and a trend draws."""


def nights_frame(nights: Sequence[PastNight]) -> pd.DataFrame:
    """One row per night, the newest first."""
    columns = dict.fromkeys(("night", "outcome", "proof", "as_of"), _TEXT)
    columns |= dict.fromkeys(FIGURES, _WHOLE)
    columns |= {"message": _TEXT}
    rows = []
    for one in reversed(nights):
        figures = one.figures.model_dump(by_alias=False) if one.figures is not None else {}
        rows.append(
            {
                "night": one.night.isoformat(),
                "outcome": one.outcome,
                "proof": one.proof,
                "as_of": one.as_of,
                "message": one.error or one.sentence,
                **{name: figures.get(name) for name in FIGURES},
            }
        )
    return frame_of(rows, columns)


def trend_frame(trend: Trend, figures: Sequence[str]) -> pd.DataFrame:
    """One row per night and figure; ``value`` is missing where a night does not tell it."""
    rows = [
        {"night": night.isoformat(), "figure": name, "value": value}
        for name in figures
        for night, value in trend.series(name)
    ]
    return frame_of(rows, {"night": _TEXT, "figure": _TEXT, "value": _WHOLE})


def difference_figures_frame(found: NightDifference) -> pd.DataFrame:
    """Key figures of two nights and their change."""
    rows = [
        {"name": one.name, "earlier": one.before, "later": one.after, "change": one.change}
        for one in found.figures
    ]
    return frame_of(rows, {"name": _TEXT}, ("earlier", "later", "change"))


def difference_gangs_frame(found: NightDifference) -> pd.DataFrame:
    """Gangs that are not in the same state in both nights, or wait in both."""
    rows = [
        {
            "gang": one.full_name,
            "queue": one.queue,
            "gpus": one.gpus,
            "became": one.became,
            "waited_seconds": one.waited_s,
        }
        for one in found.gangs
    ]
    columns = {"gang": _TEXT, "queue": _TEXT, "became": _TEXT}
    return frame_of(rows, columns, ("gpus", "waited_seconds"))


def difference_queues_frame(found: NightDifference) -> pd.DataFrame:
    """GPUs and waiting gangs of every queue in both nights."""
    names = ("gpus_before", "gpus_after", "deserved_before", "deserved_after")
    more = ("waiting_before", "waiting_after")
    rows = [
        {"queue": one.name, **one.model_dump(by_alias=False, include={*names, *more})}
        for one in found.queues
    ]
    frame = frame_of(rows, {"queue": _TEXT}, (*names, *more))
    return frame.rename(
        columns={
            "gpus_before": "gpus_earlier",
            "gpus_after": "gpus_later",
            "deserved_before": "deserved_earlier",
            "deserved_after": "deserved_later",
            "waiting_before": "waiting_earlier",
            "waiting_after": "waiting_later",
        }
    )


def adoption_frame(found: Adoption) -> pd.DataFrame:
    """Recommendations of a night and what became of them."""
    columns = dict.fromkeys(("gang", "queue", "recommended", "fate"), _TEXT)
    columns |= {"gpus": _WHOLE, "adopted": "boolean"}
    columns |= dict.fromkeys(("planned_start", "actual_start"), _TEXT)
    columns |= dict.fromkeys(("late_seconds", "pods_planned", "pods_as_planned"), _WHOLE)
    columns |= {"message": _TEXT}
    rows = [
        {
            "gang": one.full_name,
            "late_seconds": one.late_s,
            "message": one.note,
            **one.model_dump(
                by_alias=False,
                include={
                    "queue",
                    "recommended",
                    "fate",
                    "gpus",
                    "adopted",
                    "planned_start",
                    "actual_start",
                    "pods_planned",
                    "pods_as_planned",
                },
            ),
        }
        for one in found.gangs
    ]
    return frame_of(rows, columns)


def past_gangs_frame(record: NightRecord) -> pd.DataFrame:
    """What the plan of one night recommended for every gang."""
    columns = dict.fromkeys(("gang", "queue", "decision", "starts_at", "ends_at"), _TEXT)
    columns |= dict.fromkeys(("gpus", "waited_seconds"), _WHOLE)
    columns |= {"reason_codes": _TEXT, "message": _TEXT}
    rows = [
        {
            "gang": one.full_name,
            "queue": one.queue,
            "decision": one.decision,
            "gpus": one.gpus,
            "starts_at": one.starts_at,
            "ends_at": one.ends_at,
            "waited_seconds": one.waited_s,
            "reason_codes": ", ".join(dict.fromkeys(reason.code for reason in one.reasons)),
            "message": "; ".join(reason.message for reason in one.reasons),
        }
        for one in record.gangs
    ]
    return frame_of(rows, columns)


def past_queues_frame(record: NightRecord) -> pd.DataFrame:
    """Queues of one night in GPUs."""
    names = ("gpus_deserved", "gpus_requested", "gpus_before", "gpus_after")
    more = ("gpus_borrowed", "gpus_lent", "gangs_started", "gangs_waiting", "weight")
    rows = [
        {"queue": one.name, **one.model_dump(by_alias=False, include={*names, *more})}
        for one in record.queues
    ]
    return frame_of(rows, {"queue": _TEXT}, (*names, *more))


def past_loans_frame(record: NightRecord) -> pd.DataFrame:
    """Loans of one night; times in UTC."""
    columns = dict.fromkeys(("pool", "starts_at", "returned_by", "leave_by"), _TEXT)
    numbers = ("gpus", "gpu_seconds", "slack_s", "reclaimable_gpus", "worst_return_s")
    rows = [
        {
            **one.model_dump(by_alias=False, include={*columns, *numbers}),
            "gangs": ", ".join(one.gangs),
        }
        for one in record.loans
    ]
    return frame_of(rows, {**columns, "gangs": _TEXT}, numbers)
