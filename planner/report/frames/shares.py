"""Shares of queues in one resource, in the unit in which people speak of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from planner.report.frames.queues import AMOUNTS, COLUMNS

RESOURCES = ("gpus", "cpu", "memory")
_COLUMN = {"gpus": "gpus", "cpu": "cpu_milli", "memory": "memory_bytes"}
_SIZE = {"gpus": 1, "cpu": 1000, "memory": 1 << 30}
UNITS = {"gpus": "GPUs", "cpu": "CPUs", "memory": "GiB"}


def shares_frame(queues: pd.DataFrame, resource: str) -> pd.DataFrame:
    """One row per queue: every amount that the frame has, in GPUs, CPUs or GiB.

    Exact whole GPUs; CPUs and GiB are for display (milli-CPU and bytes are in the frame ``queues``).
    """
    plain = [name for name in (*COLUMNS, "gangs_running") if name in queues]
    shown = queues[plain].copy()
    for amount in AMOUNTS:
        column = f"{amount}_{_COLUMN[resource]}"
        if column not in queues:
            continue
        exact, size = queues[column], _SIZE[resource]
        shown[amount] = exact if size == 1 else (exact.astype("Float64") / size).round(2)
    return shown


def flows_frame(loans: pd.DataFrame, resource: str, gpu_resources: Collection[str]) -> pd.DataFrame:
    """Who lends how much of one resource to whom, the largest amounts first; ``amount`` as in :func:`shares_frame`.

    Parameters
    ----------
    loans
        The frame of :func:`planner.report.frames.loans_frame`.
    gpu_resources
        Names of resources that count as GPUs, summed.
    """
    wanted = gpu_resources if resource == "gpus" else (resource,)
    shown = loans[loans["resource"].isin(list(wanted))]
    shown = shown.groupby(["lender", "borrower"], sort=True)["amount"].sum().reset_index()
    shown = shown.sort_values("amount", ascending=False, kind="stable", ignore_index=True)
    size = _SIZE[resource]
    if size > 1:
        shown["amount"] = (shown["amount"].astype("Float64") / size).round(2)
    return shown


@dataclass(frozen=True, slots=True)
class LoanTotals:
    """How much queues lend each other, in whole GPUs."""

    borrowers: int
    borrowed_gpus: int
    lenders: int
    lent_gpus: int
    below_deserved: int
    """Queues that have gangs waiting and fewer GPUs than they deserve."""


def loan_totals(queues: pd.DataFrame) -> LoanTotals:
    """Sums over all queues after the plan."""
    borrowed, lent = queues["borrowed_gpus"].fillna(0), queues["lent_gpus"].fillna(0)
    short = (queues["after_gpus"] < queues["deserved_gpus"]).fillna(False)
    return LoanTotals(
        borrowers=int((borrowed > 0).sum()),
        borrowed_gpus=int(borrowed.sum()),
        lenders=int((lent > 0).sum()),
        lent_gpus=int(lent.sum()),
        below_deserved=int((short & (queues["gangs_waiting"] > 0)).sum()),
    )
