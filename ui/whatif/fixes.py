"""What would start a waiting gang: every change with its confirmation, and a button that makes a scenario of it."""

from __future__ import annotations

import streamlit as st

from models.edits.catalogue import edit_from
from planner.usecases.explain.fix_candidates import PlannedChange
from ui.launch import launch
from ui.messages import Words
from ui.parts.banners import show_fault
from ui.parts.page import Page
from ui.parts.text import plain
from ui.session import freshness
from ui.state import Finished
from ui.whatif.confirming import (
    apply_as_scenario,
    changes_for,
    confirm,
    confirmation,
    explained_gang,
    fix_of,
)
from ui.whatif.state import Confirmation

WHATIF = "views/whatif.py"


def fixes(page: Page, gang: str) -> None:
    """The changes for one gang of the shown plan."""
    say, plan = page.say, page.plan
    if plan is None:
        return
    st.markdown(f"**{say('What would start it')}**")
    with st.spinner(say("Looking for changes …")):
        changes = changes_for(page.state, plan, gang)
    if not changes:
        st.info(say("No change is known that would start this gang."))
        return
    found = confirmation(page.state, plan, gang)
    applies = freshness(page.state) != "snapshot"
    explained = explained_gang(found)
    changes = tuple(sorted(changes, key=lambda one: fix_of(one, explained) is None))
    for number, change in enumerate(changes):
        _change(page, gang, change, found, number, applies=applies)
    _confirm_button(page, plan, gang, found)


def _change(
    page: Page,
    gang: str,
    change: PlannedChange,
    found: Confirmation | None,
    number: int,
    *,
    applies: bool,
) -> None:
    say, explained = page.say, explained_gang(found)
    fix = fix_of(change, explained)
    left, right = st.columns([4, 1.4], vertical_alignment="center")
    edits = change.edits if fix is None else tuple(edit_from(dict(one)) for one in fix.edits)
    text = fix.text if fix is not None else change.text
    if say.language != "en":  # the planner tells changes in English; edits are told in any language
        text = "; ".join(edit.text(say) for edit in edits) or text
    if fix is not None:
        told = say("Confirmed: the gang starts after this change.")
        more = _beside(say, fix.starts_total, fix.loses_total, fix.pods_evicted)
        left.markdown(f":material/check_circle: **{plain(text)}**  \n{told} {more}")
    elif explained is not None and explained.complete:
        left.markdown(f"{plain(text)}  \n{say('Planned: not this one, or a smaller one does it.')}")
    else:
        left.markdown(f"{plain(text)}  \n{say('Not confirmed by planning yet.')}")
    if applies and right.button(
        say("Apply as scenario"), icon=":material/alt_route:", key=f"apply-{number}"
    ):
        apply_as_scenario(page.state, say, say("Start {gang}", gang=gang), edits, gang)
        st.switch_page(WHATIF)


def _beside(say: Words, starts: int, loses: int, evicted: int) -> str:
    """What else such a plan does."""
    parts = []
    if starts:
        parts.append(say("{gangs} more start.", gangs=say.gangs(starts)))
    if loses:
        parts.append(say("{gangs} no longer start.", gangs=say.gangs(loses)))
    if evicted:
        parts.append(say("{pods} evicted.", pods=say.pods(evicted)))
    return " ".join(parts)


def _confirm_button(page: Page, plan: Finished, gang: str, found: Confirmation | None) -> None:
    say, state = page.say, page.state
    if found is not None and found.error is not None:
        show_fault(say, found.error)
    explained = explained_gang(found)
    if explained is not None and not explained.complete:
        st.info(
            say(
                "{tried} of {all} changes were planned before time was up or it was stopped.",
                tried=explained.tried,
                all=explained.candidates,
            )
        )
    if launch().read_only:
        return
    if state.whatif.confirm_job is not None:
        st.info(
            say("Planning runs; its progress is in the side bar. You may go on reading."),
            icon=":material/hourglass_top:",
        )
    elif explained is None or not explained.complete:
        st.button(
            say("Confirm by planning"),
            icon=":material/fact_check:",
            on_click=confirm,
            args=(state, gang),
            key="confirm",
        )
