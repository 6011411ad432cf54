"""Widgets of a page keep their values while another page is shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st

from ui.messages import Words


def no_file(say: Words, limit_mb: int) -> str:
    """Why nothing was read: none was chosen, or the uploader, which shows only a mark, refused a large one."""
    return say("No file was taken: choose one of up to {limit} MB.", limit=limit_mb)


def keep(key: str, value: Any, options: Collection[Any] | None = None) -> None:
    """Give a widget the value that the state holds where the browser forgot it, or where its value is no option."""
    if key not in st.session_state or (
        options is not None and st.session_state[key] not in options
    ):
        st.session_state[key] = value
