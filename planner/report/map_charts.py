"""The GPU map of a page, and what stands in its place where there are too many nodes to draw."""

from __future__ import annotations

import altair as alt
import pandas as pd

from planner.report.charts import Layers, Say, state_scale, state_words
from planner.report.frames.gpu_cells import MAP_WIDTH, gpu_cells, map_height

#: What a square shows beside its colour, so that no state hangs on colour alone.
GLYPHS = {
    "gpus_used": "",
    "gpus_planned": "+",
    "gpus_free_whole": "",
    "gpus_free_fragment": "–",
    "gpus_unavailable": "×",
}
_PADDING = 10


def gpu_map(nodes: pd.DataFrame, say: Say = str) -> Layers:
    """One square per GPU, grouped by node and pool; used ones are filled dark, signs mark the other states.

    Parameters
    ----------
    nodes
        A nodes frame of at most ``gpu_cells.MOST_NODES`` nodes.
    say
        Gives a word or title in the reader's language.
    """
    cells = gpu_cells(nodes)
    height = map_height(cells)
    places = ["x", "x2", "y", "y2", "gpus_allocatable", "gpus_free"]
    shown = cells.assign(
        glyph=cells["state"].map(GLYPHS).fillna("").astype(object),
        state=cells["state"].map(state_words(say)).astype(object),
        **{name: cells[name].astype("Float64") for name in places},
    )
    wide = alt.ExprRef(f"max(width, {MAP_WIDTH})")  # squares stay squares on wide pages
    base = alt.Chart(shown).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(domainMin=0, domainMax=wide, nice=False)),
        y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, height], nice=False, reverse=True)),
    )
    squares = base.transform_filter("datum.kind == 'gpu' || datum.kind == 'key'")
    tooltip = [
        alt.Tooltip("node:N", title=say("Node")),
        alt.Tooltip("pool:N", title=say("Pool")),
        alt.Tooltip("state:N", title=say("State")),
        alt.Tooltip("gpus_free:Q", title=say("Free GPUs of the node")),
        alt.Tooltip("gpus_allocatable:Q", title=say("GPUs of the node")),
    ]
    return alt.layer(
        squares.mark_rect(cornerRadius=2).encode(
            x2="x2:Q",
            y2="y2:Q",
            color=alt.Color(
                "state:N",
                title=say("GPU"),
                scale=state_scale(say),
                legend=None,
            ),
            tooltip=tooltip,
        ),
        squares.mark_text(dx=7, dy=7, color="#000000", fontSize=12).encode(text="glyph:N"),
        _labels(base, "key", text="state", size=12, dx=20, dy=11),
        _labels(base, "node", size=10),
        _labels(base, "pool", size=12),
    ).properties(
        height=height + _PADDING,
        width="container",
        description=say("Map of nodes and their GPUs by state"),
    )


def _labels(
    base: alt.Chart, kind: str, *, size: int, text: str = "label", dx: int = 0, dy: int = 0
) -> alt.Chart:
    labels: alt.Chart = (
        base.transform_filter(f"datum.kind == '{kind}'")
        .mark_text(align="left", baseline="alphabetic", fontSize=size, dx=dx, dy=dy)
        .encode(text=f"{text}:N")
    )
    return labels


def occupancy(counts: pd.DataFrame, say: Say = str) -> Layers:
    """Heat map: number of nodes per pool and free GPUs per node, each with its number.

    ``counts`` is the frame of :func:`planner.report.frames.gpu_cells.occupancy_frame`.
    """
    shown = counts.assign(
        nodes=counts["nodes"].astype(int), gpus_free=counts["gpus_free"].astype(int)
    )
    base = alt.Chart(shown).encode(
        x=alt.X("gpus_free:O", title=say("Free GPUs per node"), axis=alt.Axis(labelAngle=0)),
        y=alt.Y("pool:N", title=say("Pool"), axis=alt.Axis(labelLimit=220)),
        tooltip=[
            alt.Tooltip("pool:N", title=say("Pool")),
            alt.Tooltip("gpus_free:Q", title=say("Free GPUs per node")),
            alt.Tooltip("nodes:Q", title=say("Nodes"), format=","),
        ],
    )
    most = int(shown["nodes"].max()) if len(shown) else 1
    return alt.layer(
        base.mark_rect().encode(
            color=alt.Color("nodes:Q", title=say("Nodes"), scale=alt.Scale(scheme="blues"))
        ),
        base.mark_text().encode(
            text=alt.Text("nodes:Q", format=","),
            color=alt.condition(
                f"datum.nodes > {most // 2}", alt.value("white"), alt.value("black")
            ),
        ),
    ).properties(
        height=alt.Step(30),
        width="container",
        description=say("Number of nodes by pool and free GPUs per node"),
    )
