"""What pages read beside the frames of reports: map cells, shares, placements, tickets, bytes."""

from __future__ import annotations

import io
import zipfile

import pandas as pd
import pytest

from planner.report import frames
from planner.report.downloads import csv_archive, csv_bytes
from planner.report.frames.display import display_frame
from planner.report.frames.gpu_cells import MOST_CELLS, gpu_cells, map_height, occupancy_frame
from planner.report.frames.placements import placements_frame, receiving_nodes
from planner.report.frames.shares import loan_totals, shares_frame
from planner.report.plan_view import PlanView
from planner.report.ticket import gang_named, reason_numbers, ticket_text


@pytest.fixture(scope="module")
def view(medium):
    return PlanView(medium)


def test_the_map_has_every_gpu_once_and_none_overlap(view):
    cells = gpu_cells(view.nodes)
    squares = cells[cells["kind"] == "gpu"]
    small = view.nodes[view.nodes["gpus_allocatable"] <= MOST_CELLS]
    assert len(squares) == view.nodes["gpus_allocatable"].clip(upper=MOST_CELLS).sum()
    for state in frames.nodes.GPU_STATES:
        drawn = squares[squares["node"].isin(small["node"])]
        assert (drawn["state"] == state).sum() == small[state].sum()
    drawn = cells[cells["kind"].isin(["gpu", "key"])]
    assert not drawn.duplicated(["x", "y"]).any()
    assert map_height(cells) > drawn["y2"].max()


def test_a_node_with_many_gpus_is_drawn_in_proportion():
    row = {"node": "n", "pool": "p", "gpus_allocatable": 64, "gpus_used": 32}
    zero = dict.fromkeys(
        ("gpus_planned", "gpus_free_whole", "gpus_free_fragment", "gpus_unavailable"), 0
    )
    cells = gpu_cells(pd.DataFrame([{**row, **zero, "gpus_free_fragment": 32}]))
    squares = cells[cells["kind"] == "gpu"]
    assert len(squares) == MOST_CELLS
    assert (squares["state"] == "gpus_used").sum() == MOST_CELLS // 2


def test_occupancy_counts_every_node_with_gpus(view):
    counts = occupancy_frame(view.nodes)
    assert counts["nodes"].sum() == (view.nodes["gpus_allocatable"] > 0).sum()


def test_shares_are_exact_gpus_and_display_units(view):
    gpus, memory = shares_frame(view.queues, "gpus"), shares_frame(view.queues, "memory")
    assert list(gpus["after"]) == list(view.queues["after_gpus"])
    exact = view.queues["after_memory_bytes"].astype("Float64") / 2**30
    assert list(memory["after"]) == list(exact.round(2))


def test_loans_are_summed_over_queues(view):
    totals = loan_totals(view.queues)
    assert totals.borrowed_gpus == view.queues["borrowed_gpus"].sum()
    assert totals.borrowers == (view.queues["borrowed_gpus"] > 0).sum()


def test_placements_are_those_of_the_summary(view, medium):
    placed = placements_frame(medium)
    assert (placed["action"] != "keep").all()
    nodes = receiving_nodes(view.nodes, placed)
    arriving = placed[placed["action"].isin(["place", "move"])]
    assert nodes["pods"].sum() == arriving["pods"].sum()
    gang = arriving["gang"].iloc[0]
    assert set(placements_frame(medium, gang=gang)["gang"]) == {gang}


def test_a_ticket_names_reasons_and_what_they_rest_on(view, medium):
    name = str(view.waits.iloc[0]["gang"])
    gang = gang_named(medium, name)
    text = ticket_text(gang, medium)
    assert text.startswith(name)
    for reason in gang.reasons:
        assert reason.code in text
    assert "as of" in text
    assert len(reason_numbers(gang)) >= sum(bool(reason.data) for reason in gang.reasons)
    assert gang_named(medium, "no/such-gang") is None


def test_display_units_leave_other_columns_alone():
    frame = pd.DataFrame(
        {
            "cpu_milli_before": [1500],
            "memory_bytes_after": [3 * 2**30],
            "waited_seconds": [5400],
            "gap": [0.0125],
            "gpus": [8],
        }
    ).astype("Float64")
    shown = display_frame(frame)
    assert list(shown.columns) == [
        "cpus_before",
        "memory_gib_after",
        "waited_hours",
        "gap_percent",
        "gpus",
    ]
    assert list(shown.iloc[0]) == [1.5, 3.0, 1.5, 1.25, 8]


def test_csv_bytes_run_no_formula():
    data = csv_bytes(pd.DataFrame({"gang": ["=cmd|' /C calc'!A0", "ml/train"]}))
    assert data.decode().splitlines()[1].lstrip('"').startswith("'=")
    archive = zipfile.ZipFile(io.BytesIO(csv_archive({"gangs": pd.DataFrame({"a": [1]})})))
    assert archive.read("gangs.csv") == b"a\n1\n"


def test_rules_tell_violations_only_after_a_check(medium):
    rules = frames.rules_frame(medium)
    assert len(rules) >= 13
    unchecked = frames.rules_frame(medium.model_copy(update={"verification": None}))
    assert unchecked["violations"].isna().all()
