"""Ctrl-C in a sweep keeps what is done, and a killed run loses nothing that its journal holds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planner.samples import sample_path

pytestmark = pytest.mark.slow
POINTS = 16


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """A sweep of sixteen points on one worker."""
    grid = f"grid:\n  queue/eval.weight: 1..{POINTS // 4}\n  add/H100: 0..3\n"
    (tmp_path / "grid.yaml").write_text(grid)
    sweep = ["--sweep", "grid.yaml", "--jobs", "1", "--deterministic", "-o", "json"]
    return [sys.executable, "-m", "planner.cli", "whatif", str(sample_path("demo")), *sweep]


def _begun(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """A run that has planned at least two points."""
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with (folder / "out.json").open("wb") as out:
        process = subprocess.Popen(
            command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL, env=environment
        )
    journal = folder / "grid.journal.jsonl"
    end = time.monotonic() + 90
    while time.monotonic() < end and process.poll() is None:
        if journal.exists() and journal.read_text().count("\n") >= 3:
            return process
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"no point was planned in time (exit code {process.wait()})")


def _finish(command: list[str], folder: Path) -> dict[str, object]:
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, check=False, env=environment, timeout=180
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, object] = json.loads(done.stdout)
    return document


def test_ctrl_c_writes_what_is_done_and_the_next_run_does_the_rest(
    command: list[str], tmp_path: Path
) -> None:
    process = _begun(command, tmp_path)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
    partial = json.loads((tmp_path / "out.json").read_text())
    assert 2 <= len(partial["rows"]) < POINTS
    whole = _finish(command, tmp_path)
    assert whole["resumed"] == len(partial["rows"])
    numbers = [row["number"] for row in whole["rows"]]  # type: ignore[index,union-attr,attr-defined]
    assert numbers == list(range(POINTS))


def test_a_killed_run_goes_on_from_its_journal(command: list[str], tmp_path: Path) -> None:
    process = _begun(command, tmp_path)
    process.kill()
    process.wait(timeout=30)
    whole = _finish(command, tmp_path)
    assert 2 <= int(str(whole["resumed"])) < POINTS
    assert len(whole["rows"]) == POINTS  # type: ignore[arg-type]
