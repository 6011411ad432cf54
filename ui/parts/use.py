"""Allocated but idle: who holds GPUs that do not work, as measured."""

from __future__ import annotations

import streamlit as st

from planner.report.frames.use import idle_frame, queue_use_frame
from planner.report.text import duration
from ui.parts.page import Page
from ui.parts.tables import show_table


def measured_use(page: Page) -> None:
    """Idle gangs and use by queue; nothing where nothing was measured."""
    say, use = page.say, page.base.inventory.use
    if use is None:
        return
    st.subheader(say("Allocated but idle"), anchor=False)
    st.caption(
        say(
            "Allocated is what pods hold, measured is what works. GPU-hours are those of the last week, as far as it "
            "was measured; idle GPUs of a queue are held by gangs of which no GPU has worked for {span}.",
            span=duration(use.idle_after_s),
        )
    )
    show_table(
        say,
        "idle-gangs",
        idle_frame(use),
        ("gang", "queue", "gpus_allocated", "idle_hours", "worked_percent"),
        alt=say("Gangs whose GPUs are all idle"),
        empty=say("No gang holds GPUs that are all idle (measured)."),
    )
    show_table(
        say,
        "queue-use",
        queue_use_frame(use),
        (
            "queue",
            "gpus_allocated",
            "gpus_idle",
            "gpus_unmeasured",
            "allocated_gpu_hours",
            "worked_gpu_hours",
            "idle_gpu_hours",
        ),
        alt=say("Use of GPUs by queue"),
        empty=say("No running gang holds whole GPUs."),
    )
