"""Jobs of the executor tests: functions of a module, as workers import them by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any


def begin(shared: dict[str, Any]) -> dict[str, Any]:
    """State of a worker; a file per worker tells that it was made once."""
    folder = Path(shared["folder"])
    (folder / f"worker-{os.getpid()}").touch(exist_ok=False)
    return shared


def square(state: dict[str, Any], number: int) -> int:
    """A result, or an error for 13."""
    if number == 13:
        raise ValueError("thirteen is refused")
    return number * number + int(state["plus"])


def kill_first(state: dict[str, Any], number: int) -> int:
    """The first try of every fifth number kills its worker; each completed try is written down."""
    folder = Path(state["folder"])
    mark = folder / f"tried-{number}"
    if number % 5 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with (folder / "ledger").open("a") as ledger:
        ledger.write(f"{number}\n")
    return number


def kill_always(state: dict[str, Any], number: int) -> int:
    """Number 3 always kills its worker."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def wait_a_little(state: dict[str, Any], number: int) -> int:
    """A job that takes a moment."""
    time.sleep(0.05)
    return number
