"""Two nights side by side."""

from __future__ import annotations

from datetime import date

import streamlit as st

from planner.report.frames.nights import (
    difference_figures_frame,
    difference_gangs_frame,
    difference_queues_frame,
)
from planner.report.history.difference_report import difference_report
from planner.usecases.past_nights import PastNights
from ui.messages import Words
from ui.parts.history_words import figures_in_words
from ui.parts.report_files import report_files
from ui.parts.tables import show_table
from ui.parts.text import plain
from ui.parts.widgets import keep


def choose_night(say: Words, found: PastNights, label: str, key: str, place: int) -> date:
    """A picker of nights, the newest first; ``place`` is the one of those with a plan that is taken at first."""
    nights = {one.night: one.figures is not None for one in reversed(found.nights)}
    known = [night for night, planned in nights.items() if planned] or list(nights)
    keep(key, known[min(place, len(known) - 1)], nights)
    chosen: date = st.selectbox(
        say(label),
        list(nights),
        key=key,
        format_func=lambda night: (
            night.isoformat() + ("" if nights[night] else f" ({say('no plan')})")
        ),
    )
    return chosen


def compared(say: Words, found: PastNights) -> None:
    """Figures, gangs and queues that differ."""
    if len(found.nights) < 2:
        st.info(say("A comparison takes two nights."))
        return
    left, right = st.columns(2)
    with left:
        before = choose_night(say, found, "Earlier night", "history-before", 1)
    with right:
        after = choose_night(say, found, "Later night", "history-after", 0)
    if before == after:
        st.info(say("Choose two different nights."))
        return
    result = found.compare(before, after)
    st.markdown(plain(result.sentence))
    report_files(say, f"{before}-{after}", lambda: difference_report(result, found.short_name))
    show_table(
        say,
        "history-figures",
        figures_in_words(say, difference_figures_frame(result)),
        ("name", "earlier", "later", "change"),
        alt=say("Key figures of both nights"),
        empty=say("One of the nights left no plan."),
    )
    st.markdown(f"**{say('Gangs')}**")
    show_table(
        say,
        "history-gangs",
        difference_gangs_frame(result),
        ("gang", "queue", "gpus", "became", "waited_hours"),
        alt=say("Gangs that changed between the nights, or wait in both"),
        empty=say("No gang changed."),
    )
    st.markdown(f"**{say('Queues')}**")
    queues = difference_queues_frame(result)
    changed = not queues["deserved_earlier"].equals(queues["deserved_later"])
    show_table(
        say,
        "history-queues",
        queues,
        (
            "queue",
            "gpus_earlier",
            "gpus_later",
            *(("deserved_earlier", "deserved_later") if changed else ()),
            "waiting_earlier",
            "waiting_later",
        ),
        alt=say("Queues in both nights"),
        empty=say("No queue is listed."),
    )
