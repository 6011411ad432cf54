"""``plan --clusters``: files, summary, exit code, and options that do not suit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planner.execute import engines
from planner.testing.here import Here

Gangplan = Callable[..., Any]


@pytest.fixture
def exports(snapshot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two clusters in a folder, planned in this process."""
    monkeypatch.setattr(engines, "executor_named", lambda name, **options: Here())
    folder = tmp_path / "exports"
    folder.mkdir()
    for name in ("east", "west"):
        shutil.copy(snapshot_file, folder / f"{name}{snapshot_file.suffix}")
    return folder


def test_a_plan_per_cluster_and_a_summary(
    gangplan: Gangplan, exports: Path, tmp_path: Path
) -> None:
    out = tmp_path / "plans"
    done = gangplan("plan", exports, "--clusters", "--out", out)
    assert done.exit_code == 0, done.stderr
    assert sorted(path.name for path in out.iterdir()) == [
        "clusters.json",
        "east.json",
        "west.json",
    ]
    assert json.loads((out / "east.json").read_text("utf-8"))["kind"] == "PlanResult"
    summary = json.loads((out / "clusters.json").read_text("utf-8"))
    assert [one["plan"] for one in summary["clusters"]] == ["east.json", "west.json"]
    assert "2 of 2 clusters planned" in done.stdout
    again = gangplan("plan", exports, "--clusters", "--previous", out, "-o", "json")
    assert json.loads(again.stdout)["gangsStarted"] == summary["gangsStarted"]


@pytest.mark.parametrize("form", ["csv", "html", "md", "yaml", "json"])
def test_every_form(gangplan: Gangplan, exports: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "plans"
    assert gangplan("plan", exports, "--clusters", "-o", form, "--out", out).exit_code == 0
    assert (out / f"clusters.{form}").is_file()
    assert (out / "east.json").is_file()
    assert (out / ("east" if form == "csv" else f"east.{form}")).exists()


def test_a_failure_is_told_and_the_rest_is_there(
    gangplan: Gangplan, exports: Path, tmp_path: Path
) -> None:
    (exports / "broken.json").write_text("{", "utf-8")
    done = gangplan("plan", exports, "--clusters", "-o", "json")
    assert done.exit_code == 3
    assert "broken: " in done.stderr
    assert "Traceback" not in done.stderr
    assert [bool(one["error"]) for one in json.loads(done.stdout)["clusters"]] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--jobs", "2"), "--jobs needs --clusters"),
        (("--engine", "ray"), "--engine needs --clusters"),
        (("--clusters", "--require", "gpusAfter>=1"), "--require is about one plan"),
        (("--clusters", "-q", "x"), "-n and -q are about one plan"),
        (("--clusters", "--previous", "/nowhere"), "is no folder"),
        (("--clusters", "--out", __file__), "is no folder"),
    ],
)
def test_options_that_do_not_suit(
    gangplan: Gangplan, exports: Path, options: tuple[str, ...], told: str
) -> None:
    done = gangplan("plan", exports, *options)
    assert done.exit_code == 2
    assert told in done.stderr.replace("\n", " ")
