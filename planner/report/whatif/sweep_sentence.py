"""The first sentence of a sweep."""

from __future__ import annotations

from planner.report.text import counted
from planner.report.whatif.sweep_document import SweepResult, SweepRow


def sweep_sentence(result: SweepResult) -> str:
    """How many points, the best and the worst of them by GPUs allocated."""
    planned = result.planned
    told = [f"{len(result.rows):,} of {counted(result.points, 'point')} planned"]
    failed = len(result.rows) - len(planned)
    if failed:
        told.append(f"{failed:,} without a plan")
    if result.resumed:
        told.append(f"{result.resumed:,} from the journal")
    start = ", ".join(told) + "."
    if not planned:
        return start
    best, worst = max(planned, key=_rank), min(planned, key=_rank)
    base = result.figures.get("gpus_after", 0)
    if _rank(best) == _rank(worst):
        return f"{start} Every point uses {best.gpus_after:,} GPUs and starts as many gangs."
    return (
        f"{start} GPUs allocated: {worst.gpus_after:,} to {best.gpus_after:,} (base {base:,}); "
        f"most at {point_words(best)}: {best.gangs_started:,} gangs start."
    )


def point_words(row: SweepRow) -> str:
    """``queue/eval.weight = 4, add/a100 = 8``."""
    return ", ".join(f"{key} = {value}" for key, value in row.point.items())


def _rank(row: SweepRow) -> tuple[int, int]:
    """GPUs allocated, then gangs; the earlier of equal points comes first."""
    return row.gpus_after or 0, row.gangs_started or 0
