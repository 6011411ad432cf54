"""One kind of long work of a session: what was asked, the job that answers, its last answer, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

import streamlit as st

from models.findings import InputError, PlannerError, UsageError
from models.snapshot import Snapshot
from planner.usecases.jobs.background_job import BackgroundJob, JobView

Freshness = Literal["fresh", "settings", "snapshot"]


class Question(Protocol):
    """What can be asked: two questions of the same key ask for the same."""

    @property
    def key(self) -> str:
        """Digest over everything that decides the answer."""

    @property
    def snapshot(self) -> Snapshot:
        """The cluster that it is about."""


Asked = TypeVar("Asked", bound=Question)
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Answered(Generic[Asked, Answer]):
    """An answer with its question, and how the search went."""

    request: Asked
    result: Answer
    job: JobView[Answer]


@dataclass(frozen=True)
class Unanswered(Generic[Asked, Answer]):
    """A question without an answer."""

    request: Asked
    error: PlannerError
    job: JobView[Answer]


@dataclass
class Run(Generic[Asked, Answer]):
    """State of one kind of work.

    Attributes
    ----------
    pending
        The question of the running job.
    fault
        Why nothing was begun at the last click.
    asked
        Whether the button was pressed; the page begins once it has read the settings of the same click.
    keep_old
        Whether an answer about another snapshot is shown.
    """

    job: BackgroundJob[Answer] | None = None
    pending: Asked | None = None
    done: Answered[Asked, Answer] | None = None
    failure: Unanswered[Asked, Answer] | None = None
    fault: PlannerError | None = None
    asked: bool = False
    keep_old: bool = False

    @property
    def going_on(self) -> bool:
        """Whether a search has not ended yet."""
        return self.job is not None and self.job.view().going_on

    def ask(self) -> None:
        """Begin with the settings that this run of the script will read; for buttons."""
        self.asked = True

    def switch(self) -> None:
        """Show the answer about the other snapshot, or no longer."""
        self.keep_old = not self.keep_old

    def begin(self, request: Asked, job: BackgroundJob[Answer], *, start: bool = True) -> None:
        """Hand the question to a job."""
        self.failure = self.fault = None
        self.pending, self.job = request, job
        if start:
            job.begin()

    def take_over(self) -> None:
        """Attend the running job; once it has ended keep its answer, or why there is none."""
        job, request = self.job, self.pending
        if job is None or request is None:
            return
        job.attend()
        view = job.view()
        if view.going_on:
            return
        self.job = self.pending = None
        if view.result is not None:
            self.done, self.failure, self.keep_old = (
                Answered(request, view.result, view),
                None,
                False,
            )
        elif view.error is not None:
            self.failure = Unanswered(request, view.error, view)

    def freshness(self, wanted: Asked | None) -> Freshness:
        """Whether the answer is one to what would be asked now, and if not, what has changed."""
        if self.done is None or wanted is None or self.done.request.key == wanted.key:
            return "fresh"
        same = self.done.request.snapshot.digest == wanted.snapshot.digest
        return "settings" if same else "snapshot"

    def shown(self, wanted: Asked | None) -> Answered[Asked, Answer] | None:
        """The answer that pages show: not one about another snapshot, unless the visitor asked for it."""
        if self.freshness(wanted) == "snapshot" and not self.keep_old:
            return None
        return self.done


def try_to(run: Run[Asked, Answer], begin: Callable[[], None]) -> None:
    """Begin if the button was pressed, and draw everything anew; input that cannot be used is kept as the fault."""
    if not run.asked:
        return
    run.asked, run.fault = False, None
    if run.going_on:
        return
    try:
        begin()
    except (InputError, UsageError) as error:
        run.fault = error
        return
    st.rerun()  # the side bar, which shows the search, was drawn before
