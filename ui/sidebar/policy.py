"""The policy file of the visitor: which one holds, another one, or none."""

from __future__ import annotations

import streamlit as st

from ui.messages import Words
from ui.own_policy import leave_policy, take_policy
from ui.parts.banners import show_fault
from ui.parts.text import plain
from ui.parts.widgets import no_file
from ui.state import PlannerState


def policy_file(state: PlannerState, say: Words) -> None:
    """Upload one, or leave the one that holds."""
    if state.own_policy is not None:
        st.caption(say("Policy file: {name}", name=plain(state.own_policy.name)))
        st.button(say("Leave this file"), on_click=leave_policy, args=(state,), key="leave-policy")
    with st.form(f"policy-form-{state.policy_round}", border=False):
        file = st.file_uploader(
            say("Policy file (YAML), up to 1 MB"),
            type=("yaml", "yml", "json"),
            max_upload_size=1,
            key=f"policy-{state.policy_round}",
        )
        if st.form_submit_button(say("Use this file")):
            if file is None:
                st.warning(no_file(say, 1))
            else:
                take_policy(state, file.name, file.getvalue())
                st.rerun()
    if state.policy_fault is not None:
        show_fault(say, state.policy_fault)
