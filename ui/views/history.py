"""History: are we getting better, and did the advice help."""

from __future__ import annotations

import streamlit as st

from models.findings import PlannerError
from models.history.night import PastFigures
from planner.report.history.nights_report import nights_report
from planner.report.text import duration
from planner.usecases.past_nights import PastNights
from ui.export import Export
from ui.launch import launch
from ui.messages import Words
from ui.parts.banners import show_fault
from ui.parts.history_compare import compared
from ui.parts.history_lists import night_list, trends
from ui.parts.history_night import adopted, one_night
from ui.parts.page import Metric, draw_metrics, share
from ui.parts.text import moment, plain
from ui.past import past
from ui.session import session
from ui.state import PlannerState


def _head(say: Words, found: PastNights) -> None:
    last = found.nights[-1]
    figures = last.figures
    told = [one for one in found.nights if one.figures is not None]
    st.markdown(f"**{_sentence(say, found, figures)}**")
    when = moment(last.as_of, last.timezone) if last.as_of else say("an unknown time")
    st.caption(
        say(
            "Last night {night}, as of {when}; history {name}",
            night=last.night.isoformat(),
            when=plain(when),
            name=plain(found.short_name),
        )
    )
    if figures is None:
        st.warning(
            say("The last run left no plan: {error}", error=plain(last.error or last.outcome))
        )
        return
    before = told[-2].figures if len(told) > 1 else None
    draw_metrics(
        (
            Metric(
                say("Nights"), f"{len(found.nights):,}", say("{count} with a plan", count=len(told))
            ),
            Metric(
                say("Planned (GPUs)"),
                f"{figures.gpus_after:,}",
                _change(say, figures.gpus_after, before.gpus_after if before else None),
            ),
            Metric(say("Start now (gangs)"), f"{figures.gangs_started:,}"),
            Metric(
                say("Wait (gangs)"),
                f"{figures.gangs_waiting:,}",
                _change(say, figures.gangs_waiting, before.gangs_waiting if before else None),
            ),
            Metric(
                say("Longest wait"),
                "–" if figures.longest_wait_s is None else duration(figures.longest_wait_s),
            ),
        )
    )


def _sentence(say: Words, found: PastNights, figures: PastFigures | None) -> str:
    first, last = found.nights[0].night.isoformat(), found.nights[-1].night.isoformat()
    text = say(
        "{count} nights from {first} to {last};", count=len(found.nights), first=first, last=last
    )
    failed = sum(one.figures is None for one in found.nights)
    ended = say("{count} left no plan.", count=failed) if failed else say("each left a plan.")
    if figures is None:
        return f"{text} {ended}"
    used = say(
        "in the last one {after} of {most} would be allocated ({share});",
        after=figures.gpus_after,
        most=say.gpus(figures.gpus_allocatable),
        share=share(figures.gpus_after, figures.gpus_allocatable),
    )
    return f"{text} {used} {ended}"


def _change(say: Words, now: int, before: int | None) -> str:
    if before is None:
        return ""
    return say("{change} overnight", change=f"{now - before:+,}")


def _draw(state: PlannerState, say: Words) -> None:
    st.title(say("History"), anchor=False)
    if not launch().history:
        st.markdown(f"**{say('This server was started without a history.')}**")
        st.markdown(
            say(
                "Start it with `gangplan ui --history URL`, the database that `gangplan nightly` keeps. A "
                "browser cannot name one."
            )
        )
        return
    try:
        found = past()
        if found is None or not found.nights:
            st.info(say("The history holds no night yet; `gangplan nightly` adds one per run."))
            return
        _head(say, found)
        lists, trend, night, two, actual = st.tabs(
            [
                say("Nights"),
                say("Trend"),
                say("One night"),
                say("Two nights"),
                say("Planned against actual"),
            ]
        )
        with lists:
            night_list(say, found)
        with trend:
            trends(say, found)
        with night:
            one_night(state, say, found)
        with two:
            compared(say, found)
        with actual:
            adopted(say, found)
        state.export = Export("history", lambda: nights_report(found.document), own_snapshot=False)
    except PlannerError as error:
        show_fault(say, error)


state = session()
_draw(state, Words(state.language))
