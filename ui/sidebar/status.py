"""The status chip: one word for how far the shown plan can be trusted."""

from __future__ import annotations

import streamlit as st

from ui.messages import Words
from ui.parts.page import proof_text
from ui.session import freshness, going_on
from ui.state import PlannerState


def status_chip(state: PlannerState, say: Words) -> None:
    """Running, stale, failed, or verified with its gap; colour never stands alone."""
    if going_on(state):
        st.badge(say("planning"), icon=":material/hourglass_top:", color="blue")
    elif state.plan is not None and freshness(state) != "fresh":
        st.badge(say("stale: inputs changed"), icon=":material/history:", color="orange")
    elif state.failure is not None:
        st.badge(say("no plan"), icon=":material/error:", color="red")
    elif state.plan is not None:
        text = say("verified, {proof}", proof=proof_text(say, state.plan.result))
        st.badge(text, icon=":material/verified:", color="green")
    elif state.opened is not None:
        st.badge(say("not planned yet"), icon=":material/radio_button_unchecked:", color="gray")
