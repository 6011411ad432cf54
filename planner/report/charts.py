"""Altair charts of the frames, for pages; one grammar and one palette (Okabe and Ito, safe for colour-blind readers).

Needs the extra ``report`` or ``ui``. Every chart has a description for screen readers and tooltips with units.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

import altair as alt
import pandas as pd
from altair.utils import schemapi

from models.plan import PlanResult
from planner.report.frames.nodes import GPU_STATES
from planner.report.reason_words import meaning
from planner.report.text import HUGE, gap_words, percent

schemapi.DEBUG_MODE = (
    False  # whole charts are validated when drawn; each part as it is made took as long as a page
)
STATE_COLORS = {
    "used": "#0072B2",
    "planned": "#E69F00",
    "free, whole node": "#9CCFEA",
    "free, fragment": "#CC79A7",
    "free, unavailable": "#8C8C8C",
}
_BEFORE, _AFTER, _DESERVED, _GAP = "#0072B2", "#E69F00", "#009E73", "#D55E00"
_ROW = 26
_WIDE = alt.Axis(labelLimit=220)

Say: TypeAlias = Callable[[str], str]
Layers: TypeAlias = alt.LayerChart | alt.FacetChart


def inked(chart: alt.Chart | Layers) -> alt.Chart | Layers:
    """The chart with labels in the colour of the page's text, which follows a switch between light and dark.

    The margin at the right has room for the last label of an axis; a page would leave none.
    """
    colored: alt.Chart | Layers = chart.configure_text(color="currentColor")
    placed: alt.Chart | Layers = colored.properties(padding={"right": 12, "bottom": 20})
    return placed


def state_scale(say: Say) -> alt.Scale:
    """Colours of GPU states under their names in the reader's language."""
    return alt.Scale(domain=[say(name) for name in STATE_COLORS], range=list(STATE_COLORS.values()))


def state_words(say: Say) -> dict[str, str]:
    """Column of the nodes frame to the name of the state."""
    return {column: say(name) for column, name in zip(GPU_STATES, STATE_COLORS, strict=True)}


def gpus_by_state(pools: pd.DataFrame, say: Say = str, *, group: str = "Pool") -> alt.Chart:
    """Stacked bar per pool: GPUs used, planned, free whole, free in fragments, free but unavailable.

    Parameters
    ----------
    pools
        The frame of :func:`planner.report.frames.pools_frame`.
    say
        Gives a word or title in the reader's language.
    group
        What the column ``pool`` holds.
    """
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
        state=long["state"].map(state_words(say)),
        gpus=long["gpus"].astype(int),
        gpus_allocatable=long["gpus_allocatable"].astype(int),
    )
    chart: alt.Chart = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            x=alt.X("gpus:Q", title=say("GPUs"), stack="zero"),
            y=alt.Y("pool:N", title=None, sort="-x", axis=_WIDE),
            color=alt.Color(
                "state:N",
                title=None,
                scale=state_scale(say),
                legend=alt.Legend(orient="bottom", columns=5),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("pool:N", title=say(group)),
                alt.Tooltip("state:N", title=say("State")),
                alt.Tooltip("gpus:Q", title=say("GPUs"), format=","),
                alt.Tooltip("gpus_allocatable:Q", title=say("GPUs allocatable"), format=","),
            ],
        )
        .properties(
            height=alt.Step(_ROW),
            width="container",
            description=say("GPUs by state, one bar per pool"),
        )
    )
    return chart


def queue_bars(queues: pd.DataFrame, say: Say = str) -> Layers:
    """Bullet bar per queue: planned (wide), allocated before (narrow), deserved (tick).

    ``queues`` is the frame of :func:`planner.report.frames.queues_frame`.
    """
    columns = ["deserved_gpus", "before_gpus", "after_gpus"]
    shown = queues[["queue", *columns]].astype(dict.fromkeys(columns, "Float64"))
    most = max(1.0, float(shown[columns].max().max())) if len(shown) else 1.0
    names = [say("Planned (after)"), say("Allocated (before)"), say("Deserved")]
    scale = alt.Scale(domain=names, range=[_AFTER, _BEFORE, _DESERVED])
    base = alt.Chart(shown).encode(
        y=alt.Y("queue:N", title=None, sort=None, axis=_WIDE),
        tooltip=[
            alt.Tooltip("queue:N", title=say("Queue")),
            alt.Tooltip("deserved_gpus:Q", title=say("Deserved GPUs"), format=","),
            alt.Tooltip("before_gpus:Q", title=say("Allocated GPUs (before)"), format=","),
            alt.Tooltip("after_gpus:Q", title=say("Planned GPUs (after)"), format=","),
        ],
    )

    def layer(mark: alt.Chart, column: str, name: str) -> alt.Chart:
        colored: alt.Chart = mark.transform_calculate(series=json.dumps(name)).encode(
            x=alt.X(
                f"{column}:Q", title=say("GPUs"), scale=alt.Scale(domainMax=most * 1.05, nice=False)
            ),
            color=alt.Color(
                "series:N",
                scale=scale,
                legend=alt.Legend(title=None, orient="top", symbolOpacity=1),
            ),
        )
        return colored

    return alt.layer(
        layer(base.mark_bar(size=18), "after_gpus", names[0]),
        layer(base.mark_bar(size=8), "before_gpus", names[1]),
        layer(base.mark_tick(size=24, thickness=3), "deserved_gpus", names[2]),
    ).properties(
        height=alt.Step(_ROW + 4),
        width="container",
        description=say("GPUs of queues: planned, allocated before, deserved"),
    )


def queue_loans(queues: pd.DataFrame, say: Say = str) -> Layers:
    """Bars to the right for GPUs above what a queue deserves (borrowed), to the left for GPUs it lends."""
    columns = ["borrowed_gpus", "lent_gpus"]
    shown = queues[["queue", *columns]].astype(dict.fromkeys(columns, "Float64"))
    words = {"borrowed_gpus": say("borrowed"), "lent_gpus": say("lent")}
    long = shown.melt(id_vars="queue", value_vars=columns, var_name="side", value_name="gpus")
    long = long[long["gpus"] > 0]
    long = long.assign(
        signed=long["gpus"].where(long["side"] == "borrowed_gpus", -long["gpus"]),
        side=long["side"].map(words).astype(object),
    )
    base = alt.Chart(long).encode(
        y=alt.Y("queue:N", title=None),
        x=alt.X(
            "signed:Q",
            title=say("GPUs (left: lent, right: borrowed)"),
            axis=alt.Axis(labelExpr="abs(datum.value)"),
        ),
        tooltip=[
            alt.Tooltip("queue:N", title=say("Queue")),
            alt.Tooltip("side:N", title=say("State")),
            alt.Tooltip("gpus:Q", title=say("GPUs"), format=","),
        ],
    )
    scale = alt.Scale(domain=list(words.values()), range=[_AFTER, _BEFORE])
    return alt.layer(
        base.mark_bar().encode(
            color=alt.Color("side:N", scale=scale, legend=alt.Legend(title=None, orient="top"))
        )
    ).properties(
        height=alt.Step(_ROW),
        width="container",
        description=say("GPUs that queues borrow and lend"),
    )


def gpu_ladder(result: PlanResult, say: Say = str) -> Layers:
    """GPUs allocated now, with the baseline, with the plan, and all allocatable ones, with their share."""
    summary, most = result.summary, result.summary.gpus_allocatable
    rows = [(say("now"), summary.gpus_before, _BEFORE)]
    if result.baseline is not None:
        rows.append((say("baseline"), result.baseline.gpus_after, "#8C8C8C"))
    rows += [(say("plan"), summary.gpus_after, _AFTER), (say("allocatable"), most, "#9CCFEA")]
    shown = pd.DataFrame(
        {
            "step": [name for name, _, _ in rows],
            "gpus": [gpus for _, gpus, _ in rows],
            "words": [f"{gpus:,} {say('GPUs')} ({percent(gpus, most)})" for _, gpus, _ in rows],
        }
    )
    colors = alt.Scale(domain=list(shown["step"]), range=[color for _, _, color in rows])
    base = alt.Chart(shown).encode(
        y=alt.Y("step:N", sort=None, title=None),
        x=alt.X(
            "gpus:Q", title=say("GPUs"), scale=alt.Scale(domainMax=max(1, most) * 1.25, nice=False)
        ),
        tooltip=[
            alt.Tooltip("step:N", title=say("State")),
            alt.Tooltip("words:N", title=say("GPUs")),
        ],
    )
    return alt.layer(
        base.mark_bar().encode(color=alt.Color("step:N", scale=colors, legend=None)),
        base.mark_text(align="left", dx=5).encode(text="words:N"),
    ).properties(
        height=alt.Step(_ROW),
        width="container",
        description=say("GPUs allocated: now, baseline, plan, allocatable"),
    )


def reason_bars(totals: pd.DataFrame, say: Say = str) -> Layers:
    """GPUs of waiting gangs per reason, with their number of gangs; a gang with two reasons counts under both.

    ``totals`` is the frame of :func:`planner.report.frames.reason_totals` by code.
    """
    shown = totals[["code", "gangs", "gpus"]].assign(
        gpus=totals["gpus"].astype(int),
        words=[
            f"{gpus:,} {say('GPUs')} · {say('Gangs')}: {gangs:,}"
            for gpus, gangs in zip(totals["gpus"], totals["gangs"], strict=True)
        ],
        meaning=[say(meaning(code)) for code in totals["code"]],
    )
    most = max(1, int(shown["gpus"].max())) if len(shown) else 1
    base = alt.Chart(shown).encode(
        y=alt.Y("code:N", title=None, sort=None, axis=_WIDE),
        x=alt.X("gpus:Q", title=say("GPUs"), scale=alt.Scale(domainMax=most * 1.25, nice=False)),
        tooltip=[
            alt.Tooltip("code:N", title=say("Reason")),
            alt.Tooltip("meaning:N", title=say("Meaning")),
            alt.Tooltip("words:N", title=say("Wanted")),
        ],
    )
    return alt.layer(
        base.mark_bar(color=_BEFORE),
        base.mark_text(align="left", dx=5).encode(text="words:N"),
    ).properties(
        height=alt.Step(_ROW),
        width="container",
        description=say("GPUs of waiting gangs by reason"),
    )


def tier_gaps(tiers: pd.DataFrame, say: Say = str) -> Layers:
    """Gap of every tier in percent, in the order of the objective; a tier without a bound says so in words.

    Where less than half is proved, bars end at 100 % and the words tell what is open in the tier's unit.
    ``tiers`` is the frame of :func:`planner.report.frames.tiers_frame`.
    """
    proved = tiers["gap"].notna()
    shown = tiers[["tier", "unit", "value", "bound"]].assign(
        gap_percent=(tiers["gap"] * 100).fillna(0.0).clip(upper=100.0).astype(float),
        words=[
            _open_words(one) if known else say("no bound proved")
            for one, known in zip(tiers.to_dict("records"), proved, strict=True)
        ],
    )
    base = alt.Chart(shown).encode(
        y=alt.Y("tier:N", title=say("Tier"), sort=None, axis=_WIDE),
        tooltip=[
            alt.Tooltip("tier:N", title=say("Tier")),
            alt.Tooltip("value:Q", title=say("Value"), format=","),
            alt.Tooltip("bound:Q", title=say("Bound"), format=","),
            alt.Tooltip("unit:N", title=say("Unit")),
            alt.Tooltip("words:N", title=say("Gap")),
        ],
    )
    gap = alt.X("gap_percent:Q", title=say("Gap to the bound (%)"), scale=alt.Scale(domainMin=0))
    return alt.layer(
        base.mark_bar(color=_GAP).encode(x=gap),
        base.mark_text(align="left", dx=4).encode(x=gap, text="words:N"),
    ).properties(
        height=alt.Step(_ROW),
        width="container",
        description=say("Gap of every tier to its bound in %"),
    )


def _open_words(tier: dict[Hashable, Any]) -> str:
    """A proved gap: in percent, or what is open where that would be large."""
    gap = float(tier["gap"])
    if gap <= HUGE:
        return f"{100 * gap:.3g} %"
    return gap_words(gap, int(tier["value"]), int(tier["bound"]), str(tier["unit"]))


def incumbents(
    points: Sequence[tuple[float, int | None, int | None]], *, unit: str, say: Say = str
) -> Layers:
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
    base = alt.Chart(shown).encode(x=alt.X("seconds:Q", title=say("Time (s)")))
    scale = alt.Scale(zero=False)
    return alt.layer(
        base.mark_line(interpolate="step-after", color=_BEFORE, point=True).encode(
            y=alt.Y("incumbent:Q", title=unit, scale=scale)
        ),
        base.mark_line(interpolate="step-after", color=_GAP, strokeDash=[5, 3]).encode(
            y=alt.Y("bound:Q", title=unit, scale=scale)
        ),
    ).properties(
        width="container",
        description=f"{say('Best plan (solid) and bound (dashed) over time')} ({unit})",
    )
