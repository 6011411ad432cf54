from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from planner.runtime.machine import cpu_quota, memory_limit_bytes, usable_cores


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({}, None),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "nonsense"}, None),
        ({"cpu.max": "100000 0"}, None),
        ({"cpu/cpu.cfs_quota_us": "200000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2.0),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
    ],
)
def test_quota_of_a_container(tmp_path: Path, files: dict[str, str], quota: float | None) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cpu_quota(tmp_path) == quota


def test_the_smaller_of_machine_and_container_memory_counts(tmp_path: Path) -> None:
    machine = memory_limit_bytes(tmp_path)
    (tmp_path / "memory.max").write_text("1048576\n")
    assert memory_limit_bytes(tmp_path) == 1048576
    (tmp_path / "memory.max").write_text("max\n")
    assert memory_limit_bytes(tmp_path) == machine


def test_a_limit_on_the_address_space_counts() -> None:
    pytest.importorskip("resource", reason="this platform knows no such limits")
    code = (
        "import resource; from planner.runtime.machine import memory_limit_bytes; "
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)); print(memory_limit_bytes())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 2**30


def test_there_is_at_least_one_core() -> None:
    assert usable_cores() >= 1
