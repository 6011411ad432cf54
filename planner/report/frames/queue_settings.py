"""Settings of queues as a table that one can edit, and the edits that a changed table means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from models.edits.catalogue import edit_from
from models.edits.edit import Edit
from models.effective import EffectivePolicy
from models.gpu import whole_gpu_names
from models.snapshot import Snapshot
from planner.report.frames.build import frame_of

AMOUNTS = ("deserved", "guarantee", "capability")
PLAIN = {"weight": "Int64", "priority": "Int64", "reclaimable": "boolean"}


def gpu_resources(snapshot: Snapshot, policy: EffectivePolicy) -> tuple[str, ...]:
    """GPU resources that nodes offer or queues speak of."""
    total = snapshot.total
    return tuple(
        name
        for name in whole_gpu_names(policy.policy.gpu_models)
        if total.amount(name)
        or any(name in getattr(one, field) for one in snapshot.queues for field in AMOUNTS)
    )


def queue_settings(snapshot: Snapshot, policy: EffectivePolicy) -> pd.DataFrame:
    """One row per queue: weight, amounts of GPUs (empty = no such bound), priority, reclaimable.

    Columns of amounts are ``deserved_gpus`` and so on; with several GPU resources ``deserved/RESOURCE``.
    """
    columns = _amount_columns(gpu_resources(snapshot, policy))
    rows = []
    for queue in sorted(snapshot.queue_by_name.values(), key=lambda one: one.name):
        row: dict[str, Any] = {"queue": queue.name}
        row |= {name: getattr(queue, name) for name in PLAIN}
        for column, (field, resource) in columns.items():
            amounts = getattr(queue, field)
            row[column] = amounts.get(resource, None)
        rows.append(row)
    kinds = {"weight": "Int64", **dict.fromkeys(columns, "Int64")}
    return frame_of(rows, {"queue": "object", **kinds, **PLAIN})


def _amount_columns(resources: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    if len(resources) == 1:
        return {f"{field}_gpus": (field, resources[0]) for field in AMOUNTS}
    return {f"{field}/{name}": (field, name) for field in AMOUNTS for name in resources}


def queue_edits(
    settings: pd.DataFrame,
    resources: tuple[str, ...],
    edited: Mapping[int, Mapping[str, Any]],
) -> tuple[Edit, ...]:
    """One edit per queue whose row was changed; an amount that was cleared leaves the list.

    Parameters
    ----------
    edited
        Row number to column to new value, as a table editor tells it.

    Raises
    ------
    EditError
        A value does not suit.
    """
    columns = _amount_columns(resources)
    found = []
    for number in sorted(edited):
        row = settings.iloc[number]
        content: dict[str, Any] = {}
        for column, value in edited[number].items():
            if _same(row[column], value):
                continue
            if column in columns:
                field, resource = columns[column]
                content.setdefault(field, {})[resource] = None if value is None else int(value)
            elif value is not None:
                content[column] = bool(value) if column == "reclaimable" else int(value)
        if content:
            found.append(edit_from({"set_queue": {"queue": str(row["queue"]), **content}}))
    return tuple(found)


def _same(old: Any, new: Any) -> bool:
    if pd.isna(old) or new is None:
        return bool(pd.isna(old)) and new is None
    return bool(old == new)
