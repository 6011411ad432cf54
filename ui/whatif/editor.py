"""The scenarios of the session: choose one, read its edits, reorder and remove them, add more by small forms."""

from __future__ import annotations

import streamlit as st

from models.edits.edit import EditError
from models.findings import Finding, InputError
from planner.usecases.whatif.edit_forms import FORM_BY_KEY, FORMS, EditForm, Input
from planner.usecases.whatif.suggestions import Suggestions, suggestions
from ui.launch import launch
from ui.messages import Words
from ui.parts.banners import show_fault
from ui.parts.page import Page
from ui.parts.text import plain
from ui.parts.widgets import no_file
from ui.session import cached
from ui.state import PlannerState
from ui.whatif.drafts import (
    MOST_NAME,
    add_edits,
    copy_draft,
    load_scenario,
    move_edit,
    new_draft,
    remove_draft,
    remove_edit,
)
from ui.whatif.state import Draft


def editor(page: Page) -> None:
    """Everything about the scenarios but their comparison."""
    state, say = page.state, page.say
    _chooser(state, say)
    left, right = st.columns([3, 2], gap="large")
    draft = state.whatif.draft()
    with left:
        if draft is None:
            st.info(say("No scenario yet. Add an edit on the right, or load a scenario file."))
        else:
            _edits(state, say, draft)
        if state.whatif.fault is not None:
            show_fault(say, state.whatif.fault)
    with right:
        _add(page, draft)
        if not launch().read_only:
            _load(state, say)


def _chooser(state: PlannerState, say: Words) -> None:
    found = state.whatif
    if not found.drafts:
        return
    names = {one.number: one.name for one in found.drafts}
    if st.session_state.get("scenario") not in names or found.chosen not in names:
        found.chosen = found.chosen if found.chosen in names else found.drafts[-1].number
    st.session_state["scenario"] = found.chosen
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.segmented_control(
            say("Scenarios"),
            list(names),
            format_func=names.__getitem__,
            key="scenario",
            required=True,
            on_change=_choose,
            args=(state,),
        )
        found.chosen = int(chosen) if chosen is not None else found.chosen
        draft = found.draft()
        st.button(
            say("New scenario"),
            icon=":material/add:",
            on_click=_new,
            args=(state, say),
            key="new-scenario",
        )
        if draft is not None:
            st.button(
                say("Copy it"),
                icon=":material/content_copy:",
                on_click=copy_draft,
                args=(state, say, draft),
                key="copy-scenario",
            )
            st.button(
                say("Remove it"),
                icon=":material/delete:",
                on_click=remove_draft,
                args=(state, draft.number),
                key="remove-scenario",
            )


def _new(state: PlannerState, say: Words) -> None:
    new_draft(state, say)


def _choose(state: PlannerState) -> None:
    chosen = st.session_state.get("scenario")
    if chosen is not None:
        state.whatif.chosen = int(chosen)


def _edits(state: PlannerState, say: Words, draft: Draft) -> None:
    name = st.text_input(say("Name"), draft.name, max_chars=MOST_NAME, key=f"name-{draft.number}")
    draft.name = _title(state, draft, name)
    if draft.description:
        st.caption(plain(draft.description))
    st.markdown(f"**{say('Edits, applied from top to bottom')}**")
    if not draft.edits:
        st.info(say("No edit yet: this scenario is the base as it is."))
    for place, edit in enumerate(draft.edits):
        told, up, down, out = st.columns([7, 1.2, 1.4, 1.8], vertical_alignment="center")
        told.markdown(f"{place + 1}. {plain(edit.text(say))}")
        key = f"{draft.number}-{place}"
        up.button(
            say("Up"),
            type="tertiary",
            disabled=place == 0,
            on_click=move_edit,
            args=(draft, place, -1),
            key=f"up-{key}",
        )
        down.button(
            say("Down"),
            type="tertiary",
            disabled=place == len(draft.edits) - 1,
            on_click=move_edit,
            args=(draft, place, 1),
            key=f"down-{key}",
        )
        out.button(
            say("Remove"),
            type="tertiary",
            on_click=remove_edit,
            args=(draft, place),
            key=f"out-{key}",
        )


def _title(state: PlannerState, draft: Draft, name: str) -> str:
    """The name, unless another scenario has it or it is empty."""
    taken = {one.name for one in state.whatif.drafts if one is not draft} | {"base", ""}
    return draft.name if name.strip() in taken else name.strip()


def _add(page: Page, draft: Draft | None) -> None:
    say = page.say
    st.markdown(f"**{say('Add an edit')}**")
    labels = {form.key: say(form.label) for form in FORMS}
    kind = st.selectbox(
        say("What changes"),
        list(labels),
        format_func=labels.__getitem__,
        key="edit-kind",
        label_visibility="collapsed",
    )
    form = FORM_BY_KEY[kind]
    names = cached(
        page.state,
        "suggestions",
        page.base.given.snapshot.digest,
        lambda: suggestions(page.base.given.snapshot, page.base.given.policy),
    )
    with st.form(f"edit-{kind}", enter_to_submit=True):
        answers = {one.key: _input(say, kind, one, names) for one in form.inputs}
        asked = st.form_submit_button(say("Add this edit"), icon=":material/add:")
    if asked:
        _take(page.state, say, draft, form, answers)


def _take(
    state: PlannerState, say: Words, draft: Draft | None, form: EditForm, answers: dict[str, str]
) -> None:
    try:
        edits = form.edits(answers)
    except EditError as error:
        finding = Finding("scenario_edit", "error", say(form.label), str(error), error.remedy)
        state.whatif.fault = InputError(str(error), (finding,))
        st.rerun()
    if draft is None:
        draft = new_draft(state, say)
    add_edits(state, draft, edits)
    st.rerun()


def _input(say: Words, kind: str, one: Input, names: Suggestions) -> str:
    key, label = f"in-{kind}-{one.key}", say(one.label)
    if one.asks == "text":
        return str(st.text_input(label, one.start, key=key) or "")
    if one.asks == "number":
        return str(st.number_input(label, value=int(one.start), step=1, key=key))
    if one.asks == "choice":
        told = dict(one.options)
        return str(st.selectbox(label, list(told), format_func=lambda v: say(told[v]), key=key))
    options = names.of(one.asks)
    left = names.left_out.get(one.asks, 0)
    note = say("The first {count} names are suggested; type any other.", count=len(options))
    first = options.index(one.start) if one.start in options else (0 if one.needed else None)
    found = st.selectbox(
        label,
        options,
        index=first if options else None,
        accept_new_options=True,
        placeholder=say("Type or choose"),
        help=note if left else say("A name, or a pattern such as a-*"),
        key=key,
    )
    return str(found or "")


def _load(state: PlannerState, say: Words) -> None:
    with (
        st.expander(say("Load a scenario file"), icon=":material/upload:"),
        st.form(f"load-{state.whatif.upload_round}", border=False),
    ):
        files = st.file_uploader(
            say("Scenario files (YAML), up to 1 MB each"),
            type=("yaml", "yml", "json"),
            accept_multiple_files=True,
            max_upload_size=1,
            key=f"scenario-files-{state.whatif.upload_round}",
        )
        if st.form_submit_button(say("Load")):
            if not files:
                st.warning(no_file(say, 1))
            elif all(load_scenario(state, say, one.name, one.getvalue()) for one in files):
                state.whatif.upload_round += 1
                st.rerun()
            else:
                st.rerun()
