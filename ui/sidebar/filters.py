"""Which gangs and queues the lists show; what is planned stays the whole cluster."""

from __future__ import annotations

import streamlit as st

from ui.messages import Words
from ui.session import cached, ground
from ui.state import Filters, PlannerState


def filter_box(state: PlannerState, say: Words) -> None:
    """Namespaces and queues."""
    base = ground(state)
    if base is None:
        return
    snapshot = base.given.snapshot
    namespaces, queues = cached(
        state,
        "filter options",
        snapshot.digest,
        lambda: (
            sorted({gang.namespace for gang in snapshot.gangs}),
            sorted({queue.name for queue in base.inventory.queues}),
        ),
    )
    st.subheader(say("Filter"), anchor=False)
    chosen = [
        _names(label, key, options, now, say("All"))
        for label, key, options, now in (
            (say("Namespaces"), "filter-namespaces", namespaces, state.filters.namespaces),
            (say("Queues"), "filter-queues", queues, state.filters.queues),
        )
    ]
    state.filters = Filters(chosen[0], chosen[1])


def _names(
    label: str, key: str, options: list[str], now: tuple[str, ...], every: str
) -> tuple[str, ...]:
    kept = [name for name in st.session_state.get(key, now) if name in options]
    st.session_state[key] = kept  # names of another cluster are not options here
    return tuple(st.multiselect(label, options, key=key, placeholder=every))
