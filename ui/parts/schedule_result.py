"""A schedule on a page: over time, what starts when, loans and their return, what does not start, the proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from models.plan import PlanResult
from models.schedule import Schedule
from planner.report.frames import tiers_frame
from planner.report.frames.lending import lendable_frame
from planner.report.frames.night import MOST_BARS, NightTables
from planner.report.night_charts import demand_and_loans, gantt, gpus_over_time
from planner.report.proof_words import tier_words
from planner.report.svg.gantt import drawn_pools, gangs_of
from ui.messages import Words
from ui.parts.drawing import show_chart
from ui.parts.tables import show_table
from ui.parts.text import plain
from ui.session import cached, session
from ui.state import Filters

if TYPE_CHECKING:
    import pandas as pd

GANG_COLUMNS = (
    "gang",
    "queue",
    "gpus",
    "pool",
    "starts_at",
    "ends_at",
    "run_hours",
    "delay_hours",
)
DETAIL_COLUMNS = (
    "gang",
    "earliest",
    "latest",
    "duration_source",
    "grace_s",
    "leaves_in_time",
)
LOAN_COLUMNS = (
    "pool",
    "gpus",
    "starts_at",
    "returned_by",
    "leave_by",
    "slack_s",
    "gpu_hours",
    "gangs",
)
"""The return proof below says bucket by bucket what is back within the deadline."""
PROOF_COLUMNS = (
    "pool",
    "from",
    "lent_gpus",
    "surge_gpus",
    "short_gpus",
    "back_after_s",
    "slack_s",
    "leavers",
)
"""A bucket ends where the next one begins; what returns by plan, and by when, is in the file below the table."""


def show_schedule(say: Words, result: PlanResult, schedule: Schedule, filters: Filters) -> None:
    """Draw everything; ``filters`` cut the lists of gangs, charts and numbers stay whole."""
    tables = cached(session(), "night tables", id(schedule), lambda: NightTables(schedule))
    st.subheader(say("GPUs over time"), anchor=False)
    show_chart(gpus_over_time(schedule, say), "night-use")
    starts, loans, waits, proof = st.tabs(
        [
            say("What starts when"),
            say("Loans and their return"),
            say("What does not start"),
            say("Proof"),
        ]
    )
    with starts:
        _starts(say, schedule, tables, filters)
    with loans:
        _loans(say, schedule, tables)
    with waits:
        show_table(
            say,
            "night-waits",
            _kept(tables.not_starting, filters),
            ("gang", "queue", "gpus", "reason_codes", "message", "remedy"),
            alt=say("Gangs that do not start within the horizon, with reasons"),
            empty=say("Every gang that waits starts within the horizon."),
            wrap=True,
        )
    with proof:
        show_table(
            say,
            "night-tiers",
            tiers_frame(result).assign(
                tier_means=[tier_words(one.name, say) for one in result.certificate.tiers]
            ),
            ("tier_means", "value", "bound", "gap_percent", "unit"),
            alt=say("Tiers of the schedule with value, bound and gap"),
            empty=say("No tier is reported."),
        )


def _starts(say: Words, schedule: Schedule, tables: NightTables, filters: Filters) -> None:
    pools = [pool.name for pool in drawn_pools(schedule)]
    if pools:
        pool = str(st.selectbox(say("Pool"), pools, key="night-pool"))
        show_chart(gantt(schedule, pool, say), f"night-gantt-{pool}")
        total = len(gangs_of(schedule, pool))
        note = say(
            "Shaded: the pool may lend GPUs of online services. Numbers are GPUs. Times are those of {zone}.",
            zone=schedule.timezone,
        )
        if total > MOST_BARS:
            note += " " + say(
                "Drawn are the first {count} of {total} gangs; the table holds all.",
                count=MOST_BARS,
                total=total,
            )
        st.caption(note)
    starting = _kept(tables.starting, filters)
    st.caption(say("Select a row to see when a gang may start, and how it leaves."))
    row = show_table(
        say,
        "night-starts",
        starting,
        GANG_COLUMNS,
        alt=say("Gangs that start within the horizon, with their times"),
        empty=say("No gang starts within the horizon."),
        select=True,
    )
    if row is not None:
        show_table(
            say,
            "night-start",
            starting.iloc[[row]],
            DETAIL_COLUMNS,
            alt=say("When the selected gang may start, and how it leaves"),
            empty="",
        )
    leaving = tables.leaving
    if len(leaving):
        st.markdown(f"**{say('Running gangs that leave before their end')}**")
        show_table(
            say,
            "night-leaving",
            leaving,
            ("gang", "queue", "gpus", "ends_at", "message"),
            alt=say("Running gangs that leave before their end"),
            empty="",
        )


def _loans(say: Words, schedule: Schedule, tables: NightTables) -> None:
    limits = schedule.lending
    if limits is None:
        st.info(
            say(
                "No online service with GPUs is known, so nothing is lent. Name services in the policy, or give "
                "their demand."
            )
        )
        return
    for lending in limits.pools:
        st.markdown(f"**{say('Demand and loans of {pool}', pool=plain(lending.pool))}**")
        show_chart(demand_and_loans(schedule, lending.pool, say), f"night-demand-{lending.pool}")
    st.markdown(f"**{say('Loans')}**")
    show_table(
        say,
        "night-loans",
        tables.loans,
        LOAN_COLUMNS,
        alt=say("Loans with their times and slack"),
        empty=say("Nothing is lent."),
    )
    st.markdown(f"**{say('Return proof')}**")
    st.caption(
        say(
            "Bucket by bucket: what a surge may ask back, after how many seconds it is there, and who would leave. "
            "Deadline {deadline} s, overhead {overhead} s.",
            deadline=limits.deadline_s,
            overhead=limits.overhead_s,
        )
    )
    show_table(
        say,
        "night-returns",
        tables.return_proof,
        PROOF_COLUMNS,
        alt=say("Return proof by pool and bucket"),
        empty=say("Nothing is lent."),
        quiet=("short_gpus",),
    )
    st.markdown(f"**{say('Lendable GPUs by deadline and grace period')}**")
    show_table(
        say,
        "night-lendable",
        lendable_frame(limits),
        ("pool", "deadline_s", "grace_s", "in_time", "least_gpus", "most_gpus", "gpu_hours"),
        alt=say("Lendable GPUs by deadline and grace period"),
        empty=say("Nothing is lent."),
    )
    st.markdown(f"**{say('Whose shorter grace period buys most')}**")
    show_table(
        say,
        "night-grace",
        tables.shorter_grace,
        ("gang", "pool", "gpus", "grace_s", "wanted_grace_s", "gpu_hours"),
        alt=say("Whose shorter grace period buys most"),
        empty=say("No gang's grace period stands in the way of a loan."),
    )


def _kept(frame: pd.DataFrame, filters: Filters) -> pd.DataFrame:
    """Rows under the filters of the session."""
    keep = frame["queue"].isin(filters.queues) if filters.queues else frame["queue"].notna()
    if filters.namespaces:
        keep &= frame["gang"].str.partition("/")[0].isin(filters.namespaces)
    return frame[keep].reset_index(drop=True)
