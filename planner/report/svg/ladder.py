"""GPUs allocated now, with the baseline and with the plan, against what is allocatable."""

from __future__ import annotations

from models.plan import PlanResult
from planner.report.svg.canvas import Canvas
from planner.report.text import percent

_WIDTH, _LEFT, _RIGHT, _ROW = 1080, 110, 860, 30


def ladder(result: PlanResult) -> str:
    """Two or three bars of the same scale; the frame is all allocatable GPUs."""
    summary = result.summary
    rows = [("now", summary.gpus_before, "s-used")]
    if result.baseline is not None:
        rows.append(("baseline", result.baseline.gpus_after, "s-baseline"))
    rows.append(("plan", summary.gpus_after, "s-planned"))
    most = max(1, summary.gpus_allocatable, *(gpus for _, gpus, _ in rows))
    canvas = Canvas(_WIDTH)
    words = []
    for place, (name, gpus, css) in enumerate(rows):
        y = _ROW * place
        share = f"{gpus:,} GPUs ({percent(gpus, summary.gpus_allocatable)})"
        canvas.open_group(f"{name}: {share}")
        canvas.text(_LEFT - 10, y + 20, name, "label", "end")
        canvas.rect(_LEFT, y + 5, (_RIGHT - _LEFT) * summary.gpus_allocatable / most, 20, "frame")
        canvas.rect(_LEFT, y + 5, (_RIGHT - _LEFT) * gpus / most, 20, css)
        canvas.text(_RIGHT + 12, y + 20, share, "label")
        canvas.close_group()
        words.append(f"{name} {share}")
    return canvas.markup(
        "GPUs allocated", f"{'; '.join(words)}; {summary.gpus_allocatable:,} GPUs are allocatable"
    )
