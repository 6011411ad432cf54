"""Altair charts of the frames, for pages; one grammar and one palette (Okabe and Ito, safe for colour-blind readers).

Needs the extra ``report`` or ``ui``. Every chart has a description for screen readers and tooltips with units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import altair as alt
import pandas as pd

from planner.report.frames.nodes import GPU_STATES

STATE_COLORS = {
    "used": "#0072B2",
    "planned": "#E69F00",
    "free, whole node": "#9CCFEA",
    "free, fragment": "#CC79A7",
    "free, unavailable": "#8C8C8C",
}
_BEFORE, _AFTER, _DESERVED, _GAP = "#0072B2", "#E69F00", "#000000", "#D55E00"
_ROW = 26

Layers: TypeAlias = alt.LayerChart | alt.FacetChart


def gpus_by_state(pools: pd.DataFrame) -> alt.Chart:
    """Stacked bar per pool: GPUs used, planned, free whole, free in fragments, free but unavailable.

    ``pools`` is the frame of :func:`planner.report.frames.pools_frame`.
    """
    words = dict(zip(GPU_STATES, STATE_COLORS, strict=True))
    long = pools.melt(
        id_vars=["pool", "gpus_allocatable"],
        value_vars=list(GPU_STATES),
        var_name="state",
        value_name="gpus",
    )
    long = long.assign(
        order=long["state"]
        .map({state: place for place, state in enumerate(GPU_STATES)})
        .astype(int),
        state=long["state"].map(words),
        gpus=long["gpus"].astype(int),
        gpus_allocatable=long["gpus_allocatable"].astype(int),
    )
    chart: alt.Chart = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            x=alt.X("gpus:Q", title="GPUs", stack="zero"),
            y=alt.Y("pool:N", title="Pool", sort="-x"),
            color=alt.Color(
                "state:N",
                title="GPU",
                scale=alt.Scale(domain=list(STATE_COLORS), range=list(STATE_COLORS.values())),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("pool:N", title="Pool"),
                alt.Tooltip("state:N", title="State"),
                alt.Tooltip("gpus:Q", title="GPUs", format=","),
                alt.Tooltip("gpus_allocatable:Q", title="GPUs allocatable", format=","),
            ],
        )
        .properties(
            height=alt.Step(_ROW), width="container", description="GPUs by state, one bar per pool"
        )
    )
    return chart


def queue_bars(queues: pd.DataFrame) -> Layers:
    """Bullet bar per queue: planned (wide), allocated before (narrow), deserved (tick).

    ``queues`` is the frame of :func:`planner.report.frames.queues_frame`.
    """
    columns = ["deserved_gpus", "before_gpus", "after_gpus"]
    shown = queues[["queue", *columns]].astype(dict.fromkeys(columns, "Float64"))
    base = alt.Chart(shown).encode(
        y=alt.Y("queue:N", title="Queue", sort=None),
        tooltip=[
            alt.Tooltip("queue:N", title="Queue"),
            alt.Tooltip("deserved_gpus:Q", title="Deserved GPUs", format=","),
            alt.Tooltip("before_gpus:Q", title="Allocated GPUs (before)", format=","),
            alt.Tooltip("after_gpus:Q", title="Planned GPUs (after)", format=","),
        ],
    )
    return alt.layer(
        base.mark_bar(size=18, color=_AFTER).encode(x=alt.X("after_gpus:Q", title="GPUs")),
        base.mark_bar(size=8, color=_BEFORE).encode(x="before_gpus:Q"),
        base.mark_tick(size=24, thickness=3, color=_DESERVED).encode(x="deserved_gpus:Q"),
    ).properties(
        height=alt.Step(_ROW + 4),
        width="container",
        description="GPUs of queues: planned, allocated before, deserved",
    )


def tier_gaps(tiers: pd.DataFrame) -> Layers:
    """Gap of every tier in percent, in the order of the objective; a tier without a bound says so in words.

    ``tiers`` is the frame of :func:`planner.report.frames.tiers_frame`.
    """
    proved = tiers["gap"].notna()
    shown = tiers[["tier", "unit", "value", "bound"]].assign(
        gap_percent=(tiers["gap"] * 100).fillna(0.0).astype(float),
        words=[
            f"{gap:.3g} %" if known else "no bound proved"
            for gap, known in zip(tiers["gap"].fillna(0.0) * 100, proved, strict=True)
        ],
    )
    base = alt.Chart(shown).encode(
        y=alt.Y("tier:N", title="Tier", sort=None),
        tooltip=[
            alt.Tooltip("tier:N", title="Tier"),
            alt.Tooltip("value:Q", title="Value", format=","),
            alt.Tooltip("bound:Q", title="Bound", format=","),
            alt.Tooltip("unit:N", title="Unit"),
            alt.Tooltip("words:N", title="Gap"),
        ],
    )
    gap = alt.X("gap_percent:Q", title="Gap to the bound (%)")
    return alt.layer(
        base.mark_bar(color=_GAP).encode(x=gap),
        base.mark_text(align="left", dx=4).encode(x=gap, text="words:N"),
    ).properties(
        height=alt.Step(_ROW), width="container", description="Gap of every tier to its bound in %"
    )


def incumbents(points: Sequence[tuple[float, int, int | None]], *, unit: str) -> Layers:
    """Value of the best plan and its bound over time.

    Parameters
    ----------
    points
        Seconds since the start, incumbent and bound (None where none is proved), in order of time.
    unit
        Unit of incumbent and bound, e.g. ``GPUs``.
    """
    shown = pd.DataFrame(
        {
            "seconds": pd.Series([one[0] for one in points], dtype="Float64"),
            "incumbent": pd.Series([one[1] for one in points], dtype="Int64"),
            "bound": pd.Series([one[2] for one in points], dtype="Int64"),
        }
    )
    base = alt.Chart(shown).encode(x=alt.X("seconds:Q", title="Time (s)"))
    scale = alt.Scale(zero=False)
    return alt.layer(
        base.mark_line(interpolate="step-after", color=_BEFORE, point=True).encode(
            y=alt.Y("incumbent:Q", title=unit, scale=scale)
        ),
        base.mark_line(interpolate="step-after", color=_GAP, strokeDash=[5, 3]).encode(
            y=alt.Y("bound:Q", title=unit, scale=scale)
        ),
    ).properties(
        width="container", description=f"Best plan (solid) and bound (dashed) in {unit} over time"
    )
