"""Findings about the input as a list that wraps."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from models.findings import Finding
from models.plan import FindingEntry
from ui.messages import Words
from ui.parts.text import plain

MOST_SHOWN = 5
ICONS = {"error": ":material/error:", "warning": ":material/warning:", "info": ":material/info:"}
ORDER = ("error", "warning", "info")


def finding_list(
    say: Words, findings: Sequence[FindingEntry | Finding], *, most: int = MOST_SHOWN
) -> None:
    """The first findings, errors before warnings before notes; the rest is counted."""
    if not findings:
        st.info(say("Nothing is noticeable about this export."))
        return
    ordered = sorted(findings, key=lambda one: ORDER.index(one.severity))
    for one in ordered[:most]:
        remedy = f" *{say('What helps')}: {plain(one.remedy)}.*" if one.remedy else ""
        st.markdown(
            f"{ICONS[one.severity]} **{say(one.severity)}** {plain(one.object)}: "
            f"{plain(one.message)}.{remedy}"
        )
    if len(ordered) > most:
        st.caption(say("{count} more on the page Proof and data.", count=len(ordered) - most))
