"""What the reader is asked to decide: at most five points, the largest gain in GPUs first after the plan itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.report.frames import reason_totals
from planner.report.hostlist import hostlist
from planner.report.plan_view import PlanView
from planner.report.reason_words import ADVICE, QUEUE_CODES, meaning
from planner.report.rows import records
from planner.report.tables import Place, Section
from planner.report.text import counted, counted_gpus

_MOST = 5
_LONG_LIST = 80


@dataclass(frozen=True, slots=True)
class _Point:
    gain: int
    text: str


def decisions_section(view: PlanView, place: Place, limit: int) -> Section:
    """Start the plan, bring back closed nodes, change what holds most GPUs back, repair the input."""
    others = sorted(
        [*_closed_nodes(view), *_obstacles(view), *_input_errors(view)],
        key=lambda point: -point.gain,
    )
    points = [*_start(view), *others]
    shown = tuple(point.text for point in points[:_MOST])
    lead = "" if shown else _nothing(view)
    notes: tuple[str, ...] = ()
    if len(points) > 1:
        notes = (
            "GPU numbers of single points are those of the gangs concerned, not a promise: a gang may wait for several "
            "reasons.",
        )
    if len(points) > _MOST:
        notes += (f"{counted(len(points) - _MOST, 'smaller point')}: see Waiting and why.",)
    return Section("decisions", "Decisions", lead=lead, points=shown, notes=notes, numbered=True)


def _nothing(view: PlanView) -> str:
    if len(view.waits):
        return "Nothing to decide: what waits does so by the rules (see Waiting and why)."
    return "Nothing to decide: no gang starts or waits, and the input has no error."


def _start(view: PlanView) -> list[_Point]:
    summary = view.result.summary
    started = len(view.starts)
    if not started:
        return []
    change = summary.gpus_after - summary.gpus_before
    text = (
        f"Let {counted(started, 'gang')} start on the nodes named under Starts: {summary.gpus_after:,} instead of "
        f"{summary.gpus_before:,} GPUs allocated ({change:+,} GPUs)."
    )
    return [_Point(change, text)]


def _closed_nodes(view: PlanView) -> list[_Point]:
    closed = view.nodes[view.nodes["gpus_unavailable"] > 0]
    if not len(closed):
        return []
    gpus = int(closed["gpus_unavailable"].sum())
    names = hostlist(closed["node"])
    where = f" ({names})" if len(names) <= _LONG_LIST else ""
    return [
        _Point(
            gpus,
            f"Bring back {counted(len(closed), 'closed node')}{where}: {counted(gpus, 'free GPU')} there "
            "cannot be used.",
        )
    ]


def _obstacles(view: PlanView) -> list[_Point]:
    totals = view.reason_totals
    own = totals["code"].isin(QUEUE_CODES)
    points = [_obstacle(row, f"Queue {row['queue']}") for row in records(totals[own])]
    shared = reason_totals(view.reasons, by=("code",))
    shared = shared[~shared["code"].isin(QUEUE_CODES)]
    points += [_obstacle(row, _queues_of(view, row["code"])) for row in records(shared)]
    return [point for point in points if point is not None]


def _obstacle(row: dict[str, Any], who: str) -> _Point | None:
    code, gangs, milli = row["code"], row["gangs"], int(row["milli_gpus"])
    advice = ADVICE.get(code)
    if advice is None:
        return None
    return _Point(
        milli // 1000,
        f"{who}: {advice}. {counted(gangs, 'gang')} with {counted_gpus(milli)} "
        f"{'waits' if gangs == 1 else 'wait'} because: {meaning(code)} ({code}).",
    )


def _queues_of(view: PlanView, code: str) -> str:
    totals = view.reason_totals
    names = list(totals[totals["code"] == code]["queue"])
    if len(names) == 1:
        return f"Queue {names[0]}"
    return f"{len(names):,} queues, most GPUs in {names[0]}"


def _input_errors(view: PlanView) -> list[_Point]:
    errors = int((view.findings["severity"] == "error").sum())
    if not errors:
        return []
    return [
        _Point(
            0,
            f"Repair {counted(errors, 'error')} in the input (see Findings): what they concern was left out of the "
            "plan.",
        )
    ]
