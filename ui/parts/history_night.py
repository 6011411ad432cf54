"""One night with its gangs, queues and loans; and what became of its recommendations."""

from __future__ import annotations

import streamlit as st

from planner.report.frames.nights import (
    adoption_frame,
    past_gangs_frame,
    past_loans_frame,
    past_queues_frame,
)
from planner.report.text import percent
from planner.usecases.past_nights import PastNights
from ui.messages import Words
from ui.parts.history_compare import choose_night
from ui.parts.history_words import times_in_zone
from ui.parts.page import Metric, draw_metrics
from ui.parts.tables import show_table
from ui.parts.text import moment, plain
from ui.past import open_past_plan
from ui.state import PlannerState


def one_night(state: PlannerState, say: Words, found: PastNights) -> None:
    """What the plan of a night said."""
    night = choose_night(say, found, "Night", "history-night", 0)
    record = found.record(night)
    past = record.night
    st.markdown(plain(past.sentence or past.error or past.outcome))
    zone = past.timezone
    when = moment(past.as_of, zone) if past.as_of else say("an unknown time")
    st.caption(
        say(
            "As of {when}; run {outcome}, certificate {proof}; version {version}",
            when=plain(when),
            outcome=plain(past.outcome),
            proof=plain(past.proof or "–"),
            version=plain(past.version or "–"),
        )
    )
    if past.figures is not None:
        st.button(
            say("Open this plan on the page Plan"),
            icon=":material/history:",
            on_click=open_past_plan,
            args=(state, night),
            key="history-open",
        )
    if state.past is not None and state.past.night == night:
        st.info(say("The page Plan shows the plan of this night now."))
    st.caption(say("Times are those of {zone}.", zone=plain(zone)))
    show_table(
        say,
        "past-gangs",
        times_in_zone(past_gangs_frame(record), zone, "starts_at", "ends_at"),
        (
            "gang",
            "queue",
            "decision",
            "gpus",
            "starts_at",
            "ends_at",
            "waited_hours",
            "reason_codes",
            "message",
        ),
        alt=say("What the plan of the night recommended for every gang"),
        empty=say("The night left no plan."),
    )
    st.markdown(f"**{say('Queues')}**")
    show_table(
        say,
        "past-queues",
        past_queues_frame(record),
        (
            "queue",
            "gpus_deserved",
            "gpus_requested",
            "gpus_before",
            "gpus_after",
            "gpus_borrowed",
            "gpus_lent",
            "gangs_started",
            "gangs_waiting",
        ),
        alt=say("Queues of the night, in GPUs"),
        empty=say("No queue is listed."),
        quiet=("gpus_borrowed", "gpus_lent"),
    )
    st.markdown(f"**{say('Loans')}**")
    show_table(
        say,
        "past-loans",
        times_in_zone(past_loans_frame(record), zone, "starts_at", "returned_by", "leave_by"),
        ("pool", "gpus", "starts_at", "returned_by", "leave_by", "slack_s", "gpu_hours", "gangs"),
        alt=say("Loans of the night"),
        empty=say("Nothing is lent."),
    )


def adopted(say: Words, found: PastNights) -> None:
    """Recommendations of a night against what the next snapshot shows."""
    night = choose_night(say, found, "Night", "history-adopted", 1)
    result = found.adopted(night)
    st.markdown(plain(result.sentence))
    if result.next_night is None:
        st.info(say("No later night kept its snapshot yet, so nothing can be compared."))
        return
    zone = found.known[night].timezone
    draw_metrics(
        (
            Metric(
                say("Starts adopted (gangs)"),
                f"{result.starts_adopted:,}",
                say("of {count} that were due", count=result.starts),
            ),
            Metric(
                say("GPUs adopted"),
                f"{result.gpus_adopted:,}",
                percent(result.gpus_adopted, result.gpus_recommended),
            ),
            Metric(
                say("Pods as planned"),
                f"{result.pods_as_planned:,}",
                percent(result.pods_as_planned, result.pods_compared)
                if result.pods_compared
                else "",
            ),
            Metric(say("Evictions adopted"), f"{result.evictions_adopted:,}"),
            Metric(say("Started unplanned (gangs)"), f"{len(result.unplanned):,}"),
        )
    )
    show_table(
        say,
        "history-adoption",
        times_in_zone(
            adoption_frame(result).rename(columns={"fate": "next_night"}),
            zone,
            "planned_start",
            "actual_start",
        ),
        (
            "gang",
            "queue",
            "gpus",
            "recommended",
            "next_night",
            "planned_start",
            "actual_start",
            "late_hours",
            "message",
        ),
        alt=say("Recommendations of the night, and what became of them"),
        empty=say("The plan of this night recommended nothing."),
    )
    st.caption(say("Times are those of {zone}.", zone=plain(zone)))
    for note in result.notes:
        st.caption(plain(note))
