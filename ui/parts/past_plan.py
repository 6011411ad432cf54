"""The plan of a past night on the page Plan."""

from __future__ import annotations

import streamlit as st

from planner.report.frames.placements import placements_frame, receiving_nodes
from planner.report.plan_report import plan_report
from planner.report.plan_view import PlanView
from planner.report.schedule_report import schedule_report
from planner.report.selection import select
from planner.usecases.past_nights import PastPlan
from ui.export import Export
from ui.parts.page import Metric, Page, head
from ui.parts.schedule_result import show_schedule
from ui.parts.tables import show_table
from ui.past import close_past_plan
from ui.session import cached


def past_plan(page: Page, past: PastPlan) -> None:
    """Draw it: what was to start, where, and its schedule."""
    say, result, filters = page.say, past.result, page.state.filters
    summary = result.summary

    def banner() -> None:
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.info(
            say(
                "This is the plan of the night {night}, from the history.",
                night=past.night.isoformat(),
            ),
            icon=":material/history:",
        )
        right.button(
            say("Back to the cluster"),
            on_click=close_past_plan,
            args=(page.state,),
            key="past-close",
        )

    head(
        page,
        say("Plan"),
        say(
            "Starting in that night: {gangs}, {pods} placed.",
            gangs=say.gangs(summary.gangs_started),
            pods=say.pods(summary.pods_placed),
        ),
        (
            Metric(say("Start now (gangs)"), f"{summary.gangs_started:,}"),
            Metric(say("Wait (gangs)"), f"{summary.gangs_waiting:,}"),
            Metric(say("Placed (pods)"), f"{summary.pods_placed:,}"),
            Metric(say("More allocated (GPUs)"), f"{summary.gpus_after - summary.gpus_before:,}"),
        ),
        snapshot=result.snapshot,
        timezone=past.timezone,
        banner=banner,
    )
    view = cached(
        page.state,
        "past view",
        (id(past), filters),
        lambda: PlanView(select(result, namespaces=filters.namespaces, queues=filters.queues)),
    )
    _tables(page, view)
    schedule = result.schedule
    if schedule is not None:
        show_schedule(say, result, schedule, filters)
    page.state.export = Export(
        f"plan-{past.night.isoformat()}",
        lambda: (plan_report if schedule is None else schedule_report)(
            result, namespaces=filters.namespaces, queues=filters.queues
        ),
        own_snapshot=False,
    )


def _tables(page: Page, view: PlanView) -> None:
    say = page.say
    placements = placements_frame(view.result)
    gangs, nodes, pods = st.tabs([say("By gang"), say("By node"), say("All placements")])
    with gangs:
        show_table(
            say,
            "past-changes",
            view.changes,
            ("gang", "queue", "decision", "priority", "gpus", "pods_after", "node_count", "nodes"),
            alt=say("Gangs that the plan starts or changes"),
            empty=say("The plan starts nothing: no waiting gang fits."),
        )
    with nodes:
        show_table(
            say,
            "past-nodes",
            receiving_nodes(view.nodes, placements),
            ("node", "pool", "gpus_allocatable", "gpus_used", "gpus_planned", "pods", "gangs"),
            alt=say("Nodes that receive pods"),
            empty=say("No node receives pods."),
        )
    with pods:
        show_table(
            say,
            "past-placements",
            placements,
            ("gang", "queue", "role", "action", "pod", "pods", "node"),
            alt=say("Every pod that is placed, and where"),
            empty=say("The plan places no pod."),
        )
