"""One run of the script: navigation, side bar, the chosen page, downloads."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page as StreamlitPage

from ui.launch import launch
from ui.links import read_link, write_link
from ui.messages import LANGUAGES, Words
from ui.night import take_over_runs
from ui.parts.downloads import downloads
from ui.parts.drawing import style
from ui.session import join_shared_plan, session, take_over
from ui.sidebar import sidebar
from ui.whatif.asking import take_over_answer
from ui.whatif.confirming import take_over_confirmation

ICON = Path(__file__).with_name("icon.svg")
"""A file of ours: Streamlit would fetch a named symbol for the browser's tab from the internet."""


def run() -> None:
    """Draw everything."""
    st.set_page_config(
        page_title="gangplan",
        page_icon=str(ICON),
        layout="wide",
        initial_sidebar_state="expanded",
    )
    style()
    if launch().fault:
        st.title("gangplan")
        st.error(launch().fault)
        return
    state = session()
    if not state.source and not state.next_source:
        read_link(state)
    chosen = str(st.session_state.get("language", ""))
    state.language = chosen if chosen in LANGUAGES else state.language
    say = Words(state.language)
    page = st.navigation(pages(say))
    take_over(state)
    take_over_runs(state)
    take_over_answer(state)
    take_over_confirmation(state)
    sidebar(state, say)
    if launch().read_only:
        join_shared_plan(state)
    state.export = None
    page.run()
    downloads(state, say)
    write_link(state)


def pages(say: Words) -> dict[str, list[StreamlitPage]]:
    """Pages in sections; each answers one question. Later pages join the section they belong to."""
    return {
        say("The cluster now"): [
            st.Page(
                "views/overview.py",
                title=say("Overview"),
                icon=":material/speed:",
                url_path="overview",
                default=True,
            ),
            st.Page(
                "views/inventory.py",
                title=say("Inventory"),
                icon=":material/dns:",
                url_path="inventory",
            ),
            st.Page(
                "views/queues.py", title=say("Queues"), icon=":material/balance:", url_path="queues"
            ),
            st.Page(
                "views/waiting.py",
                title=say("Waiting"),
                icon=":material/hourglass:",
                url_path="waiting",
            ),
        ],
        say("Planning"): [
            st.Page(
                "views/plan.py", title=say("Plan"), icon=":material/checklist:", url_path="plan"
            ),
            st.Page(
                "views/night.py", title=say("Night"), icon=":material/bedtime:", url_path="night"
            ),
            st.Page(
                "views/drill.py",
                title=say("Drill"),
                icon=":material/notification_important:",
                url_path="drill",
            ),
            st.Page(
                "views/whatif.py",
                title=say("What-if"),
                icon=":material/alt_route:",
                url_path="whatif",
            ),
        ],
        say("Trust"): [
            st.Page(
                "views/history.py",
                title=say("History"),
                icon=":material/calendar_month:",
                url_path="history",
            ),
            st.Page(
                "views/proof.py",
                title=say("Proof and data"),
                icon=":material/verified:",
                url_path="proof",
            ),
        ],
    }
