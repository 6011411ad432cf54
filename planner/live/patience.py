"""How long a server is waited for, and who may end the waiting."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Event, Thread
from typing import Final, TypeVar

from models.readers.problems import BadFile

_LOOK_S: Final = 0.1
"""Seconds between two looks at whether somebody wants to stop."""
_STOPPED: ContextVar[Callable[[], bool] | None] = ContextVar("stopped", default=None)
_Found = TypeVar("_Found")


@contextmanager
def stoppable(stopped: Callable[[], bool]) -> Iterator[None]:
    """While this is open, waiting for a server ends with KeyboardInterrupt as soon as ``stopped`` is true."""
    token = _STOPPED.set(stopped)
    try:
        yield
    finally:
        _STOPPED.reset(token)


class TooLate(TimeoutError):
    """There is no whole answer within its time."""


@dataclass(frozen=True)
class Patience:
    """How long answers are waited for.

    Attributes
    ----------
    attempts
        Requests in all, before a busy server or a broken connection is given up.
    answer_s
        Seconds for one whole answer.
    total_s
        Seconds for everything that is asked of a server, from :meth:`begun` on.
    first_wait_s
        Seconds before the first repetition, doubled each time; a server that names a time (Retry-After) is waited for.
    ends_at
        Moment of the clock at which all waiting ends; None before :meth:`begun`.
    sleep, clock
        For tests.
    """

    attempts: int = 5
    answer_s: float = 300.0
    total_s: float = 1800.0
    first_wait_s: float = 0.5
    ends_at: float | None = None
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def begun(self) -> Patience:
        """The same, with a total time that runs from now on."""
        return replace(self, ends_at=self.clock() + self.total_s)

    def left(self) -> float:
        """Seconds for the next answer.

        Raises
        ------
        BadFile
            The total time is over.
        KeyboardInterrupt
            Somebody wants to stop.
        """
        stopped = _STOPPED.get()
        if stopped is not None and stopped():
            raise KeyboardInterrupt
        if self.ends_at is None:
            return self.answer_s
        left = self.ends_at - self.clock()
        if left <= 0:
            raise BadFile(
                "cluster_unreachable",
                f"the server has not given everything within {self.total_s:g} s",
                "read again when the server is less busy",
            )
        return min(self.answer_s, left)

    def pause(self, seconds: float) -> None:
        """Sleep before a repetition.

        Raises
        ------
        BadFile
            There is not so much time.
        KeyboardInterrupt
            As :meth:`left`.
        """
        until = self.clock() + seconds
        if self.ends_at is not None and until > self.ends_at:
            raise BadFile(
                "cluster_unreachable",
                f"the server does not give everything within {self.total_s:g} s: "
                f"the next try is {seconds:,.0f} s away",
                "read again when the server is less busy",
            )
        if _STOPPED.get() is None:
            self.sleep(seconds)
            return
        while (rest := until - self.clock()) > 0:
            self.left()
            self.sleep(min(_LOOK_S, rest))

    def run(self, work: Callable[[], _Found], give_up: Callable[[], None]) -> _Found:
        """What ``work`` gives; a thread does it, so that a server that trickles or is silent can be left alone.

        Parameters
        ----------
        give_up
            Called where the work is left alone; it should make it end.

        Raises
        ------
        TooLate
            It is not done within the time for an answer.
        BadFile, KeyboardInterrupt
            As :meth:`left`.
        """
        until, done = self.clock() + self.left(), Event()
        found: list[_Found] = []
        failed: list[BaseException] = []

        def do() -> None:
            try:
                found.append(work())
            except BaseException as error:
                failed.append(error)
            finally:
                done.set()

        Thread(target=do, name="answer", daemon=True).start()
        try:
            while not done.wait(_LOOK_S):
                self.left()
                if self.clock() > until:
                    raise TooLate(f"no whole answer within {self.answer_s:g} s")
        except BaseException:
            give_up()
            raise
        if failed:
            raise failed[0]
        return found[0]
