"""What is scheduled: demand, horizon, buckets, deadline, and the button."""

from __future__ import annotations

import streamlit as st

from ui.launch import launch
from ui.messages import Words
from ui.night import demand_sources, take_demand
from ui.night_state import NightSettings
from ui.parts.banners import show_fault
from ui.parts.night_choices import BUCKETS_MIN, HORIZONS_H
from ui.parts.page import Page
from ui.parts.widgets import keep, no_file
from ui.state import PlannerState

SOURCES = {
    "upload": "uploaded demand",
    "sample": "demand of the sample",
    "files": "demand files of this server",
    "policy": "profile of the policy, else the pods of now",
}
TYPES = ("csv", "gz", "parquet", "pq")


def night_settings(page: Page) -> None:
    """Draw the box; what is chosen goes into the state."""
    state, say = page.state, page.say
    with st.container(border=True):
        state.night.settings = _choices(page)
        left, right = st.columns([2, 1], vertical_alignment="top")
        with left:
            _upload(state, say)
        if not state.night.schedule.going_on:
            right.button(
                say("Schedule"),
                type="primary",
                icon=":material/bedtime:",
                on_click=state.night.schedule.ask,
                key="night-run",
                width="stretch",
            )


def _choices(page: Page) -> NightSettings:
    state, say = page.state, page.say
    now, known = state.night.settings, demand_sources(state)
    columns = st.columns([8, 4, 6, 5])
    keep("night-demand", now.demand if now.demand in known else known[0], known)
    source = columns[0].selectbox(
        say("Demand of online services"),
        known,
        format_func=lambda one: say(SOURCES[one]),
        key="night-demand",
    )
    keep("night-horizon", now.horizon_h, HORIZONS_H)
    horizon = columns[1].selectbox(
        say("Horizon"),
        HORIZONS_H,
        format_func=lambda hours: say("{count} hours", count=hours),
        key="night-horizon",
    )
    keep("night-bucket", now.bucket_min, BUCKETS_MIN)
    bucket = columns[2].selectbox(
        say("Steps"),
        BUCKETS_MIN,
        format_func=lambda one: (
            say("{count} min", count=one) if one else say("fine near, coarse far")
        ),
        key="night-bucket",
    )
    usual = page.base.given.policy.policy.lending.deadline_seconds
    key = f"night-deadline-{usual}"
    keep(key, usual if now.deadline_s is None else now.deadline_s)
    deadline = int(
        columns[3].number_input(
            say("Returns within (s)"),
            1,
            3600,
            key=key,
            help=say(
                "Seconds within which lent GPUs must be back when demand exceeds the forecast; pods with longer "
                "grace periods may have fewer of them."
            ),
        )
    )
    return NightSettings(
        int(horizon), int(bucket), None if deadline == usual else deadline, str(source)
    )


def _upload(state: PlannerState, say: Words) -> None:
    limit, night = launch().max_upload_mb, state.night
    with (
        st.expander(say("Upload demand"), icon=":material/upload:"),
        st.form(f"demand-form-{night.upload_round}", border=False),
    ):
        st.caption(
            say(
                "CSV or Parquet with columns time, service, gpus, or time and one column per service."
            )
        )
        files = st.file_uploader(
            say("Demand files; up to {limit} MB together", limit=limit),
            type=TYPES,
            accept_multiple_files=True,
            key=f"demand-upload-{night.upload_round}",
            max_upload_size=limit,
        )
        if st.form_submit_button(say("Read the demand")):
            if not files:
                st.warning(no_file(say, limit))
            elif take_demand(state, [(one.name, one.getvalue()) for one in files]):
                st.session_state.pop("night-demand", None)
                night.settings = NightSettings(
                    night.settings.horizon_h, night.settings.bucket_min, night.settings.deadline_s
                )
                st.rerun()
        if night.upload_fault is not None:
            show_fault(say, night.upload_fault)
        elif night.uploaded is not None:
            st.caption(say("Read: {name}", name=night.uploaded.name))
