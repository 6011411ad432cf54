from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from planner.cli.interrupt import stop_on_interrupt


def wait_until(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.01)
    return False


def test_ctrl_c_sets_the_stop_event_and_says_so() -> None:
    before = signal.getsignal(signal.SIGINT)
    said: list[str] = []
    with stop_on_interrupt(lambda: said.append("stopping")) as interruption:
        assert not interruption.interrupted
        os.kill(os.getpid(), signal.SIGINT)
        assert wait_until(interruption.stop.is_set)
        assert wait_until(lambda: said == ["stopping"])
        assert interruption.interrupted
    assert signal.getsignal(signal.SIGINT) is before


def test_a_locked_event_is_no_deadlock() -> None:
    with stop_on_interrupt(lambda: None) as interruption:
        with interruption.stop._cond:  # type: ignore[attr-defined]
            os.kill(os.getpid(), signal.SIGINT)
        assert wait_until(interruption.stop.is_set)


def test_other_threads_leave_the_handler_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    inside: list[object] = []

    def elsewhere() -> None:
        with stop_on_interrupt(lambda: None):
            inside.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert inside == [before]


SECOND = """
import os, signal, time
from planner.cli.interrupt import stop_on_interrupt
with stop_on_interrupt(lambda: print("stopping", flush=True)) as interruption:
    os.kill(os.getpid(), signal.SIGINT)
    while not interruption.stop.is_set():
        time.sleep(0.01)
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
"""


def test_the_second_ctrl_c_ends_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SECOND], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 130
    assert done.stdout == "stopping\n"
    assert done.stderr == ""
