"""Scenarios as files, as command lines and in the address of the page."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

import streamlit as st
import yaml
from streamlit.runtime.state import QueryParamsProxy

from models.edits.flags import short_flags
from models.edits.scenario import Scenario
from models.edits.sweep import Sweep
from models.findings import PlannerError
from planner.usecases.jobs.night_commands import POLICY_FILE
from ui.launch import launch
from ui.messages import Words
from ui.own_policy import has_own_file
from ui.parts.page import Page
from ui.session import flags_of
from ui.state import PlannerState
from ui.whatif.drafts import new_draft, scenario_of
from ui.whatif.over_time import time_flags
from ui.whatif.state import Draft, WhatIfState

MOST_LINK = 6_000
"""Letters of scenarios in an address; browsers and proxies take little more than 8,000 in all."""
MOST_SCENARIOS = 20
MOST_GRID = 300
"""Letters of one parameter of a grid with its values."""


def scenario_texts(drafts: Sequence[Draft]) -> list[str]:
    """One JSON document per scenario, short enough for an address; nothing where they are too long together."""
    found = [
        json.dumps(one.scenario().document(), ensure_ascii=False, separators=(",", ":"))
        for one in drafts[:MOST_SCENARIOS]
        if one.edits
    ]
    return found if sum(len(one) for one in found) <= MOST_LINK else []


def read_scenarios(state: PlannerState, say: Words, texts: Sequence[str]) -> None:
    """Scenarios of an address; one that cannot be read is told and left out."""
    for text in texts[:MOST_SCENARIOS]:
        try:
            scenario = scenario_of("link", text[: 2 * MOST_LINK].encode())
        except PlannerError as error:
            state.whatif.fault = error
            continue
        new_draft(state, say, scenario.edits, scenario.name)


def question_link(found: WhatIfState) -> dict[str, str | list[str]]:
    """Which question the page shows, and the grid of a sweep, as parameters of an address."""
    wanted: dict[str, str | list[str]] = {}
    if found.shown != "scenarios":
        wanted["question"] = found.shown
    if found.grid:
        wanted["grid"] = [f"{key}={values}"[:MOST_GRID] for key, values in found.grid]
    return wanted


def read_question(found: WhatIfState, query: QueryParamsProxy) -> None:
    """Take over what :func:`question_link` wrote; nothing is planned by it."""
    topic = query.get("question", "")
    found.shown = (
        "sweep" if topic == "sweep" else "marginal" if topic == "marginal" else "scenarios"
    )
    pairs = [text[:MOST_GRID].partition("=") for text in query.get_all("grid")[:2]]
    found.grid = tuple((key, values) for key, _, values in pairs if key and values)


def scenario_yaml(scenario: Scenario) -> bytes:
    """The file of a scenario."""
    return yaml.safe_dump(scenario.document(), sort_keys=False, allow_unicode=True).encode()


def command_line(state: PlannerState, drafts: Sequence[Draft]) -> str:
    """``gangplan whatif`` with short forms where one scenario has them, else with its files."""
    words = ["gangplan", "whatif", _snapshot(state)]
    flags = short_flags(drafts[0].scenario()) if len(drafts) == 1 else None
    if flags:
        words += [word for flag in flags for word in flag]
        words += ["--name", drafts[0].name]
    else:
        words += [word for one in drafts for word in ("--scenario", file_name(one.name))]
    return shlex.join([*words, *time_flags(state), *_policy_flags(state)])


def sweep_yaml(sweep: Sweep) -> bytes:
    """The file of a sweep."""
    return yaml.safe_dump(sweep.document(), sort_keys=False, allow_unicode=True).encode()


def sweep_command(state: PlannerState) -> str:
    """The command that plans the grid of the page from its file."""
    words = ["gangplan", "whatif", _snapshot(state), "--sweep", "sweep.yaml"]
    return shlex.join([*words, *time_flags(state), *_policy_flags(state)])


def marginal_command(state: PlannerState) -> str:
    """The command that prices one more of everything."""
    return shlex.join(["gangplan", "whatif", _snapshot(state), "--marginal", *_policy_flags(state)])


def _policy_flags(state: PlannerState) -> list[str]:
    flags = flags_of(state, launch()).items()
    file = ["--policy", POLICY_FILE] if has_own_file(state) else []
    return file + [word for key, value in flags for word in ("--set-policy", f"{key}={value}")]


def _snapshot(state: PlannerState) -> str:
    if state.source.startswith("sample:"):
        return state.source  # the command line takes samples under the same name
    return "SNAPSHOT"


def file_name(name: str) -> str:
    """File of a scenario of this name."""
    kept = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
    return f"{kept.strip('-.')[:60] or 'scenario'}.yaml"


def sharing(page: Page) -> None:
    """Save and share the scenarios."""
    state, say = page.state, page.say
    drafts = [one for one in state.whatif.drafts if one.edits]
    if not drafts:
        return
    with st.expander(say("Save and share"), icon=":material/share:"):
        with st.container(horizontal=True):
            for one in drafts:
                st.download_button(
                    file_name(one.name),
                    scenario_yaml(one.scenario()),
                    file_name=file_name(one.name),
                    mime="application/yaml",
                    icon=":material/download:",
                    key=f"save-{one.number}",
                    on_click="ignore",
                )
        st.markdown(say("The same on the command line:"))
        st.code(command_line(state, drafts), language="shell", wrap_lines=True)
        if scenario_texts(drafts):
            st.caption(
                say(
                    "The link at the foot of the page holds these scenarios with the names of nodes, queues and gangs "
                    "that they mention, nothing else of the cluster."
                )
            )
        else:
            st.caption(say("These scenarios are too long for a link; share their files."))
