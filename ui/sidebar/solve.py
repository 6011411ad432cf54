"""The solve box: limits, the policy's basics, Run; and while it runs, incumbent, bound, gap, time and Stop."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import streamlit as st

from models.findings import InputError
from planner.report.text import duration, ratio_percent
from planner.usecases.inputs.checked_input import INCOMPLETE
from planner.usecases.jobs.background_job import BackgroundJob, JobView
from ui.messages import Words
from ui.parts.banners import show_fault
from ui.parts.text import plain
from ui.session import ask_to_run, going_on, ground, try_run
from ui.sidebar.policy import policy_file
from ui.state import PlannerState, Settings

QUEUE_MODELS = ("", "proportion", "capacity")
OBJECTIVES = ("", "default", "fair", "throughput")
SCOPES = ("", "queue", "cluster")
LOOK_S = 0.4
"""Seconds between two looks at a running job; each costs the browser and the server some processor time."""
WATCH_S = 0.3
"""Seconds for which each look stays, so that what happens meanwhile does not wait for the next one."""
STAGES = {
    "": "starting",
    "prepare": "preparing",
    "solve": "searching",
    "explain": "explaining what waits",
    "baseline": "asking a greedy scheduler",
    "verify": "verifying",
    "sweep": "planning the points of the grid",
    "marginal": "planning one more of each",
}


def solve_box(state: PlannerState, say: Words, *, read_only: bool) -> None:
    """Settings and Plan; the running search is drawn at the top of the side bar."""
    if not read_only:
        st.subheader(say("Planning"), anchor=False)
        state.settings = _settings(state, say)
        if state.run_asked:
            try_run(state)
        if not going_on(state):
            st.button(
                say("Plan"),
                type="primary",
                icon=":material/play_arrow:",
                on_click=ask_to_run,
                args=(state,),
                key="run",
                width="stretch",
            )
    if isinstance(state.run_fault, InputError):
        show_fault(say, state.run_fault)


def _settings(state: PlannerState, say: Words) -> Settings:
    left, right = st.columns(2)
    limit = left.number_input(say("Time limit (s)"), 1, 86_400, 60, 10, key="time-limit")
    gap = right.number_input(
        say("Gap (%)"),
        0.0,
        100.0,
        0.0,
        0.1,
        key="gap",
        help=say("Relative gap at which a tier counts as good enough; 0 asks for proof."),
    )
    with st.expander(say("Policy")):
        model = _choice(say, "Queue model", QUEUE_MODELS, "queue-model")
        objective = _choice(say, "Objective", OBJECTIVES, "objective")
        scope = _choice(say, "Priority counts in the", SCOPES, "priority-scope")
        policy_file(state, say)
    return Settings(int(limit), float(gap), model, objective, scope, _incomplete(state, say))


def _choice(say: Words, label: str, options: tuple[str, ...], key: str) -> str:
    def named(option: str) -> str:
        return say(option) if option else say("as the snapshot says")

    return str(st.selectbox(say(label), options, format_func=named, key=key) or "")


def _incomplete(state: PlannerState, say: Words) -> bool:
    base = ground(state)
    if base is None or not any(one.code in INCOMPLETE for one in base.given.findings):
        return False
    return st.checkbox(say("Plan although the export is incomplete"), key="allow-incomplete")


def live(state: PlannerState, say: Words, *, read_only: bool) -> None:
    """The running search at the top of the side bar."""
    job = state.job
    if job is not None:
        live_job(job, say, key="stop", read_only=read_only)


def live_job(
    job: BackgroundJob[Any],
    say: Words,
    *,
    key: str,
    read_only: bool = False,
    known: object = None,
) -> None:
    """A running job with Stop, drawn anew several times a second; the whole page once there is something new.

    ``known`` is the first answer that the page shows already.
    """
    _look(job, say, known, count(), key, read_only)


@st.fragment(run_every=LOOK_S)
def _look(
    job: BackgroundJob[Any],
    say: Words,
    known: object,
    number: Iterator[int],
    key: str,
    read_only: bool,
) -> None:
    """One look; all but the first, after which the rest of the page is drawn, stay a while for what is new."""
    job.attend()
    view = job.view()
    if not view.going_on or view.result is not known:
        st.rerun()
    _draw(job, view, say, key, read_only=read_only)
    if next(number) and job.await_news(known, WATCH_S):
        st.rerun()


def _draw(
    job: BackgroundJob[Any], view: JobView[Any], say: Words, key: str, *, read_only: bool
) -> None:
    with st.container(border=True):
        st.markdown(f"**{_stage(view, say)}** · {duration(view.elapsed_s)}")
        st.progress(min(1.0, view.elapsed_s / max(1.0, job.time_limit_s)))
        _numbers(view, say)
        if view.latest is not None and view.latest.message:
            st.caption(plain(view.latest.message))
        if not read_only and view.state != "stopping":
            st.button(
                say("Stop, keep the best"),
                icon=":material/stop:",
                on_click=job.stop,
                key=key,
                width="stretch",
            )


def _stage(view: JobView[Any], say: Words) -> str:
    if view.state == "queued":
        return say("waiting for a free place")
    if view.state == "stopping":
        return say("stopping: finishing and verifying the best plan")
    stage = view.latest.stage if view.latest is not None else ""
    return say(STAGES.get(stage, stage))


def _numbers(view: JobView[Any], say: Words) -> None:
    found = view.points[-1] if view.points else None
    if found is None:
        st.caption(say("No plan yet."))
        return
    value = f"{found.value:,}" if found.value is not None else "-"
    bound = f"{found.bound:,}" if found.bound is not None else "-"
    st.caption(
        say(
            "Tier {tier}: best {value}, bound {bound}, gap {gap}",
            tier=found.tier.replace("_", "\\_"),
            value=value,
            bound=bound,
            gap=ratio_percent(found.gap),
        )
    )
