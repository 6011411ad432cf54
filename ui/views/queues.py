"""Queues: who has, who owes, who lends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from planner.report.charts import queue_bars, queue_loans
from planner.report.frames.shares import (
    RESOURCES,
    UNITS,
    flows_frame,
    loan_totals,
    shares_frame,
)
from ui.parts.drawing import show_chart
from ui.parts.page import Metric, Page, begin, head
from ui.parts.tables import show_table
from ui.parts.unplanned import unplanned_queues
from ui.whatif.queue_editor import queue_editor

if TYPE_CHECKING:
    import pandas as pd

# What the queue may have, what it has, what it owes, who waits; amounts in the unit of the heading above.
COLUMNS = (
    "queue",
    "parent",
    "weight",
    "guarantee",
    "deserved",
    "before",
    "after",
    "borrowed",
    "lent",
    "limit",
    "gangs_started",
    "gangs_waiting",
    "gangs_running",
    "state",
)


def _head(page: Page) -> None:
    say, queues = page.say, page.view.queues
    if page.plan is None:
        found = page.base.inventory
        sentence = say(
            "{queues}; shares under the queue model, loans and what each would get appear with a plan.",
            queues=say.queues(len(found.queues)),
        )
        waiting = sum(1 for queue in found.queues if queue.gangs_waiting)
        head(
            page,
            say("Queues"),
            sentence,
            (
                Metric(say("Queues"), f"{len(found.queues):,}"),
                Metric(say("Queues with waiting gangs"), f"{waiting:,}"),
            ),
        )
        return
    totals = loan_totals(queues)
    if totals.borrowed_gpus or totals.lent_gpus:
        sentence = say(
            "With the plan {borrowers} borrow {borrowed} above what they deserve, and {lenders} lend {lent}.",
            borrowers=say.queues(totals.borrowers),
            borrowed=say.gpus(totals.borrowed_gpus),
            lenders=say.queues(totals.lenders),
            lent=say.gpus(totals.lent_gpus),
        )
    else:
        sentence = say("With the plan no queue borrows or lends GPUs.")
    sentence += " " + say(
        "Below what they deserve, with gangs waiting: {below}.",
        below=say.queues(totals.below_deserved),
    )
    head(
        page,
        say("Queues"),
        sentence,
        (
            Metric(say("Queues"), f"{len(queues):,}"),
            Metric(
                say("Borrowed (GPUs)"), f"{totals.borrowed_gpus:,}", say.queues(totals.borrowers)
            ),
            Metric(say("Lent (GPUs)"), f"{totals.lent_gpus:,}", say.queues(totals.lenders)),
            Metric(
                say("Below deserved"),
                say.queues(totals.below_deserved),
                explain=say("Queues with fewer GPUs than they deserve while gangs of theirs wait."),
            ),
        ),
    )


def _charts(page: Page) -> None:
    say, queues = page.say, page.view.queues
    left, right = st.columns([3, 2])
    with left:
        st.subheader(say("GPUs: deserved, allocated, planned"), anchor=False)
        show_chart(queue_bars(queues, say), "queue-bars")
    with right:
        st.subheader(say("Who borrows, who lends"), anchor=False)
        totals = loan_totals(queues)
        if totals.borrowed_gpus or totals.lent_gpus:
            show_chart(queue_loans(queues, say), "queue-loans")
        else:
            st.info(say("No queue borrows or lends GPUs."))


def _table(page: Page) -> None:
    say = page.say
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    heading = left.empty()
    resource = right.segmented_control(
        say("Resource"),
        RESOURCES,
        default=RESOURCES[0],
        required=True,
        format_func=lambda name: say(UNITS[name]) if name != "memory" else say("Memory (GiB)"),
        key="queue-resource",
        label_visibility="collapsed",
    )
    unit = say(UNITS[str(resource)])
    heading.subheader(say("Shares ({unit})", unit=unit), anchor=False)
    queues = page.view.queues if page.plan is not None else unplanned_queues(page)
    shares = shares_frame(queues, str(resource))
    show_table(
        say,
        "queues",
        shares,
        _telling(shares),
        alt=say("Queues with their shares in the chosen resource"),
        empty=say("No queue is listed."),
        quiet=("guarantee", "borrowed", "lent"),
    )
    st.caption(say("A dash means: no bound in this resource."))
    if page.plan is not None:
        _flows(page, str(resource))


def _telling(shares: pd.DataFrame) -> tuple[str, ...]:
    """Without columns that are the same for every queue: no hierarchy, all open; the file has them."""
    same = {
        "parent": shares["parent"].isin(("", "root")).all(),
        "state": (shares["state"] == "Open").all(),
    }
    return tuple(name for name in COLUMNS if not same.get(name, False))


def _flows(page: Page, resource: str) -> None:
    """Lender to borrower, one row per pair."""
    say = page.say
    flows = flows_frame(page.view.loans, resource, page.base.inventory.gpu_resources)
    if not len(flows) and resource == RESOURCES[0]:
        return  # beside the chart the page says that nobody borrows GPUs
    st.subheader(say("Who lends to whom"), anchor=False)
    show_table(
        say,
        "loans",
        flows,
        ("lender", "borrower", "amount"),
        alt=say("Amounts that queues lend each other in the chosen resource"),
        empty=say("No queue borrows this resource."),
        unit=say(UNITS[resource]),
    )
    if len(flows):
        st.caption(say("An empty lender: nobody deserves it."))


page = begin()
if page is not None:
    _head(page)
    if page.plan is not None and len(page.view.queues):
        _charts(page)
    _table(page)
    queue_editor(page)
