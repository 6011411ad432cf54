"""Pin or forbid where a gang is placed, and solve again."""

from __future__ import annotations

import streamlit as st

from models.edits.catalogue import edit_from
from planner.report.frames.placements import placements_frame
from planner.usecases.whatif.suggestions import suggestions
from ui.parts.page import Page
from ui.session import cached, freshness
from ui.whatif.confirming import pin_as_scenario
from ui.whatif.fixes import WHATIF


def pin_or_forbid(page: Page, gang: str) -> None:
    """Nodes, and what to do with them."""
    say, given = page.say, page.base.given
    if freshness(page.state) == "snapshot":
        return
    placed = placements_frame(page.view.result, gang=gang)
    here = sorted({str(node) for node in placed["node"] if node})
    names = cached(
        page.state,
        "suggestions",
        given.snapshot.digest,
        lambda: suggestions(given.snapshot, given.policy),
    ).of("nodes")
    with st.container(border=True):
        nodes = st.multiselect(
            say("Pin or forbid a placement: nodes"),
            [*here, *(name for name in names if name not in here)],
            default=here,
            accept_new_options=True,
            key=f"pin-nodes-{gang}",
        )
        with st.container(horizontal=True):
            only = st.button(
                say("Only on these nodes, solve again"),
                icon=":material/keep:",
                disabled=not nodes,
                key="pin",
            )
            away = st.button(
                say("Not on these nodes, solve again"),
                icon=":material/block:",
                disabled=not nodes,
                key="forbid",
            )
        if only or away:
            kind = "pin_gang" if only else "forbid_gang"
            edit = edit_from({kind: {"gangs": gang, "nodes": list(nodes)}})
            pin_as_scenario(page.state, say, (edit,))
            st.switch_page(WHATIF)
