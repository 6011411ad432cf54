"""Tidy tables of a schedule: gangs, runs, pools and queues bucket by bucket, loans, tiers."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from models.moments import local_text
from models.plan import PlanResult
from models.schedule import Schedule
from planner.report.frames.build import frame_of
from planner.report.frames.lending import lending_frames
from planner.report.frames.proof import tiers_frame
from planner.report.frames.reasons import findings_frame

_TEXT, _WHOLE = "object", "Int64"


def schedule_frames(result: PlanResult, schedule: Schedule) -> Mapping[str, pd.DataFrame]:
    """Every table by file stem."""
    return {
        "schedule_gangs": _gangs(schedule),
        "schedule_runs": _runs(schedule),
        "schedule_pools": _pools(schedule),
        "schedule_queues": _queues(schedule),
        "schedule_loans": _loans(schedule),
        **lending_frames(schedule),
        "tiers": tiers_frame(result),
        "findings": findings_frame(result),
    }


def _gangs(schedule: Schedule) -> pd.DataFrame:
    columns = dict.fromkeys(("namespace", "name", "queue", "status", "tier_class"), _TEXT)
    columns |= dict.fromkeys(("priority", "rank", "gpus"), _WHOLE)
    columns |= dict.fromkeys(("starts_at", "earliest", "latest", "ends_at", "deadline"), _TEXT)
    columns |= dict.fromkeys(("duration_s", "delay_s", "grace_s"), _WHOLE)
    columns |= {"duration_source": _TEXT, "stoppable": "boolean", "leaves_in_time": "boolean"}
    columns |= dict.fromkeys(("work_gpu_seconds", "lost_gpu_seconds"), _WHOLE)
    columns |= {"reasons": _TEXT, "fixes": _TEXT}
    rows = []
    for gang in schedule.gangs:
        row = {name: getattr(gang, name) for name in columns if hasattr(gang, name)}
        row["duration_s"] = gang.duration.seconds if gang.duration else None
        row["duration_source"] = gang.duration.source if gang.duration else ""
        row["reasons"] = "; ".join(f"{one.code}: {one.message}" for one in gang.reasons)
        row["fixes"] = "; ".join(gang.fixes)
        rows.append(row)
    return frame_of(rows, columns)


def _runs(schedule: Schedule) -> pd.DataFrame:
    columns = dict.fromkeys(("namespace", "name", "pool", "starts_at", "ends_at"), _TEXT)
    columns |= dict.fromkeys(("start_bucket", "end_bucket", "pods", "gpus"), _WHOLE)
    rows = [
        {"namespace": gang.namespace, "name": gang.name, **run.model_dump(by_alias=False)}
        for gang in schedule.gangs
        for run in gang.runs
    ]
    return frame_of(rows, columns)


def _pools(schedule: Schedule) -> pd.DataFrame:
    names = ("capacity", "own", "used", "lent", "slow", "online")
    columns = {"pool": _TEXT, "bucket": _WHOLE, "starts_at": _TEXT, "seconds": _WHOLE}
    columns |= dict.fromkeys((f"{name}_gpus" for name in names), _WHOLE)
    rows = []
    for pool in schedule.pools:
        for bucket, length in enumerate(schedule.horizon.lengths):
            row = _moment(schedule, bucket) | {"pool": pool.name, "seconds": length}
            for name in names:
                line = getattr(pool, name)
                row[f"{name}_gpus"] = line[bucket] if line else None
            rows.append(row)
    return frame_of(rows, columns)


def _queues(schedule: Schedule) -> pd.DataFrame:
    columns = {"queue": _TEXT, "bucket": _WHOLE, "starts_at": _TEXT}
    columns |= {"used_gpus": _WHOLE, "limit_gpus": _WHOLE}
    rows = [
        _moment(schedule, bucket)
        | {
            "queue": queue.name,
            "used_gpus": used,
            "limit_gpus": queue.limit[bucket] if queue.limit else None,
        }
        for queue in schedule.queues
        for bucket, used in enumerate(queue.used)
    ]
    return frame_of(rows, columns)


def _loans(schedule: Schedule) -> pd.DataFrame:
    columns = dict.fromkeys(("pool", "starts_at", "returned_by", "leave_by", "gangs"), _TEXT)
    columns |= dict.fromkeys(("gpus", "gpu_seconds", "slack_s", "reclaimable_gpus"), _WHOLE)
    rows = [
        {**loan.model_dump(by_alias=False), "gangs": " ".join(loan.gangs)}
        for loan in schedule.loans
    ]
    return frame_of(rows, columns)


def _moment(schedule: Schedule, bucket: int) -> dict[str, object]:
    return {
        "bucket": bucket,
        "starts_at": local_text(schedule.edges[bucket], schedule.timezone),
    }
