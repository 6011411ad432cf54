"""Waiting: why does this gang wait."""

from __future__ import annotations

import streamlit as st

from planner.report.charts import reason_bars
from planner.report.frames.gangs import lacking_frame, milli_gpus
from planner.report.reason_words import ADVICE, meaning
from planner.report.text import gpus_text
from planner.report.ticket import gang_named, reason_numbers, ticket_text
from ui.parts.drawing import show_chart
from ui.parts.left_out import nobody_waits
from ui.parts.page import Metric, Page, begin, head
from ui.parts.tables import show_table
from ui.parts.text import plain
from ui.parts.unplanned import unplanned_waits
from ui.parts.widths import HALF_PX
from ui.whatif.fixes import fixes

COLUMNS = (
    "gang",
    "queue",
    "priority",
    "gpus",
    "min_member_pods",
    "waited_hours",
    "reason_codes",
)


def _planned(page: Page) -> None:
    say, waits = page.say, page.view.waits
    totals = page.view.reason_totals_by_code
    summary = page.result.summary
    wanted = sum(milli_gpus(gang) for gang in page.result.gangs if gang.decision == "wait")
    sentence = say(
        "Waiting after the plan: {gangs} for {wanted}.",
        gangs=say.gangs(summary.gangs_waiting),
        wanted=say.milli_gpus(wanted),
    )
    if len(totals):
        first = totals.iloc[0]
        sentence += " " + say(
            "The reason that holds most GPUs: {reason} ({gangs}).",
            reason=say(meaning(str(first["code"]))),
            gangs=say.gangs(int(first["gangs"])),
        )
    head(
        page,
        say("Waiting"),
        sentence,
        (
            Metric(say("Wait (gangs)"), f"{summary.gangs_waiting:,}"),
            Metric(say("Wanted (GPUs)"), gpus_text(wanted)),
            Metric(say("Kinds of reasons"), f"{len(totals):,}"),
            Metric(
                say("Not modelled (gangs)"),
                f"{summary.gangs_unsupported:,}",
                explain=say(
                    "Gangs with a required rule that the planner does not model; nothing is placed against it."
                ),
            ),
        ),
    )
    if len(totals) and totals["gpus"].any():  # bars of nothing tell nothing
        st.subheader(say("Reasons"), anchor=False)
        show_chart(reason_bars(totals, say), "reasons")
    st.subheader(say("Gangs that wait"), anchor=False)
    st.caption(say("Select a row to see why a gang waits and what would help."))
    row = show_table(
        say,
        "waiting",
        waits,
        COLUMNS,
        alt=say("Gangs that wait, with their reasons"),
        empty=nobody_waits(page),
        select=True,
    )
    if row is not None:
        _detail(page, str(waits.iloc[row]["gang"]))
    _lacking(page)


def _lacking(page: Page) -> None:
    """Running gangs of which pods wait beyond their minimum."""
    say, rows = page.say, lacking_frame(page.view.gangs)
    if not len(rows):
        return
    st.subheader(say("Running gangs with pods that wait"), anchor=False)
    show_table(
        say,
        "lacking",
        rows,
        ("gang", "queue", "priority", "pods_after", "pods_pending", "idle_hours", "reason_codes"),
        alt=say("Running gangs with pods that wait"),
        empty="",
    )


def _detail(page: Page, name: str) -> None:
    say = page.say
    gang = gang_named(page.result, name)
    if gang is None:
        return
    st.subheader(say("Why {gang} waits", gang=plain(name)), anchor=False)
    for reason in gang.reasons:
        with st.container(border=True):
            st.markdown(f"**{say(meaning(reason.code))}** (`{reason.code}`)")
            st.markdown(plain(reason.message))
            if reason.code in ADVICE:
                st.markdown(f"{say('What helps')}: {say(ADVICE[reason.code])}")
    fixes(page, name)
    left, right = st.columns(2)
    with left:
        st.markdown(f"**{say('Text for a ticket')}**")
        st.code(ticket_text(gang, page.result), language=None, wrap_lines=True)
    with right:
        st.markdown(f"**{say('Numbers behind the reasons')}**")
        show_table(
            say,
            "reason-numbers",
            reason_numbers(gang),
            ("code", "key", "value"),
            alt=say(
                "Numbers behind the reasons of the selected gang, CPU in milli-CPU, memory in bytes"
            ),
            empty=say("The reasons carry no numbers."),
            room=HALF_PX,
        )
        st.caption(say("CPU in milli-CPU, memory in bytes, everything else in units."))


def _before(page: Page) -> None:
    say, found = page.say, page.base.inventory.summary
    head(
        page,
        say("Waiting"),
        say(
            "Waiting: {gangs} for {wanted}; why each of them waits is told with a plan.",
            gangs=say.gangs(found.gangs_waiting),
            wanted=say.gpus(found.gpus_waited_for),
        ),
        (
            Metric(say("Wait (gangs)"), f"{found.gangs_waiting:,}"),
            Metric(say("Wanted (GPUs)"), f"{found.gpus_waited_for:,}"),
            Metric(say("Gangs"), f"{found.gangs:,}"),
        ),
    )
    show_table(
        say,
        "waiting",
        unplanned_waits(page),
        tuple(name for name in COLUMNS if name != "reason_codes"),
        alt=say("Gangs that wait"),
        empty=nobody_waits(page),
    )


page = begin()
if page is not None:
    if page.plan is not None:
        _planned(page)
    else:
        _before(page)
