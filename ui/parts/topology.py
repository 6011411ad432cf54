"""Topology on the page Inventory: domain by domain, drilling down to leaf, node and GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from planner.report.charts import gpus_by_state
from planner.report.frames.domains import (
    SEPARATOR,
    domains_frame,
    has_domains,
    inside,
    known_domains,
)
from planner.report.frames.gpu_cells import MOST_NODES
from planner.report.map_charts import gpu_map
from ui.parts.drawing import show_chart
from ui.parts.page import Page
from ui.parts.tables import show_table
from ui.parts.widgets import keep
from ui.session import cached

if TYPE_CHECKING:
    import pandas as pd

MOST_BARS = 60
COLUMNS = (
    "domain",
    "nodes",
    "nodes_whole",
    "gpus_used",
    "gpus_planned",
    "gpus_free_whole",
    "gpus_free_fragment",
    "gpus_unavailable",
)
"""What is used, planned and free makes up what there is."""


def topology(page: Page, nodes: pd.DataFrame) -> None:
    """Draw the section; nothing where no node lies in a domain."""
    say = page.say
    if not cached(page.state, "has domains", id(nodes), lambda: has_domains(nodes)):
        return
    st.subheader(say("Topology"), anchor=False)
    options = ["", *cached(page.state, "known domains", id(nodes), lambda: known_domains(nodes))]
    keep("topology-domain", "", options)
    chosen = str(
        st.selectbox(
            say("Show the domains inside"),
            options,
            format_func=lambda one: one or say("the whole cluster"),
            key="topology-domain",
        )
    )
    domains = cached(
        page.state, "domains", (id(nodes), chosen), lambda: domains_frame(nodes, chosen)
    )
    part = _named(inside(nodes, chosen), say("outside all domains"))
    if len(part) <= MOST_NODES:
        st.caption(say("One frame is one domain, one group is one node, one square is one GPU."))
        show_chart(gpu_map(part, say), f"topology-map-{chosen}")
    else:
        _bars(page, domains, chosen)
    show_table(
        say,
        "domains",
        domains,
        COLUMNS,
        alt=say("Domains with their GPUs by state"),
        quiet=("gpus_planned", "gpus_unavailable"),
        empty=say("No node lies in a domain here."),
    )


def _bars(page: Page, domains: pd.DataFrame, chosen: str) -> None:
    """One bar per domain, page by page; the map follows once a part is small enough to draw."""
    say, first = page.say, 0
    pages = -(-len(domains) // MOST_BARS)
    if pages > 1:
        label = say("Page of {pages}", pages=pages)
        first = MOST_BARS * (int(st.number_input(label, 1, pages, 1, key="topology-page")) - 1)
    st.caption(
        say(
            "{nodes} are too many to draw one by one (at most {most}); choose a domain above to see its GPUs.",
            nodes=say.nodes(int(domains["nodes"].sum())),
            most=MOST_NODES,
        )
    )
    shown = domains.iloc[first : first + MOST_BARS]
    bars = shown.assign(
        pool=[_short(one, chosen) or say("outside all domains") for one in shown["domain"]]
    )
    show_chart(gpus_by_state(bars, say, group="Topology domain"), f"topology-bars-{chosen}")


def _named(part: pd.DataFrame, outside: str) -> pd.DataFrame:
    """Nodes under the name of their finest domain, which the map groups by."""
    return part.assign(pool=[str(path) or outside for path in part["domain"]])


def _short(domain: str, above: str) -> str:
    return domain.removeprefix(above + SEPARATOR) if above else domain
