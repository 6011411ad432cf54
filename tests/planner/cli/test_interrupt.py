from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from planner.cli.interrupt import StoppableRun


def test_the_result_and_errors_of_the_work_come_back() -> None:
    assert StoppableRun[int](lambda: None).run(lambda stop: 42) == 42

    def fail(stop: threading.Event) -> int:
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        StoppableRun[int](lambda: None).run(fail)


def test_ctrl_c_sets_the_stop_event_and_keeps_the_result() -> None:
    before = signal.getsignal(signal.SIGINT)
    said: list[str] = []
    run: StoppableRun[str] = StoppableRun(lambda: said.append("stopping"))

    def search(stop: threading.Event) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        return "best so far" if stop.wait(10) else "not stopped"

    assert run.run(search) == "best so far"
    assert run.interrupted
    assert said == ["stopping"]
    assert signal.getsignal(signal.SIGINT) is before


SECOND = """
import os, signal, threading, time
from planner.cli.interrupt import StoppableRun
def deaf(stop):
    os.kill(os.getpid(), signal.SIGINT)
    while not stop.is_set():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
StoppableRun(lambda: print("stopping", flush=True)).run(deaf)
"""


def test_the_second_ctrl_c_ends_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SECOND], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 130
    assert done.stdout == "stopping\n"
    assert done.stderr == ""
