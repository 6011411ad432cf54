"""Downloads at the foot of every page: report, documents, tables, snapshot, and a link to this view."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from planner.report.downloads import csv_archive, report_bytes
from planner.report.inspect_report import inspect_report
from planner.report.plan_report import plan_report
from planner.report.tables import Report
from planner.service.bundle import snapshot_bytes
from ui.messages import Words
from ui.session import ground, shown_plan
from ui.state import PlannerState


def downloads(state: PlannerState, say: Words) -> None:
    """Draw the row; files are made when somebody asks for them."""
    base, plan = ground(state), shown_plan(state)
    if base is None:
        return
    filters = state.filters
    own = state.export
    snapshot = plan.request.snapshot if plan is not None else base.given.snapshot
    if own is not None and own.snapshot is not None:
        snapshot = own.snapshot

    def report() -> Report:
        if own is not None:
            return own.report()
        if plan is None:
            return inspect_report(
                base.inventory, namespaces=filters.namespaces, queues=filters.queues
            )
        return plan_report(plan.result, namespaces=filters.namespaces, queues=filters.queues)

    name = own.name if own is not None else "plan" if plan is not None else "inventory"
    files: list[tuple[str, str, str, Callable[[], bytes]]] = [
        (
            say("HTML report"),
            f"gangplan-{name}.html",
            "text/html",
            lambda: report_bytes(report(), "html"),
        ),
        (
            say("JSON document"),
            f"gangplan-{name}.json",
            "application/json",
            lambda: report_bytes(report(), "json"),
        ),
        (
            say("All tables (CSV)"),
            f"gangplan-{name}-csv.zip",
            "application/zip",
            lambda: csv_archive(report().frames()),
        ),
    ]
    if own is None or own.own_snapshot:
        name = "gangplan-snapshot.json"
        files.append((say("Snapshot"), name, "application/json", lambda: snapshot_bytes(snapshot)))
    if own is not None:
        files += [(label, file, "application/zip", make) for label, file, make in own.archives]
    st.divider()
    if own is None:
        st.caption(
            say("Files of the plan") if plan is not None else say("Files of the cluster as it is")
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, file, mime, make in files:
            st.download_button(
                label,
                make,
                file_name=file,
                mime=mime,
                key=f"download-{file}",
                on_click="ignore",
                icon=":material/download:",
            )
        if own is not None and own.command:
            with st.popover(say("Command that repeats it"), icon=":material/terminal:"):
                st.code(own.command, language="bash", wrap_lines=True)
        with st.popover(say("Link to this view"), icon=":material/link:"):
            _link(state, say)


def _link(state: PlannerState, say: Words) -> None:
    address = urlsplit(str(st.context.url or ""))
    query = urlencode(
        [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]
    )
    st.code(urlunsplit((*address[:3], query, "")), language=None, wrap_lines=True)
    if not state.source.startswith("sample:"):
        st.caption(
            say("The link restores page, filters and language; the cluster itself is not in it.")
        )
