"""A link restores the view: sample, filters and language stand in the address, the page in its path.

Uploaded and given clusters are not in a link; names of namespaces and queues that are filtered by are, and the edits
of scenarios with the names that they mention, and who a drill is for. Nothing else of an export is.
"""

from __future__ import annotations

import streamlit as st

from planner.usecases.cluster_session import samples
from ui.launch import launch
from ui.messages import LANGUAGES, Words
from ui.night_links import night_link, read_night
from ui.state import Filters, PlannerState
from ui.whatif.sharing import question_link, read_question, read_scenarios, scenario_texts

MOST_NAMES = 50


def read_link(state: PlannerState) -> None:
    """Take over what the address asks for; what it cannot have is left out."""
    query = st.query_params
    if query.get("lang", "") in LANGUAGES:
        state.language = query["lang"]
    sample = query.get("sample", "")
    known = list(samples())
    if launch().paths and (launch().read_only or sample not in known):
        state.next_source = "files"
    else:
        state.next_source = f"sample:{sample if sample in known else known[0]}"
    state.filters = Filters(
        tuple(query.get_all("ns")[:MOST_NAMES]), tuple(query.get_all("queue")[:MOST_NAMES])
    )
    read_night(state.night, query)
    state.whatif.timed = query.get("plans") == "schedules"
    read_question(state.whatif, query)
    read_scenarios(state, Words(state.language), query.get_all("scenario"))


def write_link(state: PlannerState) -> None:
    """Put the view into the address."""
    wanted: dict[str, str | list[str]] = {}
    if state.source.startswith("sample:"):
        wanted["sample"] = state.source.removeprefix("sample:")
    if state.filters.namespaces:
        wanted["ns"] = list(state.filters.namespaces)
    if state.filters.queues:
        wanted["queue"] = list(state.filters.queues)
    texts = scenario_texts(state.whatif.drafts)
    if texts:
        wanted["scenario"] = texts
    if state.whatif.timed:
        wanted["plans"] = "schedules"
    wanted |= question_link(state.whatif)
    wanted |= night_link(state.night)
    if state.language != "en":
        wanted["lang"] = state.language
    now = {name: st.query_params.get_all(name) for name in st.query_params}
    if now != {
        name: [value] if isinstance(value, str) else value for name, value in wanted.items()
    }:
        st.query_params.from_dict(wanted)
