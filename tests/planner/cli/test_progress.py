from __future__ import annotations

import threading

import pytest

from planner.cli.option_groups import TalkOptions
from planner.cli.progress import SPARSE_EVERY_S, SparseSink, progress_sink, progress_text
from planner.cli.talk import Talk
from planner.problem.progress import Progress


def test_incumbent_bound_and_gap_are_in_the_text() -> None:
    text = progress_text(
        Progress("solve", 3.2, tier="covered.1.gpus", value=1400, bound=1410, gap=10 / 1400)
    )
    assert text == "searching, tier covered.1.gpus, found 1,400, bound 1,410, gap 0.71%"


def test_unknown_numbers_are_left_out() -> None:
    assert progress_text(Progress("prepare", 0.1)) == "preparing"


def test_lines_are_sparse_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    sink = SparseSink(Talk(TalkOptions()), clock=lambda: now[0])
    for step in range(100):
        now[0] = step * 0.3
        sink(Progress("solve", now[0], tier="covered.1.gpus", value=step))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 + int(99 * 0.3 // SPARSE_EVERY_S)
    assert lines[0].startswith("    0.0 s  searching")


def test_every_stage_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    sink = SparseSink(Talk(TalkOptions()))
    for stage in ("prepare", "build", "solve", "solve", "verify"):
        sink(Progress(stage, 0.5))
    assert len(capsys.readouterr().err.splitlines()) == 4


def test_quiet_has_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_sink(Talk(TalkOptions(quiet=True))) as sink:
        sink(Progress("solve", 1.0, value=5))
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_live_line_that_is_taken_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    talk = Talk(TalkOptions())
    assert talk.console.is_terminal
    with progress_sink(talk) as sink:
        sink(Progress("solve", 1.0, value=5))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "searching, found 5" in captured.err


def test_the_process_has_one_thread_until_the_search_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    before = threading.active_count()
    with progress_sink(Talk(TalkOptions())) as sink:
        sink(Progress("prepare", 0.1))
        assert threading.active_count() == before
        sink(Progress("solve", 0.2, tier="covered.1.gpus"))
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
