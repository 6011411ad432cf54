"""A report of a part of a page as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from planner.report.downloads import report_bytes
from planner.report.tables import Report
from ui.messages import Words


def report_files(say: Words, name: str, report: Callable[[], Report]) -> None:
    """HTML report and JSON document, made when somebody asks for them."""
    files = (
        (say("HTML report"), "html", "text/html"),
        (say("JSON document"), "json", "application/json"),
    )
    with st.container(horizontal=True):
        for label, ending, mime in files:
            st.download_button(
                label,
                partial(_made, report, ending),
                file_name=f"gangplan-{name}.{ending}",
                mime=mime,
                key=f"files-{name}-{ending}",
                on_click="ignore",
                type="tertiary",
                icon=":material/download:",
            )


def _made(report: Callable[[], Report], ending: str) -> bytes:
    return report_bytes(report(), ending)
