from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_runs_killed_at_many_steps_leave_whole_nights_and_the_next_run_works(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "planner.testing.killed_nights", str(tmp_path), "3"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == ""
    assert done.returncode == 0, done.stderr
