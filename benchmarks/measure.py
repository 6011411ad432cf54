"""Run a command to its end; wall seconds and peak memory of it and of the processes it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run took; ``peak_mib`` is the largest resident set of any of its processes."""

    seconds: float
    peak_mib: float
    exit_code: int
    errors: str


def run_measured(command: Sequence[str], log: Path) -> Measured:
    """Run a command without a shell; its standard error goes to ``log`` and, where it fails, into the result."""
    start = time.perf_counter()
    with log.open("wb") as errors:
        process = subprocess.Popen(list(command), stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    code = process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1024**2 if sys.platform == "darwin" else 1024  # bytes there, KiB elsewhere
    told = log.read_text(errors="replace")[-2000:] if code else ""
    return Measured(seconds, usage.ru_maxrss / unit, code, told)


def gangplan(*arguments: str) -> list[str]:
    """The command line of the product under this interpreter."""
    return [sys.executable, "-m", "planner.cli", *arguments]
