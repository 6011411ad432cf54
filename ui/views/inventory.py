"""Inventory: what is there, and where are the holes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from planner.report.frames.fragments import fragments_frame
from planner.report.frames.gpu_cells import MOST_NODES, occupancy_frame
from planner.report.frames.node_pods import node_pods_frame
from planner.report.map_charts import gpu_map, occupancy
from ui.parts.drawing import show_chart
from ui.parts.page import Metric, Page, begin, head, share
from ui.parts.tables import show_table
from ui.parts.text import plain
from ui.parts.topology import topology
from ui.parts.unplanned import node_classes
from ui.parts.use import measured_use
from ui.session import cached

if TYPE_CHECKING:
    import pandas as pd


def _head(page: Page) -> None:
    say, found = page.say, page.base.inventory.summary
    most = found.gpus_allocatable
    sentence = say(
        "{nodes} in {classes}: {used} of {most} allocated; free are {whole} on whole nodes, {fragment} in fragments "
        "and {away} on nodes that take no pods.",
        nodes=say.nodes(found.nodes),
        classes=say.counted(found.node_classes, "{count} class", "{count} classes"),
        used=found.gpus_used,
        most=say.gpus(most),
        whole=found.gpus_free_whole,
        fragment=found.gpus_free_fragment,
        away=found.gpus_unavailable,
    )
    closed = ""
    if found.nodes_closed:
        closed = say.counted(found.nodes_closed, "{count} takes no pods", "{count} take no pods")
    head(
        page,
        say("Inventory"),
        sentence,
        (
            Metric(say("Nodes"), f"{found.nodes:,}", closed),
            Metric(
                say("Allocated now (GPUs)"), f"{found.gpus_used:,}", share(found.gpus_used, most)
            ),
            Metric(
                say("Whole nodes free (GPUs)"),
                f"{found.gpus_free_whole:,}",
                share(found.gpus_free_whole, most),
            ),
            Metric(
                say("Fragments (GPUs)"),
                f"{found.gpus_free_fragment:,}",
                share(found.gpus_free_fragment, most),
                say(
                    "Free GPUs of nodes on which other GPUs are used; gangs that need whole nodes cannot use them."
                ),
            ),
        ),
    )


def _map(page: Page, nodes: pd.DataFrame) -> None:
    say = page.say
    st.subheader(say("GPU map"), anchor=False)
    with_gpus = nodes[nodes["gpus_allocatable"] > 0]
    if not len(with_gpus):
        st.info(say("No node of this cluster has GPUs."))
        return
    if len(with_gpus) > MOST_NODES:
        with_gpus = _drill_down(page, with_gpus)
    show_chart(gpu_map(with_gpus, say), "gpu-map")


def _drill_down(page: Page, nodes: pd.DataFrame) -> pd.DataFrame:
    """Counts of all nodes, and one pool (or a part of it) to draw node by node."""
    say = page.say
    show_chart(
        occupancy(occupancy_frame(nodes), say),
        key="occupancy",
    )
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    pools = sorted(nodes["pool"].unique())
    pool = left.selectbox(say("Draw the nodes of pool"), pools, key="map-pool")
    chosen = nodes[nodes["pool"] == pool]
    pages = -(-len(chosen) // MOST_NODES)
    number = int(
        right.number_input(say("Page of {pages}", pages=pages), 1, max(1, pages), 1, key="map-page")
    )
    drawn: pd.DataFrame = chosen.iloc[(number - 1) * MOST_NODES : number * MOST_NODES]
    return drawn


def _fragments(page: Page, nodes: pd.DataFrame) -> None:
    """Free GPUs by pool, whole nodes and holes, and how many pods of a size fit."""
    say = page.say
    st.subheader(say("Fragments"), anchor=False)
    st.caption(
        say(
            "The last columns count the pods of a size that fit by their GPUs; CPUs, memory and limits of queues may "
            "leave less room."
        )
    )
    show_table(
        say,
        "fragments",
        cached(page.state, "fragments", id(page.view), lambda: fragments_frame(nodes)),
        (
            "pool",
            "nodes",
            "gpus_free_whole",
            "gpus_free_fragment",
            "fit_1",
            "fit_2",
            "fit_4",
            "fit_8",
        ),
        alt=say("Free GPUs by pool, on whole nodes and in fragments"),
        empty=say("No node with GPUs takes pods."),
    )


def _nodes(page: Page, nodes: pd.DataFrame) -> None:
    say = page.say
    st.subheader(say("Nodes"), anchor=False)
    st.caption(say("Select a row to see the pods of a node."))
    row = show_table(
        say,
        "nodes",
        cached(page.state, "nodes", id(page.view), lambda: _with_room(nodes)),
        (
            "node",
            "pool",
            "gpus_allocatable",
            "gpus_used",
            "gpus_planned",
            "gpus_free",
            "cpus_free",
            "memory_gib_free",
            "conditions",
            "domain",
        ),
        alt=say("All nodes with their GPUs by state"),
        empty=say("This cluster has no nodes."),
        select=True,
    )
    if row is None:
        return
    name = str(nodes.iloc[row]["node"])
    st.subheader(say("Pods of node {name}", name=plain(name)), anchor=False)
    snapshot = page.plan.request.snapshot if page.plan is not None else page.base.given.snapshot
    show_table(
        say,
        "node-pods",
        node_pods_frame(snapshot, page.result, name),
        ("action", "pod", "pods", "gang", "gpus", "cpus", "memory_gib"),
        alt=say("Pods of the selected node"),
        empty=say("No pod is on this node."),
    )


def _with_room(nodes: pd.DataFrame) -> pd.DataFrame:
    """What is free on every node beside what it has; a page has no room for each amount twice."""
    return nodes.assign(
        gpus_free=nodes["gpus_free_whole"] + nodes["gpus_free_fragment"],
        cpu_milli_free=nodes["cpu_milli_allocatable"] - nodes["cpu_milli_after"],
        memory_bytes_free=nodes["memory_bytes_allocatable"] - nodes["memory_bytes_after"],
    )


def _classes(page: Page) -> pd.DataFrame:
    found = node_classes(page)
    return found.assign(gpus_free=found["gpus_free_whole"] + found["gpus_free_fragment"])


page = begin()
if page is not None:
    _head(page)
    _map(page, page.view.nodes)
    topology(page, page.view.nodes)
    _fragments(page, page.view.nodes)
    measured_use(page)
    st.subheader(page.say("Classes of equal nodes"), anchor=False)
    show_table(
        page.say,
        "node-classes",
        _classes(page),
        (
            "gpu_model",
            "nodes",
            "nodes_closed",
            "gpus_each",
            "gpus_used",
            "gpus_free",
            "example",
            "taints",
        ),
        alt=page.say("Classes of equal nodes"),
        empty=page.say("This cluster has no nodes."),
    )
    _nodes(page, page.view.nodes)
