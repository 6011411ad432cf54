"""The openb benchmark: lists drawn as published, the independent check, batches that keep to it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.openb_check import Placement, check
from benchmarks.openb_lists import Machine, Task, arrivals, read_rows
from benchmarks.openb_online import run_online

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "openb"
NODE = Machine(8000, 8000, 2, "T4")
SHARE, WHOLE = Task(1000, 1000, 1, 600), Task(1000, 1000, 1, 1000)


@pytest.mark.parametrize(("seed", "pods"), [(42, 10_771), (43, 10_792)])
def test_arrivals_are_those_of_the_protocol(seed: int, pods: int) -> None:
    path = FOLDER / "openb_pod_list_default.csv"
    if not path.exists():
        pytest.skip("the openb lists are not beside the repository")
    assert len(arrivals(read_rows(path), 6_212_000, seed)) == pods


def test_a_right_placement_passes() -> None:
    found = check([NODE], [SHARE, WHOLE], [Placement(0, 0, (0,)), Placement(1, 0, (1,))])
    assert (found.faults, found.gpu_milli, found.pods, found.empty_nodes) == ((), 1600, 2, 0)


@pytest.mark.parametrize(
    ("tasks", "placements"),
    [
        ([SHARE, SHARE], [Placement(0, 0, (0,)), Placement(1, 0, (0,))]),
        ([SHARE], [Placement(0, 0, (0,)), Placement(0, 0, (1,))]),
        ([WHOLE], [Placement(0, 0, (2,))]),
        ([Task(1000, 1000, 2, 1000)], [Placement(0, 0, (1, 1))]),
        ([Task(9000, 1000, 0, 0)], [Placement(0, 0, ())]),
        ([Task(1000, 1000, 1, 100, frozenset({"G2"}))], [Placement(0, 0, (0,))]),
    ],
)
def test_each_fault_is_found(tasks: list[Task], placements: list[Placement]) -> None:
    assert check([NODE], tasks, placements).faults


def test_batches_fill_slots_first_and_spare_room_then() -> None:
    slots = {0: [(WHOLE, (0,))]}
    coming = [SHARE, WHOLE, SHARE, WHOLE]
    expected = Counter({SHARE: 2, WHOLE: 2})
    seen: list[int] = []
    placed = run_online(
        [NODE], coming, slots, expected, 2, lambda number, done: seen.append(len(done))
    )
    assert check([NODE], coming, placed).faults == ()
    assert [(one.task, one.cards) for one in placed] == [(1, (0,)), (0, (1,))]
    assert seen == [2, 2]
