"""The time axis of charts: seconds since the epoch with labels of the schedule's own clock, not the browser's."""

from __future__ import annotations

import json

import altair as alt

from models.moments import local_text, utc_offset_s

_STEPS_H = (1, 2, 3, 4, 6, 12, 24, 48)
_MOST = 13


def clock_axis(start: int, end: int, timezone: str, *, title: str) -> alt.X:
    """A quantitative axis over ``start`` to ``end`` with round hours; at midnight the label is the date.

    The browser never converts a time: on nights on which clocks change, labels are still those of the zone.
    """
    hours = (end - start) / 3600
    step = next((one for one in _STEPS_H if hours / one <= _MOST), _STEPS_H[-1]) * 3600
    second = start + -(start + utc_offset_s(start, timezone)) % step
    labels: dict[str, str] = {}
    while second <= end:
        text = local_text(second, timezone)
        labels[str(second)] = text[5:10] if text[11:16] == "00:00" else text[11:16]
        second += step
    return alt.X(
        "start:Q",
        title=title,
        scale=alt.Scale(domain=[start, end], nice=False),
        axis=alt.Axis(
            values=[int(one) for one in labels],
            labelExpr=f"({json.dumps(labels)})[datum.value]",
            labelAngle=0,
            grid=True,
        ),
    )
