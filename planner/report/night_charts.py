"""Charts of a schedule: the Gantt by queue with loan windows, GPUs over time with the bound, demand with its loans."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt
import pandas as pd

from models.moments import local_text
from models.schedule import Schedule
from planner.report.charts import Layers, Say
from planner.report.frames.night import (
    clock_text,
    demand_lines_frame,
    gantt_frame,
    use_frame,
    windows_frame,
)
from planner.report.time_axis import clock_axis

STATES = {"running": "#0072B2", "scheduled": "#E69F00", "leaves early": "#D55E00"}
_LOAN, _BOUND, _DEMAND, _KEPT, _NOW = "#9CCFEA", "#009E73", "#CC79A7", "#8C8C8C", "#D55E00"
_BAR, _HEIGHT = 20, 340
_DASHES = [[1, 0], [6, 3], [2, 2]]


def gantt(schedule: Schedule, pool: str, say: Say = str) -> Layers:
    """One bar per run, one row per gang, grouped by queue; the windows in which the pool may lend lie behind."""
    bars = gantt_frame(schedule, pool)
    windows = windows_frame(schedule, pool)
    x = _axis(schedule, say)
    heading = [f"{say('Queue')} {queue}" for queue in bars["queue"]]
    rows = [row for pair in zip(heading, bars["gang"], strict=True) for row in pair]
    shown = bars.assign(
        state=[say(state) for state in bars["state"]],
        **{name: bars[name].astype("Float64") for name in ("start", "end", "gpus")},
    )
    names = [say(state) for state in STATES]
    base = alt.Chart(shown).encode(
        x=x,
        y=alt.Y(
            "gang:N",
            title=None,
            scale=alt.Scale(domain=list(dict.fromkeys(rows))),
            axis=alt.Axis(labelLimit=230, labelFontWeight=_bold(heading)),
        ),
        tooltip=[
            alt.Tooltip("gang:N", title=say("Gang")),
            alt.Tooltip("queue:N", title=say("Queue")),
            alt.Tooltip("gpus:Q", title=say("GPUs"), format=","),
            alt.Tooltip("when:N", title=say("From, to")),
            alt.Tooltip("state:N", title=say("State")),
        ],
    )
    layers = [
        _windows(windows, x, say),
        base.mark_bar(cornerRadius=2).encode(
            x2="end:Q",
            color=alt.Color(
                "state:N",
                title=None,
                scale=alt.Scale(domain=names, range=list(STATES.values())),
                legend=_legend(),
            ),
        ),
        base.mark_text(align="left", dx=4, fontSize=11).encode(
            text=alt.Text("gpus:Q", format=","),
            color=alt.condition(
                f"datum.state == {json.dumps(say('scheduled'))}",
                alt.value("#000000"),
                alt.value("#FFFFFF"),
            ),
        ),
        _now(schedule, x),
    ]
    return alt.layer(*layers).properties(
        height=alt.Step(_BAR),
        width="container",
        description=say("When every gang of the pool runs, by queue, with the windows of loans"),
    )


def gpus_over_time(schedule: Schedule, say: Say = str) -> Layers:
    """Stacked steps of running and scheduled gangs, the most that batch work may hold, and expected online demand."""
    frame = use_frame(schedule)
    x = _axis(schedule, say)
    zero = frame["running"] * 0
    areas = {
        say("gangs that run now"): (zero, frame["running"], STATES["running"]),
        say("scheduled gangs"): (frame["running"], frame["scheduled"], STATES["scheduled"]),
        say("kept for online services and others"): (frame["bound"], frame["kept"], _KEPT),
    }
    lines = {say("most that batch work may hold"): (frame["bound"], _BOUND)}
    if frame["demand"].notna().any():
        lines[say("expected online demand")] = (frame["demand"], _DEMAND)
    layers = [_areas(frame, x, areas, schedule, say), _lines(frame, x, lines, schedule, say)]
    return _together(
        [*layers, _now(schedule, x)],
        say("GPUs over time: running and scheduled gangs under what batch work may hold"),
    )


def demand_and_loans(schedule: Schedule, pool: str, say: Say = str) -> Layers:
    """What the services of a pool hold, what is lent of the rest, what they are expected to need and may surge to."""
    frame = demand_lines_frame(schedule, pool)
    x = _axis(schedule, say)
    above = frame["owned"] - frame["lent"]
    areas = {
        say("held for the services"): (frame["held"] * 0, frame["held"], STATES["running"]),
        say("lent"): (above, frame["lent"], STATES["scheduled"]),
    }
    lines = {
        say("owned by the services"): (frame["owned"], _BOUND),
        say("expected online demand"): (frame["expected"], _DEMAND),
        say("what a surge may reach"): (frame["surge"], _NOW),
    }
    layers = [_areas(frame, x, areas, schedule, say), _lines(frame, x, lines, schedule, say)]
    return _together(
        [*layers, _now(schedule, x)],
        say("Online demand of the pool over time, and what is lent of the rest"),
    )


def _together(layers: list[alt.Chart], description: str) -> Layers:
    found: Layers = (
        alt.layer(*layers)
        .resolve_scale(color="independent")
        .properties(height=_HEIGHT, width="container", description=description)
    )
    return found


def _areas(
    frame: pd.DataFrame,
    x: alt.X,
    areas: Mapping[str, tuple[pd.Series, pd.Series, str]],
    schedule: Schedule,
    say: Say,
) -> alt.Chart:
    """One rectangle per bucket and kind: where it begins, how many GPUs it has, its colour."""
    shown = pd.DataFrame(
        [
            row
            for kind, (low, gpus, _) in areas.items()
            for row in _blocks(frame, low, gpus, kind, schedule.timezone)
        ]
    )
    scale = alt.Scale(domain=list(areas), range=[color for _, _, color in areas.values()])
    chart: alt.Chart = (
        alt.Chart(shown)
        .mark_rect()
        .encode(
            x=x,
            x2="end:Q",
            y=alt.Y("low:Q", title=say("GPUs")),
            y2="high:Q",
            color=alt.Color("kind:N", title=None, scale=scale, legend=_legend()),
            tooltip=[
                alt.Tooltip("when:N", title=say("From")),
                alt.Tooltip("kind:N", title=say("State")),
                alt.Tooltip("gpus:Q", title=say("GPUs"), format=","),
            ],
        )
    )
    return chart


def _bold(headings: Sequence[str]) -> Any:
    """Rows that name a queue are bold."""
    test = f"indexof({json.dumps(sorted(set(headings)))}, datum.label) >= 0"
    return alt.condition(test, alt.value("bold"), alt.value("normal"))


def _legend(orient: Literal["top", "bottom"] = "bottom") -> alt.Legend:
    return alt.Legend(orient=orient, columns=4, symbolOpacity=1, labelLimit=300)


def _axis(schedule: Schedule, say: Say) -> alt.X:
    title = f"{say('Time')} ({schedule.timezone})"
    return clock_axis(schedule.edges[0], schedule.edges[-1], schedule.timezone, title=title)


def _blocks(
    frame: pd.DataFrame, low: pd.Series, gpus: pd.Series, kind: str, timezone: str
) -> list[dict[str, object]]:
    """Neighbours of equal height as one rectangle, so that no seam shows between them."""
    found: list[dict[str, Any]] = []
    for start, end, bottom, amount in zip(frame["start"], frame["end"], low, gpus, strict=True):
        last = found[-1] if found else None
        if last is not None and (last["end"], last["low"], last["gpus"]) == (start, bottom, amount):
            last["end"] = float(end)
        else:
            found.append(
                {
                    "start": float(start),
                    "end": float(end),
                    "low": float(bottom),
                    "high": float(bottom + amount),
                    "gpus": float(amount),
                    "kind": kind,
                    "when": clock_text(local_text(int(start), timezone)),
                }
            )
    return [one for one in found if one["gpus"]] or found[:1]


def _lines(
    frame: pd.DataFrame,
    x: alt.X,
    lines: Mapping[str, tuple[pd.Series, str]],
    schedule: Schedule,
    say: Say,
) -> alt.Chart:
    """Steps; the last value lasts until the end. Dashes tell lines apart beside their colour."""
    moments = [*frame["start"].astype(int).tolist(), schedule.edges[-1]]
    rows = []
    for name, (column, _) in lines.items():
        values = column.astype(float).tolist()
        rows += [
            {"start": float(when), "gpus": value, "kind": name}
            for when, value in zip(moments, [*values, *values[-1:]], strict=True)
        ]
    colors = alt.Scale(domain=list(lines), range=[color for _, color in lines.values()])
    dashes = alt.Scale(domain=list(lines), range=_DASHES[: len(lines)])
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=x,
            y=alt.Y("gpus:Q", title=say("GPUs")),
            color=alt.Color("kind:N", title=None, scale=colors, legend=_legend("top")),
            strokeDash=alt.StrokeDash("kind:N", scale=dashes, legend=None),
            tooltip=[
                alt.Tooltip("kind:N", title=say("State")),
                alt.Tooltip("gpus:Q", title=say("GPUs"), format=","),
            ],
        )
    )
    return chart


def _windows(windows: pd.DataFrame, x: alt.X, say: Say) -> alt.Chart:
    shown = windows.astype("Float64")
    most = float(shown["gpus"].max()) if len(shown) else 1.0
    chart: alt.Chart = (
        alt.Chart(shown)
        .mark_rect(color=_LOAN)
        .encode(
            x=x,
            x2="end:Q",
            opacity=alt.Opacity(
                "gpus:Q", scale=alt.Scale(domain=[0, most], range=[0.08, 0.5]), legend=None
            ),
            tooltip=[alt.Tooltip("gpus:Q", title=say("May be lent (GPUs)"), format=",")],
        )
    )
    return chart


def _now(schedule: Schedule, x: alt.X) -> alt.Chart:
    frame = pd.DataFrame({"start": [float(schedule.edges[0])]})
    chart: alt.Chart = alt.Chart(frame).mark_rule(color=_NOW, strokeWidth=2).encode(x=x)
    return chart
