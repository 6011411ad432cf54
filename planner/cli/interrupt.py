"""Ctrl-C during a search: once means "stop and give the best plan", twice means "end now"."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from planner.cli.exit_codes import INTERRUPTED


class Interruption:
    """Whether and how a run is asked to stop.

    Attributes
    ----------
    stop
        Set by the first Ctrl-C; a search looks at it.
    interrupted
        Whether there was a first Ctrl-C.
    """

    def __init__(self, on_interrupt: Callable[[], None]) -> None:
        self.stop = threading.Event()
        self.interrupted = False
        self._on_interrupt = on_interrupt

    def handle(self, number: int, frame: Any) -> None:
        """Signal handler.

        It may run in the middle of a write or while a lock is held, so a thread does what needs either.
        """
        if self.interrupted:
            end_at_once()
        self.interrupted = True
        threading.Thread(target=self._stop, name="stopping", daemon=True).start()

    def _stop(self) -> None:
        self.stop.set()
        self._on_interrupt()


@contextmanager
def stop_on_interrupt(
    on_interrupt: Callable[[], None], signals: Sequence[signal.Signals] = (signal.SIGINT,)
) -> Iterator[Interruption]:
    """While this is open, Ctrl-C (or one of ``signals``) sets the stop event, and KeyboardInterrupt is not raised."""
    interruption = Interruption(on_interrupt)
    if threading.current_thread() is not threading.main_thread():
        yield interruption  # only the main thread may install handlers
        return
    before = {one: signal.signal(one, interruption.handle) for one in signals}
    try:
        yield interruption
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def end_at_once() -> None:
    """Leave without cleaning up, but take solver processes along and give the cursor back."""
    if "multiprocessing" in sys.modules:
        import multiprocessing

        for child in multiprocessing.active_children():
            child.kill()
    if os.isatty(2):
        os.write(2, b"\x1b[?25h\n")
    os._exit(INTERRUPTED)
