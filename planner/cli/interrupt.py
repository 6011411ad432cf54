"""Ctrl-C during a search: once means "stop and give the best plan", twice means "end now"."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")
INTERRUPTED = 130
POLL_S = 0.1


class StoppableRun(Generic[Result]):
    """Runs work in a thread of its own, so that Python's signal handler can act while a solver computes.

    Python delivers signals to the main thread between byte codes only; a solver called there would keep Ctrl-C
    waiting until it is done.

    Attributes
    ----------
    interrupted
        Whether Ctrl-C asked the work to stop.
    """

    def __init__(self, on_interrupt: Callable[[], None]) -> None:
        self.stop = threading.Event()
        self.interrupted = False
        self._on_interrupt = on_interrupt
        self._done = threading.Event()
        self._result: list[Result] = []
        self._error: BaseException | None = None

    def run(self, work: Callable[[threading.Event], Result]) -> Result:
        """Result of ``work(stop)``; what it raises is raised here."""
        worker = threading.Thread(target=self._work, args=(work,), name="planning", daemon=True)
        with self._handler():
            worker.start()
            while not self._done.wait(POLL_S):
                pass
        if self._error is not None:
            raise self._error
        return self._result[0]

    def _work(self, work: Callable[[threading.Event], Result]) -> None:
        try:
            self._result.append(work(self.stop))
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    @contextmanager
    def _handler(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, number: int, frame: Any) -> None:
        if self.interrupted:
            end_at_once()
        self.interrupted = True
        self.stop.set()
        self._on_interrupt()


def end_at_once() -> None:
    """Leave without cleaning up, but take solver processes along and give the cursor back."""
    if "multiprocessing" in sys.modules:
        import multiprocessing

        for child in multiprocessing.active_children():
            child.kill()
    if sys.stderr.isatty():
        os.write(2, b"\x1b[?25h\n")
    os._exit(INTERRUPTED)
