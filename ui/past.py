"""The history of the server, and the past plan that a session looks at. No widget is drawn here."""

from __future__ import annotations

from datetime import date

import streamlit as st

from planner.usecases.past_nights import History, PastNights, open_past, past_nights
from ui.launch import launch
from ui.state import PlannerState


@st.cache_resource(show_spinner=False, max_entries=1)
def _open(url: str) -> History:
    return open_past(url)


def past() -> PastNights | None:
    """The nights that the history holds now; None where the server has no history.

    Raises
    ------
    InputError
        The database does not answer.
    """
    url = launch().history
    if not url:
        return None
    return past_nights(_open(url))


def open_past_plan(state: PlannerState, night: date) -> None:
    """Show the plan of a past night on the page Plan; a night without one changes nothing."""
    found = past()
    state.past = found.plan(night) if found is not None else None


def close_past_plan(state: PlannerState) -> None:
    """Go back to the cluster that is open."""
    state.past = None
