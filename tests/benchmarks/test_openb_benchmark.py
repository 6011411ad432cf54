"""The openb benchmark: lists drawn as published, the independent check, batches that keep to it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.openb import BEGIN, END, NODES, Trace, expected_rows, written
from benchmarks.openb_check import Placement, check
from benchmarks.openb_lists import Machine, Task, arrivals, read_rows
from benchmarks.openb_node import Instead, NodeState
from benchmarks.openb_online import at_least, run_online
from benchmarks.openb_table import Run, tables

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


def test_batches_fill_slots_first_and_room_then() -> None:
    slots = {0: [(WHOLE, (0,))]}
    coming = [SHARE, WHOLE, SHARE, WHOLE]
    expected = Counter({SHARE: 2, WHOLE: 20})
    seen: list[int] = []
    placed = run_online(
        [NODE], coming, slots, expected, 2, lambda number, done: seen.append(len(done))
    )
    assert check([NODE], coming, placed).faults == ()
    assert [(one.task, one.cards) for one in placed] == [(1, (0,)), (0, (1,))]
    assert seen == [2, 2]


def test_a_slot_nobody_is_expected_for_is_given_away() -> None:
    pair = Task(1000, 1000, 2, 1000)
    kept = {0: [(pair, (0, 1))]}

    def placed(pairs: int) -> list[int]:
        expected = Counter({pair: pairs, WHOLE: 1})
        found = run_online([NODE], [WHOLE, pair], kept, expected, 1, lambda number, done: None)
        return [one.task for one in found]

    assert placed(0) == [0]  # nobody will come for it, so far as is known
    assert placed(20) == [1]


def test_the_slots_of_least_worth_are_given_away() -> None:
    node = NodeState.with_slots(NODE, [(SHARE, (0,)), (WHOLE, (1,))])
    worth = {SHARE: 600.0, WHOLE: 10.0}
    found = node.instead(WHOLE, worth.__getitem__, 1000.0)
    assert found == Instead(10.0, (1,), (1,))
    assert node.instead(WHOLE, worth.__getitem__, 5.0) is None
    node.release(1)
    assert node.cards == [400, 1000]
    assert node.fullest(WHOLE) == ((1,), 0)


def test_slots_go_for_cpu_too() -> None:
    node = NodeState.with_slots(NODE, [(Task(7000, 1000, 0, 0), ()), (SHARE, (0,))])
    found = node.instead(Task(1500, 1000, 1, 1000), lambda kept: kept.cpu_milli / 1000, 50.0)
    assert found == Instead(7.0, (0,), (1,))


def test_a_slot_of_several_cards_serves_a_pod_of_several() -> None:
    node = NodeState.with_slots(
        Machine(8000, 8000, 4, "T4"),
        [(SHARE, (0,)), (Task(0, 0, 2, 1000), (1, 2)), (SHARE, (3,))],
    )
    found = node.instead(Task(0, 0, 2, 1000), lambda kept: float(kept.gpu_milli), 2500.0)
    assert found is not None
    assert found.loss <= 2000.0


@pytest.mark.parametrize("seed", range(12))
def test_random_arrivals_are_placed_validly(seed: int) -> None:
    rng = random.Random(seed)
    machines = [
        Machine(rng.randrange(4, 20) * 1000, rng.randrange(8, 40) * 1000, g, rng.choice("AB"))
        for g in rng.choices((1, 2, 4), k=6)
    ]
    kinds = [
        Task(rng.randrange(1, 4) * 500, 1000, g, 1000 if g > 1 else rng.choice((250, 600, 1000)))
        for g in (1, 1, 1, 2, 0)
    ]
    kinds[4] = Task(1500, 3000, 0, 0)
    kinds.append(Task(500, 1000, 1, 400, frozenset("A")))
    coming = rng.choices(kinds, k=60)
    refused = run_online(machines, coming, {}, Counter(), 4, lambda number, done: None)
    slots: dict[int, list[tuple[Task, tuple[int, ...]]]] = {}
    for one in refused:  # as places for other arrivals of the same mix
        slots.setdefault(one.node, []).append((coming[one.task], one.cards))
    again = rng.choices(kinds, k=60)
    placed = run_online(machines, again, slots, Counter(coming), 4, lambda number, done: None)
    assert check(machines, coming, refused).faults == ()
    assert check(machines, again, placed).faults == ()
    assert placed


def test_chances_fall_with_the_number_and_grow_with_the_mean() -> None:
    assert at_least(1, 0.0) == 0.0
    assert at_least(1, 30.0) > 0.99
    assert at_least(60, 30.0) < 0.01
    assert at_least(10, 10.0) > at_least(11, 10.0) > at_least(11, 9.0)


def test_tables_tell_means_and_the_way_to_the_bound() -> None:
    found = check([NODE], [SHARE, WHOLE], [Placement(0, 0, (0,)), Placement(1, 0, (1,))])
    one = Run("B", "x", 42, found, 2, 2000, 3.0, 2.0)
    online = replace(one, mode="A", marks={95: 70.0}, prepared=100)
    empty = replace(one, mode="D", seed=None, empty_gpus=0, empty_bound=400)
    text = tables(
        [one, replace(one, seed=43), online, empty], 2000, {"x": {130: 60.0, 95: 50.0}}, 64
    )
    assert "| B | x | 42 | 80.00 | 100.00 | 60.00 | 50 % | 2 | 2 | 2 | 3 | yes |" in text
    assert "| B | x | 2 | 80.00 | 80.00 | 60.00 | 50 % |" in text
    assert "| A, for 100 % | x | 70.00 (50.00) | – | – |" in text
    assert "| D | x | 80.00 | 0 | 0 | 0.00 | 20.00 | 2 | 3 | yes |" in text


def test_writing_replaces_the_measured_part_alone() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert written(page, "new") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"


def test_the_expected_work_keeps_the_proportions() -> None:
    row = {"cpu_milli": "1", "memory_mib": "1", "num_gpu": "1", "gpu_milli": "500", "gpu_spec": ""}
    rows = [row] * 3 + [{**row, "gpu_spec": "T4"}]
    found = expected_rows(rows, 4000)
    assert Counter(one["gpu_spec"] for one in found) == {"": 6, "T4": 2}


def test_all_lists_of_a_folder_are_placed_unless_some_are_named(tmp_path: Path) -> None:
    (tmp_path / NODES).write_text("sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,T4\n")
    for name in ("multigpu20", "cpu050"):
        (tmp_path / f"openb_pod_list_{name}.csv").touch()
    assert Trace(tmp_path).lists() == ["cpu050", "multigpu20"]
