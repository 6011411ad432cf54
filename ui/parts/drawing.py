"""Charts and buttons that read in the visitor's colour scheme, and the room that a page has."""

from __future__ import annotations

from typing import Any

import streamlit as st

from planner.report.charts import inked

BUTTONS = """
[data-testid="stBaseButton-primary"]:not(:disabled) { color: light-dark(#ffffff, #0e1117); }
"""
"""Words on filled buttons: white ones have too little contrast on the light blue that dark pages need for links."""
ROOM = """
[data-testid="stMainBlockContainer"] { padding: 3.5rem clamp(1.5rem, 3.5vw, 4rem) 3rem; }
[data-testid="stMainBlockContainer"] h1 { font-size: 2.1rem; padding-top: 0; }
[data-testid="stMainBlockContainer"] h3 { font-size: 1.35rem; }
[data-testid="stMetricLabel"] p { white-space: normal; }
"""
"""Margins that leave a page of 1280 pixels to its tables; labels of numbers break instead of being cut off."""


def style() -> None:
    """What the theme cannot say, told to the browser, which follows a switch of the colour scheme at once."""
    st.html(f"<style>{BUTTONS}{ROOM}</style>")


def show_chart(chart: Any, key: str) -> None:
    """Draw a chart as wide as its place, with labels in the colour of the page's text."""
    st.altair_chart(inked(chart), key=key)
