"""Opening a history, and what can be done with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Self

from models.history.adoption import Adoption
from models.history.difference import NightDifference
from models.history.documents import GangHistory
from models.history.durations import ObservedDurations
from models.history.night import PastNight
from models.history.record import NightRecord
from models.history.rows import GangOutcome, GangSighting
from models.history.trend import Trend, TrendPoint
from models.nightly.run import NightRun
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.history.errors import history_error, told
from planner.history.extract.record import record_of
from planner.history.redact import redact_url

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine import Connection

WAIT_S = 15.0
"""Seconds to wait for a database that another process holds."""
LATEST_RUNS = 100
"""Newest runs of an owner whose durations count."""


class History:
    """An open history; every call is one transaction, and every failure is a :class:`HistoryError`."""

    def __init__(self, engine: Engine, url: str) -> None:
        self._engine = engine
        self._url = url

    @property
    def name(self) -> str:
        """Its URL without a password."""
        return redact_url(self._url)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all connections."""
        self._engine.dispose()

    def record(
        self, run: NightRun, result: PlanResult | None, snapshot: Snapshot | None
    ) -> PastNight:
        """Keep a night; what was kept of the same night before goes in the same transaction."""
        record = record_of(run, result, snapshot)
        self.keep(record)
        return record.night

    def keep(self, record: NightRecord) -> None:
        """Keep a record as it is."""
        from planner.history.write import write_record

        with self._writing() as connection:
            write_record(connection, record)

    def nights(
        self, *, since: date | None = None, until: date | None = None, last: int | None = None
    ) -> tuple[PastNight, ...]:
        """Nights from ``since`` to ``until`` (both included), of these the ``last`` ones, oldest first."""
        from planner.history.read import read_nights

        with self._reading() as connection:
            return read_nights(connection, since=since, until=until, last=last)

    def night(self, night: date, *, with_plan: bool = False) -> NightRecord:
        """One night with its details.

        Raises
        ------
        HistoryError
            It is not kept; the message names nights that are.
        """
        from planner.history.read import read_record

        with self._reading() as connection:
            found = read_record(connection, night, with_plan=with_plan)
        if found is None:
            raise self._unknown(night)
        return found

    def trend(self, nights: int, *, before: date | None = None) -> Trend:
        """Headline figures of the last ``nights`` nights (of those earlier than ``before``), oldest first."""
        until = None if before is None else before - timedelta(days=1)
        found = self.nights(until=until, last=nights)
        return Trend(
            points=tuple(
                TrendPoint(night=one.night, outcome=one.outcome, figures=one.figures)
                for one in found
            )
        )

    def compare(self, before: date, after: date) -> NightDifference:
        """What differs between two nights.

        Raises
        ------
        HistoryError
            One of them is not kept.
        """
        from planner.history.differing import difference_of

        return difference_of(self.night(before), self.night(after))

    def adopted(self, night: date, *, by: date | None = None) -> Adoption:
        """Planned against actual, seen ``by`` a later night: the next one whose snapshot was kept, if none is given.

        Raises
        ------
        HistoryError
            A night is not kept.
        """
        from planner.history.adopting import adoption_of
        from planner.history.read import next_seen

        record = self.night(night)
        if by is None:
            with self._reading() as connection:
                by = next_seen(connection, night)
        return adoption_of(record, None if by is None else self.night(by))

    def adopted_by_now(self, run: NightRun, snapshot: Snapshot) -> Adoption | None:
        """What became of the last plan before a run, seen in the run's snapshot; None where no plan is kept."""
        from planner.history.adopting import adoption_of

        now = record_of(run, None, snapshot)
        earlier = self.nights(until=now.night.night - timedelta(days=1))
        planned = [one.night for one in earlier if one.figures is not None]
        return adoption_of(self.night(planned[-1]), now) if planned else None

    def observed_durations(
        self, *, since: date | None = None, until: date | None = None, latest: int = LATEST_RUNS
    ) -> ObservedDurations:
        """How long the ``latest`` finished runs of every owner took, as far as the nights show it."""
        from planner.history.observing import durations_of
        from planner.history.read import read_runs

        with self._reading() as connection:
            return durations_of(read_runs(connection, since, until), latest=latest)

    def gangs(
        self,
        *,
        namespaces: Sequence[str] = (),
        queues: Sequence[str] = (),
        gangs: Sequence[str] = (),
        since: date | None = None,
        until: date | None = None,
    ) -> GangHistory:
        """Gangs over the nights: waits, recommendations, starts; ``gangs`` are full names, empty filters choose all."""
        from planner.history.read import Wanted, read_gang_rows, read_times
        from planner.history.tables import OUTCOMES, SIGHTINGS
        from planner.history.telling import gangs_sentence, stories_of

        wanted = Wanted(since, until, tuple(namespaces), tuple(queues), tuple(gangs))
        with self._reading() as connection:
            times = read_times(connection)
            seen = read_gang_rows(connection, SIGHTINGS, GangSighting, wanted)
            told_rows = read_gang_rows(connection, OUTCOMES, GangOutcome, wanted)
        times = {night: text for night, text in times.items() if until is None or night <= until}
        stories = stories_of(seen, told_rows, times)
        nights = sorted({night for night, _ in (*seen, *told_rows)})
        return GangHistory(
            sentence=gangs_sentence(stories, nights),
            database=self.name,
            first_night=nights[0] if nights else None,
            last_night=nights[-1] if nights else None,
            gangs=stories,
        )

    def _unknown(self, night: date) -> Exception:
        known = self.nights()
        told_nights = (
            f"it holds {len(known)} nights from {known[0].night} to {known[-1].night}"
            if known
            else "it holds no night yet"
        )
        return history_error(
            "history_no_night",
            self._url,
            f"no night {night} is kept; {told_nights}",
            "`gangplan history` lists the nights",
        )

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with told(self._url), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        from planner.history.engine import WRITES

        with told(self._url), self._engine.connect() as connection:
            connection = connection.execution_options(**{WRITES: True})
            with connection.begin():
                yield connection
