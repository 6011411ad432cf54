"""All nights as a table, and their key figures over time."""

from __future__ import annotations

import streamlit as st

from planner.report.frames.nights import nights_frame, trend_frame
from planner.report.trend_charts import trend_lines
from planner.usecases.past_nights import PastNights
from ui.messages import Words
from ui.parts.drawing import show_chart
from ui.parts.labels import LABELS
from ui.parts.tables import show_table

COLUMNS = (
    "night",
    "outcome",
    "proof",
    "gpus_after",
    "gangs_started",
    "gangs_started_later",
    "gangs_waiting",
    "message",
)
"""What one looks for in a list of nights; the file below it and the tab Trend have all figures."""
TRENDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("GPUs", ("gpus_allocatable", "gpus_before", "gpus_after")),
    ("Gangs", ("gangs_started", "gangs_started_later", "gangs_waiting", "long_waits")),
    ("GPU-hours", ("work_gpu_seconds", "lent_gpu_seconds")),
    ("Hours", ("longest_wait_s",)),
)
"""Unit and the figures that share a chart; seconds are drawn as hours."""


def night_list(say: Words, found: PastNights) -> None:
    """Every night, the newest first."""
    frame = nights_frame(found.nights).rename(columns={"longest_wait_s": "longest_wait_seconds"})
    show_table(
        say,
        "nights",
        frame,
        COLUMNS,
        alt=say("All nights of the history with their key figures"),
        empty=say("The history holds no night yet; `gangplan nightly` adds one per run."),
    )


def trends(say: Words, found: PastNights) -> None:
    """One chart per unit."""
    if len(found.nights) < 2:
        st.info(say("A trend takes two nights."))
        return
    trend = found.trend()
    for unit, figures in TRENDS:
        frame = trend_frame(trend, figures)
        if not frame["value"].fillna(0).any():  # nothing told, or nothing but zeros
            continue
        hours = {name for name in figures if name.endswith(("_seconds", "_s"))}
        value = frame["value"].astype("Float64")
        value = value.where(~frame["figure"].isin(hours), value / 3600)
        words = {name: say(LABELS[_shown(name)]) for name in figures}
        shown = frame.assign(value=value, figure=[words[name] for name in frame["figure"]])
        st.markdown(f"**{say(unit)}**")
        show_chart(trend_lines(shown, say(unit), say), f"trend-{unit}")


def _shown(name: str) -> str:
    """The column of a figure in display units."""
    renamed = name.removesuffix("_s") + "_hours" if name.endswith("_s") else name
    return renamed.replace("_seconds", "_hours")
