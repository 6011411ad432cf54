"""A drill on a page: the curve, who leaves, what holds the rest, what would help, where the room is, the proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from models.drill import DrillResult
from planner.report.csv_frames import drill_frames
from planner.report.drill_charts import reclaim_curve
from ui.messages import Words
from ui.parts.drawing import show_chart
from ui.parts.tables import show_table

if TYPE_CHECKING:
    import pandas as pd

GANGS = (
    "gang",
    "queue",
    "decision",
    "pods",
    "pods_left",
    "gpus",
    "last_second",
    "lost_gpu_hours",
    "nodes",
)
PODS = ("order", "second", "grace_s", "pod", "node", "gpus", "lost_gpu_hours")
CHANGES = ("message", "gain", "gpus_in_time", "in_time", "code")
HOLDERS = ("code", "object", "gpus", "pods", "second", "message", "nodes")
PLACES = ("service", "node", "second", "pods", "gpus")
TIERS = ("name", "sense", "value", "bound", "gap_percent", "unit")
CAUSES = ("code", "gpus", "pods", "objects", "first_second", "last_second")


def show_drill(say: Words, result: DrillResult) -> None:
    """Draw everything."""
    frames = drill_frames(result)
    st.subheader(say("GPUs back against seconds"), anchor=False)
    show_chart(reclaim_curve(result, say), "drill-curve")
    leave, holds, helps, room, proof = st.tabs(
        [
            say("Who leaves"),
            say("What holds the rest"),
            say("What would help"),
            say("Where the room is"),
            say("Proof"),
        ]
    )
    with leave:
        _leave(say, result, frames["gangs"], frames["leaving"])
    with holds:
        _table(
            say, "drill-causes", frames["causes"], CAUSES, say("GPUs that are not back, by cause")
        )
        _table(say, "drill-holders", frames["holders"], HOLDERS, say("What holds GPUs, one by one"))
    with helps:
        _helps(say, result, frames["changes"])
    with room:
        _table(
            say, "drill-places", frames["places"], PLACES, say("Nodes with room, and from when on")
        )
    with proof:
        _table(say, "drill-tiers", frames["tiers"], TIERS, say("Tiers with value, bound and gap"))


def _leave(say: Words, result: DrillResult, gangs: pd.DataFrame, pods: pd.DataFrame) -> None:
    if not result.gangs:
        in_time = result.summary.in_time
        nobody = say("Nobody has to leave."), say("Nobody leaves: it would help nothing.")
        st.info(nobody[0] if in_time else nobody[1])
        return
    _table(say, "drill-gangs", gangs, GANGS, say("Gangs that lose pods"))
    st.markdown(f"**{say('Pods in the order of leaving')}**")
    pods = pods.rename(columns={"grace_seconds": "grace_s"})
    _table(say, "drill-pods", pods, PODS, say("Pods in the order of leaving"))


def _helps(say: Words, result: DrillResult, changes: pd.DataFrame) -> None:
    if result.summary.in_time:
        st.info(say("Everything is back in time; nothing has to change."))
        return
    st.caption(
        say(
            "Each change was drilled again on the edited cluster and verified. Tried: {tried}; not tried: {left}.",
            tried=result.changes_tried,
            left=result.changes_left_out,
        )
    )
    empty = say("None of the changes that were tried brings more back in time.")
    alt = say("Changes that bring more back in time")
    show_table(
        say, "drill-changes", changes.infer_objects(), CHANGES, alt=alt, empty=empty, wrap=True
    )


def _table(say: Words, key: str, frame: pd.DataFrame, columns: Sequence[str], alt: str) -> None:
    show_table(say, key, frame.infer_objects(), columns, alt=alt, empty=say("Nothing."))
