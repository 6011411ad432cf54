"""Charts and buttons that read in the visitor's colour scheme."""

from __future__ import annotations

from typing import Any

import streamlit as st

from planner.report.charts import inked

BUTTONS = """
[data-testid="stBaseButton-primary"]:not(:disabled) { color: light-dark(#ffffff, #0e1117); }
"""
"""Words on filled buttons: white ones have too little contrast on the light blue that dark pages need for links."""


def is_dark() -> bool:
    """Whether the visitor's page is dark; light until the browser has told."""
    return st.context.theme.type == "dark"


def style() -> None:
    """What the theme cannot say, told to the browser, which follows a switch of the colour scheme at once."""
    st.html(f"<style>{BUTTONS}</style>")


def show_chart(chart: Any, key: str) -> None:
    """Draw a chart as wide as its place, with labels that read in the visitor's colour scheme."""
    st.altair_chart(inked(chart, dark=is_dark()), key=key)
