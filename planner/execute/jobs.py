"""Jobs, their results, and what an executor promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Setup = Callable[[Any], Any]
"""Makes the state of a worker from what all jobs share; called once per worker. A function of a module."""
Work = Callable[[Any, Any], Any]
"""Does one job: (state, payload) to a value that can be pickled. A function of a module."""
MOST_ATTEMPTS = 3
"""Times that a job is tried whose worker dies."""


@dataclass(frozen=True, slots=True)
class Job:
    """One independent piece of work; ``key`` is unique within a run.

    Attributes
    ----------
    lane
        Jobs of one lane gain from each other: where an executor can, one worker does them, one after the other in their
        order. "" stands alone. Values must not depend on it.
    """

    key: str
    payload: Any
    lane: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """Result of one job.

    Attributes
    ----------
    error
        Why there is no value; "" where there is one.
    attempts
        Times that it was tried; more than 1 where a worker died. 0 where the executor does not tell.
    """

    key: str
    value: Any = None
    error: str = ""
    attempts: int = 1


class Executor(Protocol):
    """Runs jobs; each is reported exactly once, in the order in which they end."""

    name: str

    def run(
        self,
        setup: Setup,
        work: Work,
        shared: Any,
        jobs: Sequence[Job],
        *,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Done]:
        """Results of all jobs, or, once ``stopped`` says so, of those that had begun.

        A job that raises is reported with its error and not tried again; a job whose worker dies is.
        """
        ...


def said(error: BaseException) -> str:
    """An exception as one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:500]
