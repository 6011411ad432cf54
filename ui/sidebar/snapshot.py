"""Which cluster: a sample, the files of the server's command line, or an upload."""

from __future__ import annotations

import streamlit as st

from planner.report.sections.footer import short_digest
from planner.usecases.cluster_session import samples
from ui.launch import launch, reads_cluster
from ui.messages import Words
from ui.parts.banners import show_fault
from ui.parts.text import moment, plain
from ui.parts.widgets import no_file
from ui.session import choose_source, readings, take_upload, timezone_of
from ui.state import PlannerState

LOOK_S = 5.0
TYPES = ("json", "yaml", "yml", "gz", "csv")


def snapshot_box(state: PlannerState, say: Words) -> None:
    """Picker, upload, and what is open."""
    st.subheader(say("Snapshot"), anchor=False)
    sources = _sources(state, say)
    if state.next_source:
        st.session_state["source"], state.next_source = state.next_source, ""
    if st.session_state.get("source") not in sources:
        st.session_state["source"] = next(iter(sources))
    chosen = st.selectbox(
        say("Cluster"),
        list(sources),
        format_func=lambda source: sources[source],
        key="source",
        disabled=launch().read_only,
        label_visibility="collapsed",
    )
    with st.spinner(say("Reading the snapshot …")):
        choose_source(state, chosen)
    if state.opened is not None:
        snapshot = state.opened.snapshot
        when = (
            moment(snapshot.as_of, timezone_of(state)) if snapshot.as_of else say("an unknown time")
        )
        digest = short_digest(snapshot.digest)
        st.caption(say("As of {when}, digest {digest}", when=plain(when), digest=digest))
    if state.source == "files":
        if state.reading_fault is not None:
            st.warning(
                say("The cluster could not be read again; what was read before is shown."),
                icon=":material/sync_problem:",
            )
            show_fault(say, state.reading_fault)
        if reads_cluster() and launch().read_every_s is not None:
            _look_whether_due(state)
        st.button(
            say("Read again"),
            icon=":material/refresh:",
            on_click=_read_again,
            args=(state,),
            key="read-again",
        )
    if not launch().read_only:
        _upload(state, say)


def _read_again(state: PlannerState) -> None:
    """Let the next run of the script look at the files again; unchanged ones are not parsed twice."""
    if reads_cluster():
        readings().again()
    else:
        state.source = ""


@st.fragment(run_every=LOOK_S)
def _look_whether_due(state: PlannerState) -> None:
    """Run the whole script when the running cluster has to be read again, for whoever has the page open."""
    if f"reading {readings().number()}" != state.reading:
        st.rerun()


def _sources(state: PlannerState, say: Words) -> dict[str, str]:
    found: dict[str, str] = {}
    if launch().paths:
        found["files"] = say("Running cluster" if reads_cluster() else "Files of this server")
    if state.uploaded is not None:
        found["upload"] = say("Upload: {name}", name=state.uploaded.name)
    if not launch().read_only or not launch().paths:
        for name in samples():
            found[f"sample:{name}"] = say("Sample: {name}", name=name)
    return found


def _upload(state: PlannerState, say: Words) -> None:
    limit = launch().max_upload_mb
    with (
        st.expander(say("Upload an export"), icon=":material/upload:"),
        st.form(f"upload-form-{state.upload_round}", border=False),
    ):
        files = st.file_uploader(
            say("kubectl JSON or YAML, snapshot files; up to {limit} MB together", limit=limit),
            type=TYPES,
            accept_multiple_files=True,
            key=f"upload-{state.upload_round}",
            max_upload_size=limit,
        )
        if st.form_submit_button(say("Open the files")):
            if not files:
                st.warning(no_file(say, limit))
            else:
                with st.spinner(say("Reading the snapshot …")):
                    taken = take_upload(state, [(one.name, one.getvalue()) for one in files])
                if taken:
                    st.rerun()
        if state.upload_fault is not None:
            show_fault(say, state.upload_fault)
