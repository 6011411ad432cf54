"""The history as pages read it: opened read-only by the server's command line, one short transaction per question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from models.checks.wording import counted
from models.history import documents
from models.history.adoption import Adoption
from models.history.difference import NightDifference
from models.history.night import PastNight
from models.history.record import NightRecord
from models.history.trend import Trend
from models.plan import PlanResult
from planner.history.opening import open_history
from planner.history.store import History

__all__ = ["History", "PastNights", "PastPlan", "open_past", "past_nights"]


@dataclass(frozen=True)
class PastPlan:
    """The plan document of one night and its time zone, for the page Plan."""

    night: date
    result: PlanResult
    timezone: str = "UTC"


@dataclass(frozen=True)
class PastNights:
    """An open history and its nights, oldest first.

    Every method raises :class:`models.findings.InputError` where the database does not answer or a night is not kept.
    """

    history: History
    nights: tuple[PastNight, ...] = ()
    known: Mapping[date, PastNight] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Where it is, without a password."""
        return self.history.name

    @property
    def short_name(self) -> str:
        """The last part of it: visitors do not learn paths of the server."""
        return self.name.rstrip("/").rsplit("/", 1)[-1]

    @property
    def document(self) -> documents.PastNights:
        """All nights as a document."""
        sentence = f"{counted(len(self.nights), 'night')} in the history."
        return documents.PastNights(sentence=sentence, database=self.short_name, nights=self.nights)

    def record(self, night: date) -> NightRecord:
        """One night with its details."""
        return self.history.night(night)

    def plan(self, night: date) -> PastPlan | None:
        """The plan of one night, None where it left none."""
        record = self.history.night(night, with_plan=True)
        if record.plan is None:
            return None
        return PastPlan(night, record.plan, record.night.timezone)

    def trend(self) -> Trend:
        """Key figures of all nights."""
        return self.history.trend(max(1, len(self.nights)))

    def compare(self, before: date, after: date) -> NightDifference:
        """What differs between two nights."""
        return self.history.compare(before, after)

    def adopted(self, night: date) -> Adoption:
        """Planned against actual, by the next night whose snapshot was kept."""
        return self.history.adopted(night)


def open_past(url: str) -> History:
    """Open a history that exists; nothing is made or written.

    Raises
    ------
    InputError
        There is none, or it cannot be read; a password is never shown.
    """
    return open_history(url, create=False)


def past_nights(history: History) -> PastNights:
    """The history with the nights that it holds now."""
    nights = history.nights()
    return PastNights(history, nights, {one.night: one for one in nights})
