"""The first sentence of a schedule."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from planner.schedule.sentence import schedule_sentence


def test_loans_are_not_told_as_a_part_of_the_work_that_starts() -> None:
    gang: Any = SimpleNamespace(status="starts", runs=[SimpleNamespace(start_bucket=3)])
    loan = SimpleNamespace(
        gpus=34, gpu_seconds=110 * 3600, end_bucket=9, returned_by="2026-09-16T02:00:00Z"
    )
    schedule: Any = SimpleNamespace(
        gangs=[gang], edges=(0, 86_400), work_gpu_seconds=73 * 3600, loans=[loan], missed_returns=()
    )
    result: Any = SimpleNamespace(summary=SimpleNamespace(left_out=()))
    assert schedule_sentence(result, schedule) == (
        "1 gang of 1 that wait starts within 24 hours, 0 of them now, and does 73 GPU-hours of work; online services "
        "lend up to 34 GPUs for 110 GPU-hours, running work included, all back by 2026-09-16T02:00:00Z."
    )
