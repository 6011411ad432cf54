"""Charts and buttons that read in the visitor's colour scheme."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from planner.report.charts import inked


def is_dark() -> bool:
    """Whether the visitor's page is dark; light until the browser has told."""
    return st.context.theme.type == "dark"


def main_button() -> Literal["primary", "secondary"]:
    """Kind of the button that a page is about: filled buttons have too little contrast on dark pages."""
    return "secondary" if is_dark() else "primary"


def show_chart(chart: Any, key: str) -> None:
    """Draw a chart as wide as its place, with labels that read in the visitor's colour scheme."""
    st.altair_chart(inked(chart, dark=is_dark()), key=key)
