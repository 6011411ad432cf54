"""Progress of a search on standard error: a live line on a terminal, sparse lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from planner.cli.talk import Talk
from planner.problem.progress import Progress, ProgressSink

if TYPE_CHECKING:
    from rich.progress import Progress as LiveBar

SPARSE_EVERY_S = 10.0
TICK_S = 0.2
_VERBS = {
    "read": "reading",
    "prepare": "preparing",
    "build": "building the model",
    "solve": "searching",
    "place": "choosing nodes",
    "baseline": "asking a greedy scheduler",
    "verify": "verifying",
    "explain": "explaining",
    "report": "writing the report",
    "sweep": "sweeping",
    "marginal": "pricing",
}


def progress_text(progress: Progress) -> str:
    """One message as text: stage, tier, incumbent, bound, gap; without the elapsed time."""
    parts = [_VERBS.get(progress.stage, progress.stage)]
    if progress.tier:
        parts.append(f"tier {progress.tier}")
    if progress.value is not None:
        parts.append(f"found {progress.value:,}")
    if progress.bound is not None:
        parts.append(f"bound {progress.bound:,}")
    if progress.gap is not None:
        parts.append(f"gap {progress.gap:.2%}")
    if progress.message:
        parts.append(progress.message)
    return ", ".join(parts)


@contextmanager
def progress_sink(talk: Talk) -> Iterator[ProgressSink]:
    """The sink that suits standard error; one that says nothing with ``--quiet``."""
    if talk.quiet:
        yield lambda progress: None
    elif talk.console.is_terminal:
        with _live_bar(talk) as bar, closing(LiveSink(bar)) as sink:
            yield sink
    else:
        yield SparseSink(talk)


def _live_bar(talk: Talk) -> LiveBar:
    from rich.progress import Progress as LiveBar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    return LiveBar(
        SpinnerColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=talk.console,
        transient=True,
        auto_refresh=False,
    )


class LiveSink:
    """Keeps one line up to date; may be called from any thread.

    The clock on the line begins to tick with the first tier: a search forks its child before that, which is cheap and
    safe only while the process has one thread.
    """

    def __init__(self, bar: LiveBar) -> None:
        self._bar = bar
        self._task = bar.add_task("starting", total=None)
        self._closed = threading.Event()
        self._ticker: threading.Thread | None = None

    def __call__(self, progress: Progress) -> None:
        """Show the message."""
        self._bar.update(self._task, description=progress_text(progress), refresh=True)
        if progress.tier and self._ticker is None:
            self._ticker = threading.Thread(target=self._tick, name="progress", daemon=True)
            self._ticker.start()

    def _tick(self) -> None:
        while not self._closed.wait(TICK_S):
            self._bar.refresh()

    def close(self) -> None:
        """Stop the clock."""
        self._closed.set()
        if self._ticker is not None:
            self._ticker.join()


class SparseSink:
    """One line per stage or tier, and in between at most one every ten seconds; may be called from any thread."""

    def __init__(self, talk: Talk, clock: Callable[[], float] = time.monotonic) -> None:
        self._talk = talk
        self._clock = clock
        self._started = clock()
        self._lock = threading.Lock()
        self._place: tuple[str, str] | None = None
        self._said_at = 0.0

    def __call__(self, progress: Progress) -> None:
        """Say the message if it tells something new."""
        with self._lock:
            place = (progress.stage, progress.tier if self._talk.verbose else "")
            elapsed_s = self._clock() - self._started
            if place == self._place and elapsed_s - self._said_at < SPARSE_EVERY_S:
                return
            self._place, self._said_at = place, elapsed_s
        self._talk.note(f"{elapsed_s:7.1f} s  {progress_text(progress)}")
