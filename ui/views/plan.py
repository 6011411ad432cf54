"""Plan: what runs where."""

from __future__ import annotations

import streamlit as st

from planner.report.frames.placements import placements_frame, receiving_nodes
from ui.parts.page import Metric, Page, begin, head, proof_metric
from ui.parts.past_plan import past_plan
from ui.parts.tables import show_table
from ui.parts.text import plain
from ui.session import ask_to_run, cached, going_on
from ui.whatif.placements import pin_or_forbid


def _planned(page: Page) -> None:
    say = page.say
    summary = page.result.summary
    placements = cached(
        page.state, "placements", id(page.view), lambda: placements_frame(page.view.result)
    )
    nodes = cached(
        page.state, "receiving", id(page.view), lambda: receiving_nodes(page.view.nodes, placements)
    )
    head(
        page,
        say("Plan"),
        _sentence(page, len(nodes)),
        (
            Metric(say("Start now (gangs)"), f"{summary.gangs_started:,}"),
            Metric(say("Grow (gangs)"), f"{summary.gangs_grown:,}"),
            Metric(say("Placed (pods)"), f"{summary.pods_placed:,}"),
            Metric(say("More allocated (GPUs)"), f"{summary.gpus_after - summary.gpus_before:,}"),
            proof_metric(page),
        ),
    )
    titles = [say("By gang"), say("By node"), say("All placements")]
    by_gang, by_node, pods, *evicted = st.tabs(
        [*titles, *([say("Evictions")] if summary.pods_evicted else [])]
    )
    for tab in evicted:
        with tab:
            _evictions(page)
    with by_gang:
        _gangs(page)
    with by_node:
        show_table(
            say,
            "plan-nodes",
            nodes,
            ("node", "pool", "gpus_allocatable", "gpus_used", "gpus_planned", "pods", "gangs"),
            alt=say("Nodes that receive pods"),
            empty=say("No node receives pods."),
        )
    with pods:
        show_table(
            say,
            "placements",
            placements,
            ("gang", "queue", "role", "action", "pod", "pods", "node", "from_node"),
            alt=say("Every pod that is placed, and where"),
            empty=say("The plan places no pod."),
        )


def _evictions(page: Page) -> None:
    """Who loses pods, by which rule, for whom, and what work is lost."""
    say = page.say
    show_table(
        say,
        "evictions",
        page.view.evictions,
        (
            "gang",
            "queue",
            "priority",
            "rule",
            "pods",
            "gpus",
            "lost_gpu_hours",
            "nodes",
            "room_for",
            "message",
        ),
        alt=say("Gangs that lose pods, and for whom"),
        empty=say("No pod is evicted."),
    )


def _sentence(page: Page, nodes: int) -> str:
    say, summary = page.say, page.result.summary
    started = say(
        "Starting now: {gangs}, {pods} placed on {nodes};",
        gangs=say.gangs(summary.gangs_started),
        pods=say.pods(summary.pods_placed),
        nodes=say.nodes(nodes),
    )
    if not summary.pods_evicted:
        return f"{started} {say('no running pod is touched.')}"
    return f"{started} {say('{pods} evicted.', pods=say.pods(summary.pods_evicted))}"


def _gangs(page: Page) -> None:
    say, changes = page.say, page.view.changes
    st.caption(say("Select a row to see the pods of a gang."))
    row = show_table(
        say,
        "changes",
        changes,
        (
            "gang",
            "queue",
            "decision",
            "gpus",
            "pods_before",
            "pods_after",
            "idle_hours",
            "node_count",
            "gpu_models",
            "nodes",
        ),
        alt=say("Gangs that the plan starts or changes"),
        empty=say("The plan starts nothing: no waiting gang fits."),
        select=True,
        quiet=("pods_before",),
    )
    if row is None:
        return
    name = str(changes.iloc[row]["gang"])
    st.subheader(say("Pods of {gang}", gang=plain(name)), anchor=False)
    show_table(
        say,
        "gang-pods",
        placements_frame(page.view.result, gang=name),
        ("role", "action", "pod", "pods", "node"),
        alt=say("Pods of the selected gang"),
        empty=say("The plan places no pod."),
    )
    pin_or_forbid(page, name)


def _before(page: Page) -> None:
    say = page.say
    sentence = (
        say("There is no plan yet: the search for one runs.")
        if going_on(page.state)
        else say("There is no plan yet: nothing has been asked of the planner.")
    )
    head(page, say("Plan"), sentence, ())
    if not going_on(page.state):
        st.markdown(
            say(
                "A plan tells which waiting gangs start now and on which nodes, checked against the rules and with a "
                "proof of how far it may be from the best one. The demo takes seconds, a large cluster up to "
                "the time limit."
            )
        )
        st.button(
            say("Plan this cluster"),
            type="primary",
            on_click=ask_to_run,
            args=(page.state,),
            key="plan-now",
        )


page = begin()
if page is not None:
    if page.state.past is not None:
        past_plan(page, page.state.past)
    elif page.plan is not None:
        _planned(page)
    else:
        _before(page)
