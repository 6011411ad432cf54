"""Widgets of a page keep their values while another page is shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st


def keep(key: str, value: Any, options: Collection[Any] | None = None) -> None:
    """Give a widget the value that the state holds where the browser forgot it, or where its value is no option."""
    if key not in st.session_state or (
        options is not None and st.session_state[key] not in options
    ):
        st.session_state[key] = value
