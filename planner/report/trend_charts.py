"""Charts of the history: key figures night by night."""

from __future__ import annotations

import altair as alt
import pandas as pd

from planner.report.charts import Say

_COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9"]
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3]]


def trend_lines(frame: pd.DataFrame, unit: str, say: Say = str) -> alt.Chart:
    """One line per figure over the nights; a night that does not tell a figure is a gap.

    Parameters
    ----------
    frame
        Columns ``night``, ``figure`` (its name in the reader's language) and ``value``.
    unit
        Title of the axis.
    """
    names = list(dict.fromkeys(frame["figure"]))
    shown = frame.assign(value=frame["value"].astype("Float64"))
    chart: alt.Chart = (
        alt.Chart(shown)
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X(
                "night:O",
                title=None,
                axis=alt.Axis(
                    labelAngle=0, labelOverlap="greedy", labelExpr="slice(datum.label, 5)"
                ),
            ),
            y=alt.Y("value:Q", title=unit),
            color=alt.Color(
                "figure:N",
                title=None,
                scale=alt.Scale(domain=names, range=_COLORS[: len(names)]),
                legend=alt.Legend(
                    orient="bottom",
                    columns=4,
                    labelLimit=300,
                    symbolType="stroke",
                    symbolStrokeWidth=3,
                ),
            ),
            strokeDash=alt.StrokeDash(
                "figure:N",
                scale=alt.Scale(domain=names, range=_DASHES[: len(names)]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("night:N", title=say("Night")),
                alt.Tooltip("figure:N", title=say("Figure")),
                alt.Tooltip("value:Q", title=unit, format=",.1f"),
            ],
        )
        .properties(
            height=280, width="container", description=say("Key figures of the nights over time")
        )
    )
    return chart
