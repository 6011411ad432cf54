from __future__ import annotations

import pandas as pd
import pytest

from models.effective import EffectivePolicy, resolve_policy
from models.snapshot import Snapshot
from planner.report.frames.queue_settings import gpu_resources, queue_edits, queue_settings
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work


def cluster() -> tuple[Snapshot, EffectivePolicy]:
    snapshot = snapshot_of(
        gpu_node("n1"), gpu_queue("a", deserved=4, capability=8), gpu_queue("b"), work("w", 1, 1)
    )
    return snapshot, resolve_policy(snapshot)


def test_one_row_per_queue_with_amounts_or_nothing() -> None:
    snapshot, policy = cluster()
    found = queue_settings(snapshot, policy).set_index("queue")
    assert found.loc["a", "deserved_gpus"] == 4
    assert found.loc["a", "capability_gpus"] == 8
    assert pd.isna(found.loc["b", "capability_gpus"])
    assert found.loc["a", "weight"] == 1


def test_changed_cells_become_one_edit_per_queue() -> None:
    snapshot, policy = cluster()
    settings = queue_settings(snapshot, policy)
    place = {name: number for number, name in enumerate(settings["queue"])}
    edits = queue_edits(
        settings,
        gpu_resources(snapshot, policy),
        {
            place["b"]: {"capability_gpus": 6, "reclaimable": False},
            place["a"]: {"weight": 5, "deserved_gpus": None, "capability_gpus": 8},
        },
    )
    assert [edit.document() for edit in edits] == [
        {"set_queue": {"queue": "a", "weight": 5, "deserved": {"nvidia.com/gpu": None}}},
        {"set_queue": {"queue": "b", "reclaimable": False, "capability": {"nvidia.com/gpu": 6}}},
    ] or {edit.text() for edit in edits} == {
        "queue a: weight 5, deserved nvidia.com/gpu not listed",
        "queue b: reclaimable no, capability nvidia.com/gpu 6",
    }


def test_a_cell_typed_back_is_no_edit() -> None:
    snapshot, policy = cluster()
    settings = queue_settings(snapshot, policy)
    place = list(settings["queue"]).index("a")
    same = {place: {"weight": 1, "capability_gpus": 8, "guarantee_gpus": None}}
    assert queue_edits(settings, gpu_resources(snapshot, policy), same) == ()


def test_an_impossible_value_is_told() -> None:
    snapshot, policy = cluster()
    settings = queue_settings(snapshot, policy)
    place = list(settings["queue"]).index("a")
    edits = queue_edits(settings, gpu_resources(snapshot, policy), {place: {"weight": 0}})
    from models.edits.edit import EditError, Situation

    with pytest.raises(EditError, match="weight would be 0"):
        edits[0].apply(Situation(snapshot, policy))
