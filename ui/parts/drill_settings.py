"""What is drilled: who needs how many GPUs within how many seconds, and the button."""

from __future__ import annotations

import streamlit as st

from planner.usecases.jobs.night_jobs import known_claimants
from ui.messages import Words
from ui.night_state import DrillSettings
from ui.parts.page import Page
from ui.parts.widgets import keep


def drill_settings(page: Page) -> bool:
    """Draw the box; what is chosen goes into the state. False where nobody could ask for GPUs."""
    state, say = page.state, page.say
    known = tuple(known_claimants(page.base.given))
    if not known:
        st.info(say("This cluster has no service and no queue that could ask for GPUs back."))
        return False
    with st.container(border=True):
        state.night.drill_settings = _choices(page, known)
        if not state.night.drill.going_on:
            _, right = st.columns([2, 1])
            right.button(
                say("Drill"),
                type="primary",
                icon=":material/notification_important:",
                on_click=state.night.drill.ask,
                key="drill-run",
                width="stretch",
            )
    return True


def _choices(page: Page, known: tuple[str, ...]) -> DrillSettings:
    say, now = page.say, page.state.night.drill_settings
    usual = page.base.given.policy.policy.lending.deadline_seconds
    columns = st.columns([2, 1, 1])
    keep("drill-claimant", now.claimant if now.claimant in known else known[0], known)
    keep("drill-gpus", now.gpus)
    keep("drill-deadline", now.deadline_s or usual)
    claimant = columns[0].selectbox(
        say("Who needs GPUs"),
        known,
        key="drill-claimant",
        help=say("A service of the policy, or a queue."),
    )
    gpus = columns[1].number_input(say("GPUs, beyond those it has"), 1, 1_000_000, key="drill-gpus")
    deadline = columns[2].number_input(
        say("Within (s)"), 1, 86_400, key="drill-deadline", help=say("Seconds after the call.")
    )
    with st.expander(say("More")):
        rest = _more(say, page, now)
    return DrillSettings(str(claimant), int(gpus), int(deadline), *rest)


def _more(say: Words, page: Page, now: DrillSettings) -> tuple[int, str, bool, str]:
    models = ("", *_models(page))
    keep("drill-per-pod", now.per_pod)
    keep("drill-model", now.gpu_model if now.gpu_model in models else "", models)
    keep("drill-by-hand", now.by_hand)
    keep("drill-more", now.more)
    left, right = st.columns(2)
    per_pod = left.number_input(
        say("GPUs of one pod"),
        0,
        1024,
        key="drill-per-pod",
        help=say("All on one node; 0 takes those of the service's pods, else 1."),
    )
    model = right.selectbox(
        say("GPU model"), models, format_func=lambda one: one or say("any"), key="drill-model"
    )
    by_hand = st.checkbox(
        say("A person evicts: shares and guarantees of queues are set aside"), key="drill-by-hand"
    )
    more = st.text_area(
        say("Further needs, one a line"),
        key="drill-more",
        placeholder="search=8,per-pod=4,pool=a100",
        help=say("As on the command line: NAME=GPUS, then per-pod, kind, pool, node."),
    )
    return int(per_pod), str(model), bool(by_hand), str(more)


def _models(page: Page) -> list[str]:
    found = {node.gpu_model for node in page.base.view.result.nodes if node.gpu_model}
    return sorted(str(one) for one in found)
