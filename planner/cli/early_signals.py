"""Ctrl-C and SIGTERM while modules load: one message and exit code 130, whatever is being imported.

An exception will not do there: libraries swallow it, and one that leaves an ``exec`` makes Python end itself by the
signal although somebody caught it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from planner.cli.exit_codes import INTERRUPTED

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end_early(number: int, frame: Any) -> None:
    """Signal handler: say so and leave; nothing has begun that needs an end."""
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def end_on_signals() -> None:
    """From now on both signals end the process at once."""
    for one in SIGNALS:
        signal.signal(one, end_early)


def raise_on_signals() -> None:
    """From now on both signals raise KeyboardInterrupt, if :func:`end_on_signals` was called before."""
    for one in SIGNALS:
        if signal.getsignal(one) is end_early:
            signal.signal(one, signal.default_int_handler)


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """While this is open, both signals end the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.getsignal(one) for one in SIGNALS}
    end_on_signals()
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
