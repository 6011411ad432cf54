"""Queues as a table that one can edit; the edits become a scenario, the base stays what it is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from models.edits.edit import EditError
from planner.report.frames.queue_settings import gpu_resources, queue_edits, queue_settings
from ui.messages import Words
from ui.parts.page import Page
from ui.parts.text import plain
from ui.session import cached, freshness
from ui.whatif.confirming import apply_as_scenario
from ui.whatif.fixes import WHATIF

HEADINGS = {
    "queue": "Queue",
    "weight": "Weight",
    "deserved_gpus": "Deserved (GPUs)",
    "guarantee_gpus": "Guarantee (GPUs)",
    "capability_gpus": "Capability (GPUs)",
    "priority": "Priority",
    "reclaimable": "Reclaimable",
}


def queue_editor(page: Page) -> None:
    """The table, the edits that it means so far, and what to do with them."""
    say, state, given = page.say, page.state, page.base.given
    if freshness(state) == "snapshot" and state.keep_old:
        return
    st.subheader(say("Change queues"), anchor=False)
    settings = cached(
        state,
        "queue settings",
        given.snapshot.digest,
        lambda: queue_settings(given.snapshot, given.policy),
    )
    if not len(settings):
        st.info(say("No queue is listed."))
        return
    st.caption(
        say(
            "Edit weights and amounts in place; nothing of the cluster changes, the edits make a scenario."
        )
    )
    key = f"queue-editor-{given.snapshot.digest[:12]}-{state.whatif.editor_round}"
    st.data_editor(
        settings,
        key=key,
        hide_index=True,
        num_rows="fixed",
        placeholder="–",
        disabled=("queue",),
        column_config={name: _column(say, name) for name in settings.columns},
    )
    edited: Any = st.session_state.get(key) or {}
    try:
        resources = gpu_resources(given.snapshot, given.policy)
        edits = queue_edits(settings, resources, edited.get("edited_rows", {}))
    except EditError as error:
        st.error(f"{plain(error)} ({plain(error.remedy)})", icon=":material/error:")
        return
    for edit in edits:
        st.markdown(f"- {plain(edit.text(say))}")
    with st.container(horizontal=True):
        if st.button(
            say("Apply as scenario"),
            icon=":material/alt_route:",
            disabled=not edits,
            key="apply-queues",
        ):
            state.whatif.editor_round += 1
            apply_as_scenario(state, say, say("Queues changed"), edits)
            st.switch_page(WHATIF)
        if edits and st.button(say("Undo the edits"), icon=":material/undo:", key="undo-queues"):
            state.whatif.editor_round += 1
            st.rerun()


def _column(say: Words, name: str) -> Any:
    label = say(HEADINGS[name]) if name in HEADINGS else name
    if name == "queue":
        return st.column_config.TextColumn(label)
    if name == "reclaimable":
        return st.column_config.CheckboxColumn(label)
    least = None if name == "priority" else 1 if name == "weight" else 0
    return st.column_config.NumberColumn(label, min_value=least, step=1, format="localized")
