"""From the options of ``gangplan history`` to a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from models.findings import UsageError

if TYPE_CHECKING:
    from planner.cli.verbs.history import HistoryOptions
    from planner.history.store import History
    from planner.report.tables import Report

_CONFIG = Path("nightly.yaml")
_LAST = "last"


def chosen_database(options: HistoryOptions) -> str:
    """The URL that is named, else the one of the configuration, else that of ``nightly.yaml`` in this folder.

    Raises
    ------
    UsageError
        None is named, or two are.
    """
    if options.config is not None and options.database is not None:
        raise UsageError("--database and --config both name a history; give one of them")
    if options.database is not None:
        return options.database
    config = options.config or (_CONFIG if _CONFIG.is_file() else None)
    if config is None:
        raise UsageError(
            "no history is named: give --database URL or --config nightly.yaml, or set GANGPLAN_HISTORY"
        )
    from planner.nightly.config_file import read_config
    from planner.nightly.history import history_url

    url = history_url(read_config(config))
    if url is None:
        raise UsageError(f"{config} keeps no history (history: none); give --database URL")
    return url


@dataclass(frozen=True)
class HistoryRun:
    """What is asked for."""

    options: HistoryOptions
    namespaces: Sequence[str] = ()
    queues: Sequence[str] = ()

    def check(self) -> None:
        """Refuse options that contradict each other, and dates that are none, before anything is opened.

        Raises
        ------
        UsageError
            With what to write instead.
        """
        one = self.options
        views = {
            "--night": one.night is not None,
            "--compare": one.compare is not None,
            "--gang": bool(one.gang),
            "--import": bool(one.bring_in),
        }
        given = [name for name, there in views.items() if there]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} cannot be combined; ask one after the other")
        if (one.actual or one.plan) and one.night is None:
            raise UsageError("--actual and --plan need a night: add --night DATE")
        if one.actual and one.plan:
            raise UsageError("--actual and --plan cannot be combined")
        ranged = one.last is not None or one.since is not None or one.until is not None
        if ranged and given and given != ["--gang"]:
            raise UsageError(f"--last, --since and --until do not go with {given[0]}")
        for gang in one.gang or ():
            if not all(gang.partition("/")[::2]):
                raise UsageError(f"--gang {gang}: write it as NAMESPACE/NAME")
        for text in (one.night, one.since, one.until, *(one.compare or ())):
            _date(text)

    def report(self, history: History) -> Report:
        """Read and prepare."""
        one = self.options
        if one.bring_in:
            return self._imported(history, one.bring_in)
        if one.compare is not None:
            return self._compared(history, *one.compare)
        if one.night is not None:
            return self._night(history, self._day(history, one.night))
        if one.gang or self.namespaces or self.queues:
            return self._gangs(history)
        return self._nights(history)

    def _nights(self, history: History) -> Report:
        from planner.history.summaries import past_nights
        from planner.report.history.nights_report import nights_report

        one = self.options
        found = history.nights(since=_date(one.since), until=_date(one.until), last=one.last)
        return nights_report(past_nights(history, found))

    def _imported(self, history: History, folders: Sequence[Path]) -> Report:
        from planner.history.summaries import past_nights
        from planner.nightly.importing import import_nights
        from planner.report.history.nights_report import nights_report

        return nights_report(past_nights(history, import_nights(history, folders)))

    def _night(self, history: History, day: date) -> Report:
        from planner.history.summaries import night_details
        from planner.report.history.night_report import night_report

        if self.options.plan:
            return self._plan(history, day)
        details = night_details(history, day, namespaces=self.namespaces, queues=self.queues)
        return night_report(details, only_actual=self.options.actual)

    def _plan(self, history: History, day: date) -> Report:
        from planner.report.plan_report import plan_report
        from planner.report.schedule_report import schedule_report

        result = history.night(day, with_plan=True).plan
        if result is None:
            raise UsageError(f"the run of {day} left no plan")
        make = plan_report if result.schedule is None else schedule_report
        return make(result, namespaces=self.namespaces, queues=self.queues)

    def _compared(self, history: History, before: str, after: str) -> Report:
        from planner.report.history.difference_report import difference_report

        first, second = self._day(history, before), self._day(history, after)
        return difference_report(history.compare(first, second), history.name)

    def _gangs(self, history: History) -> Report:
        from planner.report.history.gangs_report import gangs_report

        one = self.options
        since = _date(one.since)
        if one.last is not None:
            nights = history.nights(since=since, until=_date(one.until), last=one.last)
            since = nights[0].night if nights else since
        found = history.gangs(
            namespaces=self.namespaces,
            queues=self.queues,
            gangs=one.gang or (),
            since=since,
            until=_date(one.until),
        )
        return gangs_report(found)

    def _day(self, history: History, text: str) -> date:
        day = _date(text)
        if day is not None:
            return day
        nights = history.nights(last=1)
        if not nights:
            raise UsageError("the history holds no night yet")
        return nights[-1].night


def _date(text: str | None) -> date | None:
    """A day; None for none and for ``last``."""
    if text is None or text == _LAST:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no night; write it like 2026-09-15, or last") from None
