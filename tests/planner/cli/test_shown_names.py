"""``-n`` and ``-q`` with names that do not exist: they once showed an empty cluster and exit code 0."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize("verb", ["plan", "schedule", "inspect", "explain"])
@pytest.mark.parametrize(
    ("flag", "name", "meant"), [("-q", "reserch", "research"), ("-n", "mll", "ml")]
)
def test_a_mistyped_name_is_an_error_that_names_the_nearest(
    gangplan, snapshot_file: Path, verb: str, flag: str, name: str, meant: str
) -> None:
    done = gangplan(verb, snapshot_file, flag, name)
    assert done.exit_code == 2
    assert f"did you mean {meant}?" in done.stderr
    assert done.stdout == ""


def test_a_name_like_no_other_lists_what_there_is(gangplan, snapshot_file: Path) -> None:
    done = gangplan("inspect", snapshot_file, "-q", "zzzz")
    assert done.exit_code == 2
    assert "there are research" in done.stderr


def test_names_that_exist_are_taken(gangplan, snapshot_file: Path) -> None:
    assert gangplan("inspect", snapshot_file, "-q", "research", "-n", "ml").exit_code == 0


def test_a_document_is_asked_too(gangplan, snapshot_file: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert gangplan("plan", snapshot_file, "-o", "json", "--out", plan).exit_code == 0
    done = gangplan("report", plan, "-q", "reserch")
    assert done.exit_code == 2
    assert "did you mean research?" in done.stderr
