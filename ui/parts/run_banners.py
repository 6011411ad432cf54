"""What a reader of a schedule or drill must know first: running, stale, stopped, out of time, withheld."""

from __future__ import annotations

from typing import Any

import streamlit as st

from planner.report.sections.footer import short_digest
from planner.report.text import duration
from ui.messages import Words
from ui.parts.banners import failed, show_fault
from ui.runs import Freshness, Run, Unanswered


def run_banners(
    run: Run[Any, Any], fresh: Freshness, say: Words, *, key: str, again: bool = True
) -> None:
    """Every state of one kind of work that changes how its page is to be read.

    Parameters
    ----------
    again
        Offer to ask again where the answer is stale.
    """
    if run.fault is not None:
        show_fault(say, run.fault)
    if run.going_on:
        st.info(
            say("The search runs; its progress is in the side bar. You may go on reading."),
            icon=":material/hourglass_top:",
        )
    elif run.failure is not None:
        _failed(run.failure, say, key)
    if run.done is not None:
        _stale(run, fresh, say, key, again=again)
        if fresh != "snapshot" or run.keep_old:
            _ended(run, say)


def _stale(run: Run[Any, Any], fresh: Freshness, say: Words, key: str, *, again: bool) -> None:
    if fresh == "fresh" or run.done is None:
        return
    left, right = st.columns([5, 1], vertical_alignment="center")
    if fresh == "settings":
        left.warning(
            say("The inputs have changed since this was made: it is kept, but stale."),
            icon=":material/history:",
        )
        if again and not run.going_on:
            right.button(say("Make it again"), on_click=run.ask, key=f"{key}-again")
        return
    digest = short_digest(run.done.request.snapshot.digest)
    if run.keep_old:
        text = say(
            "Shown is the result of snapshot {digest}, not of the one chosen now.", digest=digest
        )
        left.warning(text, icon=":material/history:")
    else:
        text = say(
            "A result of snapshot {digest} is kept; the cluster chosen now has none yet.",
            digest=digest,
        )
        left.info(text, icon=":material/history:")
    label = say("Leave it") if run.keep_old else say("Show it")
    right.button(label, on_click=run.switch, key=f"{key}-switch")


def _ended(run: Run[Any, Any], say: Words) -> None:
    if run.done is None:
        return
    job = run.done.job
    seconds = duration(job.elapsed_s)
    if job.stop_reason == "asked":
        st.info(
            say("Stopped after {time}: this is the best found until then, verified.", time=seconds)
        )
    elif job.stop_reason == "absent":
        st.info(
            say(
                "Stopped after {time}, because the page was closed: this is the best found until then.",
                time=seconds,
            )
        )


def _failed(failure: Unanswered[Any, Any], say: Words, key: str) -> None:
    failed(
        say,
        failure.error,
        (failure.request.snapshot, failure.request.policy),
        late=say("Nothing was found within the limit. Raise the time limit and try again."),
        withheld=say(
            "The result failed the independent check and is withheld. Please report it with the bundle."
        ),
        key=f"{key}-bundle",
    )
