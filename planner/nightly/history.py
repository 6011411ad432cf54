"""Nights into the history, none lost: a marker stands in the output folder until the history has taken the night."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

from models.findings import Finding, InputError, PlannerError
from models.history.adoption import Adoption
from models.history.durations import ObservedDurations
from models.history.trend import Trend
from models.nightly.config import NO_HISTORY, NightlyConfig
from models.nightly.run import NightRun
from models.snapshot import Snapshot
from planner.history.errors import HistoryError
from planner.history.opening import open_history
from planner.history.store import WAIT_S, History
from planner.history.times import night_of
from planner.nightly.folders import night_in
from planner.nightly.importing import record_night
from planner.nightly.nights import is_night
from planner.nightly.outcome import NightOutcome
from planner.nightly.swap import sync_folder

HISTORY_FILE = "history.db"
TREND_NIGHTS = 30
DURATION_DAYS = timedelta(days=60)
"""Nights before one whose finished gangs tell durations."""
_MARKER = ".pending-"
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_SQLITE = "sqlite:///"
_LOG = logging.getLogger(__name__)
Answer = TypeVar("Answer")


def history_url(config: NightlyConfig, environment: Mapping[str, str] = os.environ) -> str | None:
    """Where the history is; None where none is kept. Relative files count from the configuration's folder.

    Raises
    ------
    InputError
        ``${NAME}`` names a variable that is not set.
    """
    given = config.history
    if given is None:
        return f"{_SQLITE}{config.place(config.output).absolute() / HISTORY_FILE}"
    if given.strip().lower() == NO_HISTORY:
        return None
    missing = [name for name in _VARIABLE.findall(given) if name not in environment]
    if missing:
        what = f"history: the environment has no variable {missing[0]}"
        finding = Finding("history_variable", "error", "nightly", what, f"set {missing[0]}")
        raise InputError(what, [finding])
    url = _VARIABLE.sub(lambda match: environment[match[1]], given)
    path = url.removeprefix(_SQLITE)
    if "://" in path or path in ("", ":memory:") or path.startswith("file:"):
        return url
    return f"{_SQLITE}{config.place(path).absolute()}"


class NightHistory:
    """The history of one output folder; the caller holds the folder's lock.

    A history that does not answer is waited for once before the planning and once at the end, not for every question;
    the first answer tells why, later ones are empty.
    """

    def __init__(self, output: Path, url: str | None, wait_s: float = WAIT_S) -> None:
        self._output, self._url, self._wait_s = output, url, wait_s
        self._fault = ""

    def expect(self, night: str) -> None:
        """Mark a night that is about to appear, so that no end of this process loses it."""
        if self._url is not None:
            self._marker(night).touch()
            sync_folder(self._output)

    def pending(self) -> list[str]:
        """Nights that the history has not taken yet, oldest first."""
        names = (path.name.removeprefix(_MARKER) for path in self._output.glob(f"{_MARKER}*"))
        return sorted(name for name in names if is_night(name))

    def take(self, fresh: NightOutcome | None = None) -> tuple[str, ...]:
        """Bring every pending night in, ``fresh`` from memory and others from their folders; what went wrong.

        A night that cannot be taken, because its files are damaged or for a reason that nobody foresaw, is told once
        and given up; where the database fails, the next run tries again.
        """
        if self._url is None or not self.pending():
            return ()
        found: list[str] = []
        try:
            with self._open() as history:
                for name in self.pending():
                    found += self._taken(history, name, fresh)
                    self._marker(name).unlink(missing_ok=True)
        except Exception as error:  # whatever it is, the night that is being planned goes on
            found.append(f"{self._fails(error)}; the next run tries again")
        return tuple(found)

    def trend(self, night: str) -> tuple[Trend | None, str]:
        """Figures of the nights before one, and why there are none, "" where there are."""
        before = date.fromisoformat(night)
        return self._ask(lambda history: history.trend(TREND_NIGHTS, before=before))

    def adopted(self, run: NightRun, snapshot: Snapshot) -> Adoption | None:
        """What became of the last plan before a night; None where that is not known."""
        return self._ask(lambda history: history.adopted_by_now(run, snapshot))[0]

    def durations(self, night: str) -> tuple[ObservedDurations | None, str]:
        """How long gangs ran in the nights before one, and why nobody knows, "" where it is known."""
        day = date.fromisoformat(night)
        first, last = day - DURATION_DAYS, day - timedelta(days=1)
        return self._ask(lambda history: history.observed_durations(since=first, until=last))

    def tell_failure(self, run: NightRun) -> None:
        """Keep a night without a plan, unless the history knows the night already."""
        if self._url is None or self._fault:
            return
        night = night_of(run)
        with self._open() as history:
            if not history.nights(since=night, until=night):
                history.record(run, None, None)

    def _ask(self, question: Callable[[History], Answer]) -> tuple[Answer | None, str]:
        """An answer of the history, or why there is none; a history that failed once is not asked again."""
        if self._url is None or self._fault:
            return None, ""
        try:
            with self._open() as history:
                return question(history), ""
        except Exception as error:  # what earlier nights left never stops this one
            return None, self._fails(error)

    def _taken(self, history: History, name: str, fresh: NightOutcome | None) -> list[str]:
        """Bring one night in; what went wrong with this night alone.

        Raises
        ------
        HistoryError
            The database fails, for every night.
        """
        try:
            self._record(history, name, fresh)
        except HistoryError:
            raise
        except Exception as error:  # it concerns this night and would come again with every run
            again = f"`gangplan history --import {self._output / name}` tries again"
            return [f"the night {name} is not in the history: {_words(error)}; {again}"]
        return []

    def _fails(self, error: Exception) -> str:
        self._fault = _words(error)
        return self._fault

    def _open(self) -> History:
        assert self._url is not None
        return open_history(self._url, wait_s=self._wait_s)

    def _record(self, history: History, name: str, fresh: NightOutcome | None) -> None:
        """Bring one night in; one that never appeared, because its run was killed, is left out."""
        if fresh is not None and fresh.run.night == name:
            history.record(fresh.run, fresh.result, fresh.snapshot)
            return
        night = night_in(self._output / name)
        if night is not None:
            record_night(history, night)

    def _marker(self, night: str) -> Path:
        return self._output / f"{_MARKER}{night}"


def _words(error: Exception) -> str:
    """One sentence; the trace of an error that nobody foresaw goes to the log."""
    if isinstance(error, PlannerError):
        return str(error)
    _LOG.debug("unexpected error with the history", exc_info=error)
    if isinstance(error, OSError):
        return f"{error.filename or 'the history'}: {error.strerror or error}"
    return f"an unexpected error ({type(error).__name__}), which is a fault in gangplan"
