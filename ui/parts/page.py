"""The head of every page: title, what it stands on, what is wrong or stale, one sentence, metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from models.plan import PlanResult, SnapshotEntry
from planner.report.plan_view import PlanView
from planner.report.proof_words import proof_short
from planner.report.sections.footer import short_digest
from planner.report.text import percent
from ui.messages import Words
from ui.parts.banners import banners, show_fault
from ui.parts.text import moment, plain
from ui.session import session, shown_ground, shown_plan, shown_view, timezone_of
from ui.state import Finished, Ground, PlannerState


@dataclass(frozen=True)
class Page:
    """What a page reads.

    Attributes
    ----------
    plan
        The plan that is shown, None where there is none (yet).
    view
        Frames of the plan under the filters, or of the cluster before any plan.
    """

    state: PlannerState
    say: Words
    base: Ground
    plan: Finished | None
    view: PlanView

    @property
    def result(self) -> PlanResult:
        """The document behind the frames, with all gangs."""
        return self.plan.result if self.plan is not None else self.base.view.result


@dataclass(frozen=True)
class Metric:
    """One number at the top: label, value with unit, and a remark below it."""

    label: str
    value: str
    remark: str = ""
    explain: str = ""


def begin() -> Page | None:
    """What the page reads; None, with the reason drawn, where nothing is open."""
    state = session()
    say = Words(state.language)
    with st.spinner(say("Looking at the cluster …")):
        base, view = shown_ground(state), shown_view(state)
    if base is None or view is None:
        st.title(say("No cluster is open"), anchor=False)
        if state.fault is not None:
            show_fault(say, state.fault)
        st.info(say("Choose a sample or upload an export in the side bar."))
        return None
    return Page(state, say, base, shown_plan(state), view)


def head(
    page: Page,
    title: str,
    sentence: str,
    metrics: Sequence[Metric],
    *,
    snapshot: SnapshotEntry | None = None,
    timezone: str = "",
    banner: Callable[[], None] | None = None,
) -> None:
    """Draw the head.

    Parameters
    ----------
    snapshot
        What the page speaks of where that is not the shown plan's.
    timezone
        The zone of the page's times where that is not the policy's of now.
    banner
        Draws what a reader must know first where the page is not about the plan.
    """
    say = page.say
    st.title(title, anchor=False)
    st.markdown(f"**{sentence}**")
    st.caption(as_of_line(page, snapshot, timezone))
    if banner is not None:
        banner()
    else:
        banners(page.state, say)
    draw_metrics(metrics)


def draw_metrics(metrics: Sequence[Metric]) -> None:
    """Draw numbers side by side."""
    columns = st.columns(len(metrics)) if metrics else ()
    for column, metric in zip(columns, metrics, strict=True):
        column.metric(
            metric.label,
            metric.value,
            delta=metric.remark or None,
            delta_color="off",
            delta_arrow="off",
            help=metric.explain or None,
            border=True,
            height="stretch",
        )


def as_of_line(page: Page, snapshot: SnapshotEntry | None = None, timezone: str = "") -> str:
    """When and what the page speaks of."""
    say, snapshot = page.say, snapshot or page.result.snapshot
    zone = timezone or timezone_of(page.state)
    when = moment(snapshot.as_of, zone) if snapshot.as_of else say("an unknown time")
    text = say(
        "As of {when}; snapshot {digest}: {nodes}, {pods}",
        when=plain(when),
        digest=short_digest(snapshot.digest),
        nodes=say.nodes(snapshot.nodes),
        pods=say.pods(snapshot.pods),
    )
    filters = page.state.filters
    named = [*filters.namespaces, *filters.queues]
    if named:
        text += " · " + say(
            "Lists show only {names}; numbers at the top are of the whole cluster",
            names=", ".join(plain(name) for name in named),
        )
    return text


def share(part: int, whole: int) -> str:
    """A share in percent."""
    return percent(part, whole)


def proof_metric(page: Page) -> Metric:
    """The proof as a metric: a gap, or a word."""
    say, text = page.say, proof_short(page.result.certificate)
    if text.startswith("within "):
        return Metric(say("Gap to the best"), text.removeprefix("within "), say("of the GPU tiers"))
    if page.result.certificate.status == "OPTIMAL":
        return Metric(say("Gap to the best"), "0 %", say("proved optimal"))
    return Metric(say("Gap to the best"), say("open"), say(text))


def proof_text(say: Words, result: PlanResult) -> str:
    """How near the plan is to the best one, in the reader's language."""
    text = proof_short(result.certificate)
    if text.startswith("within "):
        return say("within {gap}", gap=text.removeprefix("within "))
    return say(text)
