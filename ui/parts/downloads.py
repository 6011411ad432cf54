"""Downloads at the foot of every page: report, documents, tables, snapshot, and a link to this view."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from models.snapshot import Snapshot
from planner.report.downloads import csv_archive, report_bytes
from planner.report.inspect_report import inspect_report
from planner.report.plan_report import plan_report
from planner.usecases.bundle import snapshot_bytes
from planner.usecases.jobs.night_jobs import manifests_bytes
from ui.commands import command_of_plan
from ui.export import Export
from ui.messages import Words
from ui.session import ground, shown_plan
from ui.state import Finished, Ground, PlannerState


def downloads(state: PlannerState, say: Words) -> None:
    """Draw the row; files are made when somebody asks for them."""
    base, plan = ground(state), shown_plan(state)
    if base is None:
        return
    st.divider()
    if state.export is None:
        st.caption(
            say("Files of the plan") if plan is not None else say("Files of the cluster as it is")
        )
    own = state.export
    if own is None:
        own = _of_cluster(state, base) if plan is None else _of_plan(state, say, plan)
    _row(state, say, own, own.snapshot or _snapshot(base, plan))


def _snapshot(base: Ground, plan: Finished | None) -> Snapshot:
    return plan.request.snapshot if plan is not None else base.given.snapshot


def _of_plan(state: PlannerState, say: Words, plan: Finished) -> Export:
    """What the pages of the plan hand out."""
    filters, asked, result = state.filters, plan.request, plan.result
    return Export(
        "plan",
        lambda: plan_report(result, namespaces=filters.namespaces, queues=filters.queues),
        command=command_of_plan(state, asked),
        archives=(
            (
                say("Manifests"),
                "gangplan-manifests.zip",
                lambda: manifests_bytes(asked, result),
            ),
        ),
    )


def _of_cluster(state: PlannerState, base: Ground) -> Export:
    filters = state.filters
    return Export(
        "inventory",
        lambda: inspect_report(
            base.inventory, namespaces=filters.namespaces, queues=filters.queues
        ),
    )


def _row(state: PlannerState, say: Words, own: Export, snapshot: Snapshot) -> None:
    files: list[tuple[str, str, str, Callable[[], bytes]]] = [
        (
            say("HTML report"),
            f"gangplan-{own.name}.html",
            "text/html",
            lambda: report_bytes(own.report(), "html"),
        ),
        (
            say("JSON document"),
            f"gangplan-{own.name}.json",
            "application/json",
            lambda: report_bytes(own.report(), "json"),
        ),
        (
            say("All tables (CSV)"),
            f"gangplan-{own.name}-csv.zip",
            "application/zip",
            lambda: csv_archive(own.report().frames()),
        ),
    ]
    if own.own_snapshot:
        name = "gangplan-snapshot.json"
        files.append((say("Snapshot"), name, "application/json", lambda: snapshot_bytes(snapshot)))
    files += [(label, file, "application/zip", make) for label, file, make in own.archives]
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
        if own.command:
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
