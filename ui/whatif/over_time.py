"""Whether plans or schedules are compared: the choice, and what it means for a question."""

from __future__ import annotations

import streamlit as st

from planner.report.whatif.document import WhatIf
from planner.report.whatif.time_frames import HORIZON, MOVED, horizon_frame, moved_frame
from planner.usecases.jobs.background import PlanRequest
from planner.usecases.whatif.background import Question
from planner.usecases.whatif.timed import OverTime
from ui.night import of_sample, schedule_request
from ui.parts.page import Page
from ui.parts.tables import show_table
from ui.parts.text import plain
from ui.parts.widgets import keep
from ui.state import PlannerState

CHOICES = {False: "Plans for now", True: "Schedules"}


def choose_kind(page: Page) -> None:
    """What is compared; a schedule is that of the page Night."""
    say, found = page.say, page.state.whatif
    keep("what-if-timed", found.timed, list(CHOICES))
    chosen = st.segmented_control(
        say("Compare what"),
        list(CHOICES),
        format_func=lambda timed: say(CHOICES[timed]),
        required=True,
        key="what-if-timed",
    )
    found.timed = bool(chosen)
    if not found.timed:
        return
    asked = schedule_request(page.state)
    if asked is None:
        return
    told = say(
        "Schedules over {hours} hours; demand: {demand}. Horizon, steps and demand are those of the page Night.",
        hours=asked.horizon_s // 3600,
        demand=plain(asked.demand.name) or say("profile of the policy, else the pods of now"),
    )
    st.caption(told)


def question_over_time(state: PlannerState) -> Question | None:
    """What the schedule of the page Night makes of a question; None where nothing is open.

    Raises
    ------
    InputError
        The demand cannot be read, or the deadline cannot be used.
    """
    asked = schedule_request(state)
    if asked is None:
        return None
    over_time = OverTime(asked.demand.samples, asked.horizon_s, asked.bucket_s)
    request = PlanRequest(asked.snapshot, asked.policy, asked.limits, asked.findings)
    made = state.night.schedule.done
    plan = made.result.result if made is not None and made.request.key == asked.key else None
    return Question(request, plan, over_time=over_time, demand=asked.demand.digest)


def time_flags(state: PlannerState) -> list[str]:
    """Options that make ``gangplan whatif`` compare schedules; it takes demand from files only."""
    if not state.whatif.timed:
        return []
    asked = schedule_request(state)
    if asked is None or not asked.demand.name:
        return []
    flags = ["--demand", state.source if of_sample(state, asked.demand) else asked.demand.name]
    flags += ["--horizon", f"{asked.horizon_s // 3600}h"]
    return flags + ([] if asked.bucket_s is None else ["--bucket", f"{asked.bucket_s // 60}m"])


def over_time_tab(page: Page, document: WhatIf) -> None:
    """Work and starts over the horizon, and whose start moves."""
    say = page.say
    show_table(
        say,
        "what-if-horizon",
        horizon_frame(document),
        tuple(HORIZON),
        alt=say("Work, starts and loans over the horizon, by scenario"),
        empty=say("No scenario has a plan."),
    )
    st.markdown(f"**{say('Start times')}**")
    show_table(
        say,
        "what-if-timing",
        moved_frame(document),
        tuple(MOVED),
        alt=say("Gangs that start at another time, by scenario"),
        empty=say("Every gang starts when it does in the base."),
    )
