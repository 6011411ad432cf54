"""Overview: how full, how good, what is stuck."""

from __future__ import annotations

import streamlit as st

from planner.report.charts import gpu_ladder, gpus_by_state
from planner.report.frames import longest_waits
from ui.parts.drawing import show_chart
from ui.parts.findings import finding_list
from ui.parts.left_out import left_out_sentence, nobody_waits, slots_sentence
from ui.parts.page import Metric, Page, begin, head, proof_metric, share
from ui.parts.tables import show_table
from ui.parts.unplanned import unplanned_waits


def _planned(page: Page) -> None:
    say, result = page.say, page.result
    summary, baseline = result.summary, result.baseline
    most = summary.gpus_allocatable
    more = summary.gpus_after - summary.gpus_before
    sentence = say(
        "{started} of {waited} can start now; {after} of {most} would be allocated ({share}, now {now}).",
        started=summary.gangs_started,
        waited=say.counted(
            summary.gangs_started + summary.gangs_waiting,
            "{count} waiting gang",
            "{count} waiting gangs",
        ),
        after=summary.gpus_after,
        most=say.gpus(most),
        share=share(summary.gpus_after, most),
        now=share(summary.gpus_before, most),
    )
    greedy = say("greedy: {count}", count=baseline.gangs_started) if baseline else ""
    head(
        page,
        say("Overview"),
        left_out_sentence(page) + slots_sentence(page) + sentence,
        (
            Metric(
                say("Allocated now (GPUs)"),
                f"{summary.gpus_before:,}",
                share(summary.gpus_before, most),
            ),
            Metric(
                say("Planned (GPUs)"),
                f"{summary.gpus_after:,}",
                say("{count} more", count=more),
            ),
            Metric(say("Start now (gangs)"), f"{summary.gangs_started:,}", greedy),
            Metric(say("Wait (gangs)"), f"{summary.gangs_waiting:,}", _unsupported(page)),
            proof_metric(page),
        ),
    )


def _unsupported(page: Page) -> str:
    count = page.result.summary.gangs_unsupported
    return page.say("{count} not modelled", count=count) if count else ""


def _before(page: Page) -> None:
    say, found = page.say, page.base.inventory.summary
    sentence = say(
        "{used} of {most} allocated ({share}); waiting: {gangs} for {wanted}. Press Plan to see what can start.",
        used=found.gpus_used,
        most=say.gpus(found.gpus_allocatable),
        share=share(found.gpus_used, found.gpus_allocatable),
        gangs=say.gangs(found.gangs_waiting),
        wanted=say.gpus(found.gpus_waited_for),
    )
    most = found.gpus_allocatable
    head(
        page,
        say("Overview"),
        left_out_sentence(page) + slots_sentence(page) + sentence,
        (
            Metric(
                say("Allocated now (GPUs)"), f"{found.gpus_used:,}", share(found.gpus_used, most)
            ),
            Metric(say("Whole nodes free (GPUs)"), f"{found.gpus_free_whole:,}"),
            Metric(say("Fragments (GPUs)"), f"{found.gpus_free_fragment:,}"),
            Metric(say("Wait (gangs)"), f"{found.gangs_waiting:,}"),
        ),
    )


def _charts(page: Page) -> None:
    say, pools = page.say, page.view.pools
    if not len(pools):
        st.info(say("No node of this cluster has GPUs."))
        return
    if page.plan is not None:
        st.subheader(say("From now to the plan"), anchor=False)
        show_chart(gpu_ladder(page.result, say), "ladder")
    st.subheader(say("GPUs by pool and state"), anchor=False)
    show_chart(gpus_by_state(pools, say), "pools")


def _tables(page: Page) -> None:
    say = page.say
    st.subheader(say("Longest waits"), anchor=False)
    waits = page.view.waits if page.plan is not None else unplanned_waits(page)
    show_table(
        say,
        "longest-waits",
        longest_waits(waits, 5),
        ("gang", "queue", "priority", "gpus", "waited_hours", "reason_codes"),
        alt=say("The five gangs that wait longest"),
        empty=nobody_waits(page),
    )
    st.subheader(say("Findings about the input"), anchor=False)
    finding_list(say, page.result.snapshot.findings)


page = begin()
if page is not None:
    if page.plan is not None:
        _planned(page)
    else:
        _before(page)
    _charts(page)
    _tables(page)
