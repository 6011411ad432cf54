"""Work that this process does while a child searches."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from planner.runtime.machine import usable_cores

Result = TypeVar("Result")


class Meanwhile(Generic[Result]):
    """One piece of work, done in a thread once :meth:`begin` is called, or else when its result is asked for.

    The parent of a search only waits for messages, so on a second core the work costs no time. No thread may run
    while a child is forked: :meth:`finish` before.
    """

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._done: list[Result] = []
        self._error: list[BaseException] = []
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Start, where there is a core for it; once is enough."""
        if self._thread is None and usable_cores() > 1:
            self._thread = threading.Thread(target=self._run, name="meanwhile", daemon=True)
            self._thread.start()

    def finish(self) -> None:
        """Wait for what has begun."""
        if self._thread is not None:
            self._thread.join()

    def result(self) -> Result:
        """What the work gives; raises what the work raised."""
        self.finish()
        if self._thread is None:
            self._run()
        if self._error:
            raise self._error[0]
        return self._done[0]

    def _run(self) -> None:
        try:
            self._done.append(self._work())
        except BaseException as error:
            self._error.append(error)
