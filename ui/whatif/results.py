"""The comparison: scenarios side by side, what starts and waits, queues, findings, gaps, and what to take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from planner.report.downloads import csv_archive, report_bytes
from planner.report.frames.scenarios import (
    figures_beside,
    queue_gpus_frame,
    scenario_gpus,
    scenarios_frame,
)
from planner.report.proof_words import tier_words
from planner.report.scenario_charts import queue_slopes, scenario_bars
from planner.report.tables import Report
from planner.report.whatif.document import WhatIf
from planner.report.whatif.frames import what_if_frames
from planner.report.whatif.report import what_if_report
from planner.report.whatif.selection import select_what_if
from ui.messages import Words
from ui.parts.drawing import show_chart
from ui.parts.page import Page
from ui.parts.tables import show_table
from ui.parts.text import plain
from ui.session import cached
from ui.whatif.over_time import over_time_tab
from ui.whatif.state import Answered

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "scenario",
    "judgement",
    "gpus_in_use",
    "gpus_change",
    "gangs_started",
    "gangs_change",
    "gangs_waiting",
    "gangs_evicted",
    "seconds",
)
JUDGEMENTS = ("better", "worse", "same", "undecided", "no plan")
FATES = (
    "starts",
    "delayed",
    "evicted",
    "spared",
    "stopped",
    "starts anew",
    "new, starts",
    "new, waits",
    "removed",
)


def results(page: Page, found: Answered) -> None:
    """All tables and charts of an answer."""
    say = page.say
    filters = page.state.filters
    document = select_what_if(
        found.answer.document, namespaces=filters.namespaces, queues=filters.queues
    )
    frames = cached(page.state, "what-if", (id(found), filters), lambda: what_if_frames(document))
    _verdicts(document, say)  # first: the browser shows it while tables and charts are made
    show_table(
        say,
        "scenarios",
        _said(page, scenarios_frame(document), "judgement"),
        COLUMNS,
        alt=say("Base and scenarios with their key figures"),
        empty=say("Nothing was compared."),
        quiet=("gangs_evicted",),
    )
    st.caption(
        say(
            "≈ means undecided: the open gaps of the two plans may still turn the difference round."
        )
    )
    show_chart(scenario_bars(scenario_gpus(document), say), "scenario-bars")
    _tabs(page, document, frames)
    _downloads(page, document)


def _verdicts(document: WhatIf, say: Words) -> None:
    """Why each scenario is better or worse, what its edits imply, and why one has no plan."""
    for one in document.scenarios:
        if one.error:
            st.error(
                say("{name} has no plan: {error}", name=plain(one.name), error=plain(one.error)),
                icon=":material/error:",
            )
            continue
        told = one.verdict.message if one.verdict is not None else ""
        notes = "".join(f" {plain(note)}." for note in one.notes)
        st.markdown(f"- **{plain(one.name)}**: {plain(told)}.{notes}")


def _tabs(page: Page, document: WhatIf, frames: Mapping[str, pd.DataFrame]) -> None:
    say = page.say
    timed = any(one.schedule is not None for one in document.scenarios)
    titles = [say("Gangs"), say("Queues"), say("Key figures"), say("Findings")]
    titles += [say("Tiers and gaps"), *([say("Over time")] if timed else [])]
    gangs, queues, figures, findings, gaps, *over_time = st.tabs(titles)
    for tab in over_time:
        with tab:
            over_time_tab(page, document)
    with gangs:
        show_table(
            say,
            "what-if-gangs",
            _said(page, _full_names(frames["gangs"]), "fate"),
            ("scenario", "gang", "queue", "gpus", "fate", "nodes", "reasons"),
            alt=say("Gangs that fare differently, by scenario"),
            empty=say("Every gang fares as in the base."),
        )
    with queues:
        moved = queue_gpus_frame(document)
        if len(moved):
            show_chart(queue_slopes(moved, say), "queue-slopes")
        show_table(
            say,
            "what-if-queues",
            frames["queues"],
            ("scenario", "queue", "gpus_base", "gpus", "waiting_base", "waiting", "fields"),
            alt=say("Queues that change, by scenario"),
            empty=say("Every queue is as in the base."),
        )
    with figures:
        beside = figures_beside(document)
        show_table(
            say,
            "what-if-figures",
            beside,
            tuple(beside.columns),
            alt=say("Key figures of base and scenarios side by side"),
            empty=say("No scenario has a plan."),
        )
    with findings:
        show_table(
            say,
            "what-if-findings",
            frames["findings"],
            ("scenario", "change", "severity", "object", "message", "remedy"),
            alt=say("Findings that appear or vanish, by scenario"),
            empty=say("No finding appears or vanishes."),
            wrap=True,
        )
    with gaps:
        show_table(
            say,
            "what-if-tiers",
            frames["tiers"].assign(
                tier_means=[tier_words(str(name), say) for name in frames["tiers"]["name"]]
            ),
            ("scenario", "tier_means", "unit", "base_value", "base_bound", "value", "bound"),
            alt=say("Value and bound of every tier in base and scenarios"),
            empty=say("No scenario has a plan."),
        )


def _full_names(gangs: pd.DataFrame) -> pd.DataFrame:
    return gangs.assign(gang=gangs["namespace"] + "/" + gangs["name"])


def _said(page: Page, frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Words of one column in the reader's language."""
    return frame.assign(**{column: [page.say(str(v)) if v else "" for v in frame[column]]})


def _downloads(page: Page, document: WhatIf) -> None:
    report = what_if_report(document)
    report_files(page, report, "whatif", page.say("Take the comparison away"))


def report_files(page: Page, report: Report, stem: str, label: str) -> None:
    """HTML, JSON and CSV files of a report."""
    say = page.say
    files: list[tuple[str, str, str, Callable[[], bytes]]] = [
        (say("HTML report"), "html", "text/html", lambda: report_bytes(report, "html")),
        (say("JSON document"), "json", "application/json", lambda: report_bytes(report, "json")),
        (say("All tables (CSV)"), "zip", "application/zip", lambda: csv_archive(report.frames())),
    ]
    st.markdown(f"**{label}**")
    with st.container(horizontal=True):
        for text, ending, mime, make in files:
            st.download_button(
                text,
                make,
                file_name=f"gangplan-{stem}.{ending}",
                mime=mime,
                key=f"{stem}-{ending}",
                on_click="ignore",
                icon=":material/download:",
            )
