"""What-if: what changes if."""

from __future__ import annotations

import streamlit as st

from planner.report.text import duration
from planner.report.whatif.document import WhatIf
from ui.launch import launch
from ui.parts.banners import failed
from ui.parts.page import Page, begin, head
from ui.parts.text import plain
from ui.parts.widgets import keep
from ui.whatif.asking import answered, ask
from ui.whatif.editor import editor
from ui.whatif.over_time import choose_kind
from ui.whatif.results import results
from ui.whatif.sharing import sharing
from ui.whatif.state import Topic
from ui.whatif.sweeping import grid_form, marginal_results, marginal_words, sweep_results
from ui.whatif.words import TITLES, marginal_sentence, metrics, sentence, sweep_sentence


def _ask_button(page: Page, topic: Topic, label: str, *, ready: bool) -> None:
    """The button of a topic; while something runs, where its progress is."""
    say, found = page.say, page.state.whatif
    if launch().read_only:
        st.info(
            say("This server only shows: save the scenarios and compare them on the command line.")
        )
        return
    if found.job is not None:
        st.info(
            say("Planning runs; its progress is in the side bar. You may go on reading."),
            icon=":material/hourglass_top:",
        )
        return
    st.button(
        label,
        type="primary",
        icon=":material/play_arrow:",
        disabled=not ready,
        on_click=ask,
        args=(page.state, topic),
        key=f"ask-{topic}",
    )


def _state_of(page: Page, topic: Topic, *, stale: bool) -> None:
    """Failed, stopped, stale."""
    say, found = page.say, page.state.whatif
    unanswered = found.failures.get(topic)
    if unanswered is not None:
        asked = unanswered.question.request
        failed(
            say,
            unanswered.error,
            (asked.snapshot, asked.policy),
            late=say("No plan was found within the limit. Raise the time limit and plan again."),
            withheld=say(
                "The plan failed the independent check and is withheld. Please report it with the bundle."
            ),
            key="what-if-bundle",
        )
    kept = found.answers.get(topic)
    if kept is not None and kept.first:
        st.info(
            say(
                "A first answer, verified: the search goes on, plans and what is open (≈) may still change."
            ),
            icon=":material/hourglass_top:",
        )
    if kept is not None and kept.stop_reason:
        st.info(
            say(
                "Stopped after {time}; what was planned until then is shown, verified.",
                time=duration(kept.elapsed_s),
            )
        )
    if stale:
        st.warning(
            say(
                "The scenarios or inputs have changed since this comparison: it is kept, but stale."
            ),
            icon=":material/history:",
        )


def _scenarios(page: Page) -> None:
    say, state = page.say, page.state
    choose_kind(page)
    editor(page)
    with st.container(horizontal=True, vertical_alignment="center"):
        _ask_button(page, "scenarios", say("Compare"), ready=bool(state.whatif.drafts))
    sharing(page)
    found, stale = answered(state, "scenarios")
    _state_of(page, "scenarios", stale=stale)
    if found is not None and found.answer.document.scenarios:
        st.subheader(say("Side by side"), anchor=False)
        _goals(page, found.answer.document)
        results(page, found)


def _goals(page: Page, document: WhatIf) -> None:
    """Whether the gangs start that scenarios were made for."""
    say = page.say
    goals = {one.name: one.goal for one in page.state.whatif.drafts if one.goal}
    for outcome in document.scenarios:
        gang = goals.get(outcome.name, "")
        if not gang or outcome.error:
            continue
        fate = next((one.fate for one in outcome.gangs if one.full_name == gang), "")
        if fate in ("starts", "new, starts"):
            st.success(
                say("{gang} starts after this change.", gang=plain(gang)),
                icon=":material/check_circle:",
            )
        else:
            st.warning(
                say("{gang} still waits after this change.", gang=plain(gang)),
                icon=":material/hourglass:",
            )


def _sweep(page: Page) -> None:
    choose_kind(page)
    ready = grid_form(page)
    _ask_button(page, "sweep", page.say("Plan the grid"), ready=ready)
    found, stale = answered(page.state, "sweep")
    _state_of(page, "sweep", stale=stale)
    if found is not None:
        sweep_results(page, found)


def _marginal(page: Page) -> None:
    marginal_words(page)
    _ask_button(page, "marginal", page.say("Price one more of each"), ready=True)
    found, stale = answered(page.state, "marginal")
    _state_of(page, "marginal", stale=stale)
    if found is not None:
        marginal_results(page, found)


DRAW = {"scenarios": _scenarios, "sweep": _sweep, "marginal": _marginal}


def _topic(page: Page) -> None:
    found = page.state.whatif
    chosen = st.segmented_control(
        page.say("Question"),
        list(TITLES),
        required=True,
        format_func=lambda topic: page.say(TITLES[topic]),
        key="what-if-topic",
        label_visibility="collapsed",
    )
    found.shown = _topic_named(chosen)
    DRAW[found.shown](page)


def _topic_named(name: object) -> Topic:
    return "sweep" if name == "sweep" else "marginal" if name == "marginal" else "scenarios"


def _sentence(page: Page, told: WhatIf | None) -> str:
    """The answer to the question that is chosen."""
    topic = _topic_named(st.session_state.get("what-if-topic"))
    if topic == "scenarios":
        return sentence(told, len(page.state.whatif.drafts), page.say)
    found, _ = answered(page.state, topic)
    if topic == "sweep":
        return sweep_sentence(found.answer.sweep if found is not None else None, page.say)
    return marginal_sentence(found.answer.document if found is not None else None, page.say)


page = begin()
if page is not None:
    keep("what-if-topic", page.state.whatif.shown, list(TITLES))
    shown, _ = answered(page.state, "scenarios")
    told = shown.answer.document if shown is not None else None
    head(
        page,
        page.say("What-if"),
        _sentence(page, told),
        metrics(told, page.plan.result.summary if page.plan is not None else None, page.say),
    )
    _topic(page)
