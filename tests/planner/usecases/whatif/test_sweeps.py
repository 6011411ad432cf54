"""Sweeps: every point once, resumable, the same on every engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from models.edits.sweep import Sweep, parse_sweep
from models.findings import InputError, UsageError
from planner.execute.engines import executor_named
from planner.report.whatif.sweep_document import SweepRow
from planner.testing.here import Here
from planner.usecases.whatif.base import Base
from planner.usecases.whatif.journal import Journal
from planner.usecases.whatif.sweep import check_sweep, run_sweep


@pytest.fixture
def sweep() -> Sweep:
    grid = {"add/n-0": [0, 1, 2], "queue/train.capability.gpu": [8, 16, 24]}
    return parse_sweep({"grid": grid}, source="s.yaml")


def _values(rows: Sequence[SweepRow]) -> list[tuple[Any, ...]]:
    return [
        (row.number, dict(row.point), row.gpus_after, row.gangs_started, row.judgement, row.error)
        for row in rows
    ]


def test_every_point_is_planned_and_told(base: Base, sweep: Sweep) -> None:
    result = run_sweep(base, sweep, Here())
    assert [row.number for row in result.rows] == list(range(9))
    at = {tuple(row.point.values()): row for row in result.rows}
    assert (at[0, 16].gpus_after, at[0, 16].judgement) == (24, "same")
    assert at[2, 24].gpus_after == 40
    assert at[2, 24].gangs_waiting == 0
    assert at[1, 16].queues == {"eval": 16, "train": 16}
    assert result.sentence.startswith("9 of 9 points planned.")
    assert "most at add/n-0 = 2, queue/train.capability.gpu = 24" in result.sentence


def test_an_interrupted_sweep_goes_on_from_its_journal(
    base: Base, sweep: Sweep, tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    first = run_sweep(base, sweep, Here(most=4), journal=path)
    assert len(first.rows) == 4
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"number": 7, "poi')  # the machine went down in the middle of a line
    rest = Here()
    second = run_sweep(base, sweep, rest, journal=path)
    assert (rest.ran, second.resumed) == (5, 4)
    assert _values(second.rows) == _values(run_sweep(base, sweep, Here()).rows)
    assert path.read_bytes().startswith(whole)
    nothing = Here()
    third = run_sweep(base, sweep, nothing, journal=path)
    assert (nothing.ran, third.resumed) == (0, 9)


def test_points_that_failed_are_tried_again(base: Base, sweep: Sweep, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    book = Journal(path, {"sweep": "x"})
    book.open()
    book.add(SweepRow(number=0, point={}, error="its worker process died 3 times"))
    book.add(SweepRow(number=1, point={}, gpus_after=3))
    book.close()
    again = Journal(path, {"sweep": "x"})
    again.open()
    again.close()
    assert list(again.rows) == [1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hello\n", "is no journal"),
        ('{"kind": "SweepJournal", "sweep": "other"}\n', r"another run \(differs in sweep"),
        ('{"kind": "SweepJournal", "sweep": "x"}\n{"number": "one"}\n', "damaged at line 2"),
    ],
)
def test_journals_that_do_not_belong(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        Journal(path, {"sweep": "x"}).open()
    assert "--journal" in caught.value.findings[0].remedy
    with pytest.raises(UsageError, match="cannot be used"):
        Journal(tmp_path, {"sweep": "x"}).open()


def test_wrong_names_are_told_before_the_base_is_planned(base: Base) -> None:
    wrong = parse_sweep({"grid": {"queue/evil.weight": [1, 2]}}, source="s.yaml")
    with pytest.raises(InputError, match=r"s\.yaml: grid key 'queue/evil\.weight', value 1"):
        check_sweep(base.snapshot, base.policy, wrong)


def test_a_wrong_name_in_the_common_edits_is_not_laid_on_a_grid_key(base: Base) -> None:
    raw = {"scenario": {"edits": [{"repair": {"nodes": "n-x"}}]}, "grid": {"add/n-0": [1, 2]}}
    with pytest.raises(InputError, match=r"^s\.yaml: edit 1 \(repair\): there is no node"):
        check_sweep(base.snapshot, base.policy, parse_sweep(raw, source="s.yaml"))


def test_points_that_contradict_each_other_are_rows_with_an_error(base: Base) -> None:
    grid = {"remove/n-0": [False, True], "drain/n-0": [False, True]}
    result = run_sweep(base, parse_sweep({"grid": grid}, source="s.yaml"), Here())
    errors = [row.error for row in result.rows]
    assert [bool(error) for error in errors] == [False, False, False, True]
    assert "no node, pool or GPU model 'n-0'" in errors[3]
    assert "1 without a plan" in result.sentence


@pytest.mark.slow
def test_local_processes_and_a_ray_cluster_of_two_nodes_give_the_same(
    base: Base, sweep: Sweep
) -> None:
    pytest.importorskip("ray", reason="Ray is not installed (extra 'ray')")
    from planner.testing.two_ray_nodes import two_ray_nodes

    here = run_sweep(base, sweep, Here())
    local = run_sweep(base, sweep, executor_named("local", workers=2))
    with two_ray_nodes() as address:
        ray = executor_named("ray", workers=2, ray_address=address)
        remote = run_sweep(base, sweep, ray)
    assert _values(here.rows) == _values(local.rows) == _values(remote.rows)
    assert [one.engine for one in (here, local, remote)] == ["here", "local", "ray"]
