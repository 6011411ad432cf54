"""What a reader must know before the numbers: running, stale, failed, stopped, out of time."""

from __future__ import annotations

import streamlit as st

from models.effective import EffectivePolicy
from models.findings import InputError, PlannerError
from models.snapshot import Snapshot
from planner.report.sections.footer import short_digest
from planner.report.text import clean, duration
from planner.usecases.bundle import bundle_bytes, bundle_name
from planner.usecases.jobs.background import failure_kind
from ui.messages import Words
from ui.parts.text import plain
from ui.session import ask_to_run, freshness, going_on
from ui.state import Failure, Finished, PlannerState

SHOWN_FINDINGS = 10


def banners(state: PlannerState, say: Words) -> None:
    """Every state that changes how the page is to be read."""
    if state.fault is not None:
        show_fault(say, state.fault)
    if going_on(state):
        st.info(
            say("Planning runs; its progress is in the side bar. You may go on reading."),
            icon=":material/hourglass_top:",
        )
    elif state.failure is not None:
        _failed(state.failure, say)
    if state.plan is not None:
        _stale(state, say)
        _unproved(state.plan, say)


def show_fault(say: Words, error: PlannerError) -> None:
    """An error with its findings: what, where, how to put it right."""
    st.error(plain(error), icon=":material/error:")
    findings = error.findings if isinstance(error, InputError) else ()
    for finding in findings[:SHOWN_FINDINGS]:
        told = f"{finding.object}: {finding.message}"
        if finding.remedy and told == str(error):  # said above
            st.markdown(f"{say('What helps')}: {plain(finding.remedy)}")
        elif finding.remedy:
            st.markdown(f"- {plain(told)} — {say('what helps')}: {plain(finding.remedy)}")
    if len(findings) > SHOWN_FINDINGS:
        st.caption(say("and {count} further findings", count=len(findings) - SHOWN_FINDINGS))


def _stale(state: PlannerState, say: Words) -> None:
    kind = freshness(state)
    if kind == "fresh" or state.plan is None:
        return
    left, right = st.columns([5, 1], vertical_alignment="center")
    if kind == "settings":
        left.warning(
            say("The inputs have changed since this plan was made: it is kept, but stale."),
            icon=":material/history:",
        )
        if not going_on(state):
            right.button(say("Plan again"), on_click=ask_to_run, args=(state,), key="plan-again")
        return
    digest = short_digest(state.plan.request.snapshot.digest)
    if state.keep_old:
        left.warning(
            say(
                "Shown is the plan of snapshot {digest}, not of the one chosen now.", digest=digest
            ),
            icon=":material/history:",
        )
    else:
        left.info(
            say(
                "A plan of snapshot {digest} is kept; the cluster chosen now has no plan yet.",
                digest=digest,
            ),
            icon=":material/history:",
        )
    label = say("Show the cluster") if state.keep_old else say("Show that plan")
    right.button(label, on_click=_switch, args=(state,), key="switch-plan")


def _switch(state: PlannerState) -> None:
    state.keep_old = not state.keep_old


def _unproved(plan: Finished, say: Words) -> None:
    seconds = duration(plan.job.elapsed_s)
    if plan.job.stop_reason == "asked":
        st.info(
            say(
                "Stopped after {time}: this is the best plan found until then, verified.",
                time=seconds,
            )
        )
    elif plan.job.stop_reason == "absent":
        st.info(
            say(
                "Stopped after {time}, because the page was closed: this is the best plan found until then.",
                time=seconds,
            )
        )
    elif plan.result.certificate.scope == "all" and plan.result.certificate.status != "OPTIMAL":
        st.info(
            say(
                "The time limit of {limit} ended the search before everything was proved; see Proof and data.",
                limit=duration(plan.request.limits.time_limit_s),
            )
        )


def _failed(failure: Failure, say: Words) -> None:
    failed(
        say,
        failure.error,
        (failure.request.snapshot, failure.request.policy),
        late=say("No plan was found within the limit. Raise the time limit and plan again."),
        withheld=say(
            "The plan failed the independent check and is withheld. Please report it with the bundle."
        ),
        key="withheld-bundle",
    )


def failed(
    say: Words,
    error: PlannerError,
    asked: tuple[Snapshot, EffectivePolicy],
    *,
    late: str,
    withheld: str,
    key: str,
) -> None:
    """Why there is no answer: out of time, withheld by the check, or an error with its findings.

    Parameters
    ----------
    asked
        Cluster and policy of the question, for the bundle of a withheld answer.
    late, withheld
        What to say when the search ran out of time, or its result broke a rule.
    key
        Of the button that hands the bundle out.
    """
    kind = failure_kind(error)
    if kind == "time":
        st.warning(late, icon=":material/timer_off:")
        return
    if kind == "other":
        show_fault(say, error)
        return
    st.error(withheld, icon=":material/gpp_bad:")
    st.code(clean(error), language=None, wrap_lines=True)
    result = getattr(error, "result", None)
    if result is not None:
        st.download_button(
            say("Bundle for a bug report"),
            lambda: bundle_bytes(*asked, result),
            file_name=bundle_name(asked[0]),
            mime="application/zip",
            key=key,
            on_click="ignore",
        )
