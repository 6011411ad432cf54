"""The side bar: the same on every page."""

from __future__ import annotations

import streamlit as st

from ui.launch import launch
from ui.messages import LANGUAGES, Words
from ui.session import going_on
from ui.sidebar.filters import filter_box
from ui.sidebar.snapshot import snapshot_box
from ui.sidebar.solve import live, live_job, solve_box
from ui.sidebar.status import status_chip
from ui.state import PlannerState
from ui.whatif.asking import begin_asked

RUNS = {"schedule": "Schedule", "drill": "Drill"}


def sidebar(state: PlannerState, say: Words) -> None:
    """Status, snapshot, solve box, filters, language."""
    with st.sidebar:
        status = st.container()
        snapshot_box(state, say)
        if state.opened is not None:
            solve_box(state, say, read_only=launch().read_only)
            filter_box(state, say)
        with status:  # above the boxes, but it depends on what they set
            status_chip(state, say)
            if going_on(state):
                live(state, say, read_only=launch().read_only)
            for name, run in (("schedule", state.night.schedule), ("drill", state.night.drill)):
                if run.job is not None and run.going_on:
                    st.caption(say(RUNS[name]))
                    live_job(run.job, say, key=f"stop-{name}", read_only=launch().read_only)
            begin_asked(state)  # after the boxes: it depends on the settings of the same click
            for key, job, known in state.whatif.jobs():
                live_job(job, say, key=f"stop-{key}", known=known)
        if "language" not in st.session_state:
            st.session_state["language"] = state.language
        st.segmented_control(
            say("Language"),
            list(LANGUAGES),
            format_func=LANGUAGES.__getitem__,
            key="language",
            required=True,
        )
