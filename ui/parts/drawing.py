"""One way to show a chart."""

from __future__ import annotations

from typing import Any

import streamlit as st

from planner.report.charts import inked


def show_chart(chart: Any, key: str) -> None:
    """Draw a chart as wide as its place, with labels that read in the visitor's colour scheme."""
    dark = st.context.theme.type == "dark"
    st.altair_chart(inked(chart, dark=dark), key=key)
