"""Altair charts of scenarios, sweeps and marginal values, for pages; see :mod:`planner.report.charts`."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from planner.report.charts import Layers, Say

_USED, _OPEN, _FRAME, _GAIN = "#0072B2", "#E69F00", "#8C8C8C", "#009E73"
#: Okabe and Ito without yellow, which is too faint on white.
LINES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C8C")
_ROW = 30
_WIDE = alt.Axis(labelLimit=260)
_WHOLE = alt.Axis(format=",d", tickMinStep=1)
"""There is no part of a GPU or gang between two values."""


def scenario_bars(gpus: pd.DataFrame, say: Say = str) -> Layers:
    """GPUs allocated of every plan, what open gaps may still move, and all allocatable ones as a tick.

    ``gpus`` is the frame of :func:`planner.report.frames.scenarios.scenario_gpus`.
    """
    amounts = ["gpus", "open_gpus", "gpus_allocatable"]
    shown = gpus.assign(**{name: gpus[name].fillna(0).astype(int) for name in amounts})
    shown = shown.assign(
        end=shown["gpus"] + shown["open_gpus"],
        words=[
            f"{used:,} / {every:,}"
            for used, every in zip(shown["gpus"], shown["gpus_allocatable"], strict=True)
        ],
    )
    most = max(1, int(shown["gpus_allocatable"].max()), int(shown["end"].max()))
    tooltip = [
        alt.Tooltip("scenario:N", title=say("Scenario")),
        alt.Tooltip("gpus:Q", title=say("GPUs allocated"), format=","),
        alt.Tooltip("open_gpus:Q", title=say("Open gap (GPUs)"), format=","),
        alt.Tooltip("gpus_allocatable:Q", title=say("GPUs allocatable"), format=","),
    ]
    base = alt.Chart(shown).encode(
        y=alt.Y("scenario:N", title=None, sort=None, axis=_WIDE), tooltip=tooltip
    )
    return alt.layer(
        base.mark_bar(size=16, color=_USED).encode(
            x=alt.X("gpus:Q", title=say("GPUs"), scale=alt.Scale(domainMax=most * 1.15, nice=False))
        ),
        base.mark_bar(size=16, color=_OPEN).encode(x="gpus:Q", x2="end:Q"),
        base.mark_tick(size=22, thickness=3, color=_FRAME).encode(x="gpus_allocatable:Q"),
        base.mark_text(align="left", dx=6).encode(x="gpus_allocatable:Q", text="words:N"),
    ).properties(
        height=alt.Step(_ROW),
        width="container",
        description=say("GPUs allocated of base and scenarios, of all allocatable ones"),
    )


def queue_slopes(queues: pd.DataFrame, say: Say = str) -> Layers:
    """GPUs allocated by queue: one dot per plan, joined by a line, so that the eye sees who gains.

    ``queues`` is the frame of :func:`planner.report.frames.scenarios.queue_gpus_frame`.
    """
    shown = queues.assign(gpus=queues["gpus"].fillna(0).astype(int))
    names = list(dict.fromkeys(shown["scenario"]))
    colors = [LINES[place % len(LINES)] for place in range(len(names))]
    shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
    base = alt.Chart(shown).encode(
        y=alt.Y("queue:N", title=None, axis=_WIDE),
        x=alt.X("gpus:Q", title=say("GPUs")),
        tooltip=[
            alt.Tooltip("queue:N", title=say("Queue")),
            alt.Tooltip("scenario:N", title=say("Scenario")),
            alt.Tooltip("gpus:Q", title=say("GPUs allocated"), format=","),
        ],
    )
    scale = alt.Scale(domain=names, range=colors)
    marks = alt.Scale(domain=names, range=[shapes[p % len(shapes)] for p in range(len(names))])
    legend = alt.Legend(title=None, orient="top", labelLimit=260)
    return alt.layer(
        base.mark_line(color=_FRAME, strokeWidth=1).encode(detail="queue:N"),
        base.mark_point(size=110, filled=True, opacity=1).encode(
            color=alt.Color("scenario:N", scale=scale, legend=legend),
            shape=alt.Shape("scenario:N", scale=marks, legend=legend),
        ),
    ).properties(
        height=alt.Step(_ROW),
        width="container",
        description=say("GPUs allocated of queues by plan"),
    )


def sweep_map(
    points: pd.DataFrame, keys: Sequence[str], value: str, title: str, say: Say = str
) -> Layers:
    """A cell per pair of values of the first two keys, the best of the others in it; numbers stand in the cells."""
    across, down = keys[0], keys[1]
    best = (
        points.dropna(subset=[value])
        .groupby([across, down], as_index=False, sort=False)[value]
        .max()
    )
    best = best.set_axis(["across", "down", "value"], axis=1)
    best = best.assign(value=best["value"].astype(int))
    low, high = (int(best["value"].min()), int(best["value"].max())) if len(best) else (0, 0)
    orders = [list(dict.fromkeys(points[key])) for key in (across, down)]
    base = alt.Chart(best).encode(
        x=alt.X("across:N", title=across, sort=orders[0], axis=alt.Axis(labelAngle=0)),
        y=alt.Y("down:N", title=down, sort=orders[1], axis=_WIDE),
        tooltip=[
            alt.Tooltip("across:N", title=across),
            alt.Tooltip("down:N", title=down),
            alt.Tooltip("value:Q", title=title, format=","),
        ],
    )
    colour = alt.Color("value:Q", title=title, scale=alt.Scale(scheme="blues"), legend=None)
    middle = (low + high) / 2
    ink = alt.condition(f"datum.value > {middle}", alt.value("#FFFFFF"), alt.value("#16181F"))
    return alt.layer(
        base.mark_rect().encode(color=colour),
        base.mark_text().encode(text=alt.Text("value:Q", format=","), color=ink),
    ).properties(
        height=alt.Step(_ROW),
        width="container",
        description=f"{say('Heat map of a sweep')}: {title}",
    )


def sweep_curve(
    points: pd.DataFrame, keys: Sequence[str], value: str, title: str, say: Say = str
) -> Layers:
    """A figure over the values of the first key, one line per value of the second."""
    over, lines = keys[0], keys[1] if len(keys) > 1 else ""
    columns = [over, *([lines] if lines else [])]
    best = points.dropna(subset=[value]).groupby(columns, as_index=False, sort=False)[value].max()
    names = ["over", *(["line"] if lines else []), "value"]
    best = best.set_axis(names, axis=1)
    best = best.assign(value=best["value"].astype(int))
    order = list(dict.fromkeys(points[over]))
    base = alt.Chart(best).encode(
        x=alt.X("over:N", title=over, sort=order, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False), axis=_WHOLE),
        tooltip=[
            alt.Tooltip("over:N", title=over),
            alt.Tooltip("value:Q", title=title, format=","),
        ],
    )
    if lines:
        told = list(dict.fromkeys(points[lines]))
        colors = [LINES[place % len(LINES)] for place in range(len(told))]
        base = base.encode(
            color=alt.Color("line:N", title=lines, scale=alt.Scale(domain=told, range=colors))
        )
    line = base.mark_line(point=True) if lines else base.mark_line(point=True, color=_USED)
    return alt.layer(line).properties(
        height=260, width="container", description=f"{say('Curve of a sweep')}: {title}"
    )


def marginal_bars(marginal: pd.DataFrame, say: Say = str) -> Layers:
    """GPUs that start more with one more of each, as planned anew.

    ``marginal`` is the frame of :func:`planner.report.frames.scenarios.marginal_frame`.
    """
    shown = marginal.assign(gpus=marginal["gpus_gained"].fillna(0).astype(int))[["name", "gpus"]]
    shown = shown.assign(words=[f"{gpus:+,}" if gpus else "0" for gpus in shown["gpus"]])
    base = alt.Chart(shown).encode(
        y=alt.Y("name:N", title=None, sort=None, axis=_WIDE),
        x=alt.X("gpus:Q", title=say("GPUs that start more"), axis=_WHOLE),
        tooltip=[
            alt.Tooltip("name:N", title=say("One more")),
            alt.Tooltip("gpus:Q", title=say("GPUs that start more"), format=","),
        ],
    )
    return alt.layer(
        base.mark_bar(size=16, color=_GAIN),
        base.mark_text(align="left", dx=5).encode(text="words:N"),
    ).properties(
        height=alt.Step(_ROW),
        width="container",
        description=say("GPUs that start more with one more of each"),
    )
