"""Chart of a reclaim drill: GPUs back against seconds, with the most that is possible and the deadline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from models.drill import DrillResult
from planner.report.charts import Layers, Say

_DRILL, _MOST, _WANTED, _DEADLINE = "#0072B2", "#009E73", "#8C8C8C", "#D55E00"


def reclaim_curve(result: DrillResult, say: Say = str) -> Layers:
    """Steps of this drill and of the most that is possible; rules for what is asked for and for the deadline."""
    end = max([result.summary.deadline_seconds, *(point.second for point in result.curve)]) * 1.05
    names = {"gpus_planned": say("this drill"), "gpus_most": say("at most, whoever leaves")}
    rows = [
        {"second": float(second), "gpus": float(gpus), "kind": word}
        for field, word in names.items()
        for second, gpus in _steps(result, field, end)
    ]
    wanted, deadline = result.summary.gpus_needed, result.summary.deadline_seconds
    x = alt.X("second:Q", title=say("Seconds after the call"), scale=alt.Scale(domain=[0, end]))
    y = alt.Y("gpus:Q", title=say("GPUs"), scale=alt.Scale(zero=True))
    color = alt.Color(
        "kind:N",
        title=None,
        scale=_scale(names, [_DRILL, _MOST]),
        legend=alt.Legend(
            orient="bottom",
            labelLimit=300,
            symbolType="stroke",
            symbolStrokeWidth=3,
            symbolOpacity=1,
        ),
    )
    curves = [
        alt.Chart(pd.DataFrame([row for row in rows if row["kind"] == names[field]]))
        .mark_line(interpolate="step-after", strokeWidth=width, strokeOpacity=opacity)
        .encode(
            x=x,
            y=y,
            color=color,
            order=alt.Order("second:Q"),
            tooltip=[
                alt.Tooltip("second:Q", title=say("Seconds after the call")),
                alt.Tooltip("gpus:Q", title=say("GPUs"), format=","),
                alt.Tooltip("kind:N", title=say("State")),
            ],
        )
        # the wide curve first: it lies below
        for field, width, opacity in (("gpus_most", 9, 0.4), ("gpus_planned", 2.5, 1))
    ]
    marks = [
        _rule(pd.DataFrame({"second": [float(deadline)]}), _DEADLINE).encode(x=x),
        _rule(pd.DataFrame({"gpus": [float(wanted)]}), _WANTED).encode(y=y),
        _label({"second": float(deadline), "gpus": 0.0}, say("deadline"), dy=-6).encode(x=x, y=y),
        _label({"second": 0.0, "gpus": float(wanted)}, say("asked for"), dy=-6).encode(x=x, y=y),
    ]
    return alt.layer(*curves, *marks).properties(
        height=260,
        width="container",
        description=say("GPUs back against seconds: this drill, and the most that is possible"),
    )


def _scale(names: Mapping[str, str], marks: Sequence[float | str]) -> alt.Scale:
    return alt.Scale(domain=list(names.values()), range=list(marks))


def _steps(result: DrillResult, field: str, end: float) -> list[tuple[float, int]]:
    found = [(float(point.second), int(getattr(point, field))) for point in result.curve]
    if not found or found[0][0] > 0:
        found.insert(0, (0.0, 0))
    return [*found, (end, found[-1][1])]


def _rule(frame: pd.DataFrame, color: str) -> alt.Chart:
    chart: alt.Chart = alt.Chart(frame).mark_rule(color=color, strokeDash=[4, 3], strokeWidth=2)
    return chart


def _label(place: dict[str, float], text: str, *, dy: int) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame([place]))
        .mark_text(align="left", dx=5, dy=dy, text=text, fontSize=11)
        .encode()
    )
    return chart
