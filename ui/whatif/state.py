"""What a session keeps of its what-if questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from models.edits.edit import Edit
from models.edits.scenario import Scenario
from models.explanation import Explanations
from models.findings import PlannerError
from planner.usecases.jobs.background_job import BackgroundJob, StopReason
from planner.usecases.jobs.confirm_fixes import ConfirmingJob
from planner.usecases.whatif.background import Answer, Known, Question

Topic = Literal["scenarios", "sweep", "marginal"]
TOPICS: tuple[Topic, ...] = ("scenarios", "sweep", "marginal")


@dataclass
class Draft:
    """A scenario that is being edited.

    Attributes
    ----------
    number
        Never used twice in a session; keys of widgets hold it.
    goal
        Waiting gang that the scenario is to start, "" for none.
    """

    number: int
    name: str
    edits: list[Edit] = field(default_factory=list)
    description: str = ""
    goal: str = ""

    def scenario(self) -> Scenario:
        """As the planner takes it."""
        return Scenario(self.name, tuple(self.edits), self.description)


@dataclass(frozen=True)
class Answered:
    """An answer with how its search went.

    Attributes
    ----------
    first
        The search for a better one goes on.
    """

    answer: Answer
    stop_reason: StopReason
    elapsed_s: float
    first: bool = False


@dataclass(frozen=True)
class Unanswered:
    """A question without answer."""

    question: Question
    error: PlannerError


@dataclass(frozen=True)
class Confirmation:
    """Changes for one waiting gang, each planned in full.

    Attributes
    ----------
    plan
        Key of the request whose plan they are for.
    """

    gang: str
    plan: str
    explained: Explanations | None = None
    error: PlannerError | None = None


@dataclass
class WhatIfState:
    """Scenarios, the running question, and answers by topic.

    Attributes
    ----------
    chosen
        Number of the draft that is shown.
    fault
        Why the last edit or file was refused.
    asked
        What the next run of the script has to ask.
    shown
        The question that the page shows.
    grid
        Keys and values of the sweep as they stand on the page.
    timed
        Whether schedules are compared, not plans for now.
    editor_round
        Part of the key of the queue editor; another number forgets what was typed.
    """

    drafts: list[Draft] = field(default_factory=list)
    chosen: int = 0
    made: int = 0
    fault: PlannerError | None = None
    asked: Topic | None = None
    grid: tuple[tuple[str, str], ...] = ()
    shown: Topic = "scenarios"
    sweep_fault: PlannerError | None = None
    upload_round: int = 0
    job: BackgroundJob[Answer] | None = None
    question: Question | None = None
    topic: Topic = "scenarios"
    known: Known = field(default_factory=Known)
    answers: dict[Topic, Answered] = field(default_factory=dict)
    failures: dict[Topic, Unanswered] = field(default_factory=dict)
    confirm_job: ConfirmingJob | None = None
    confirmed: dict[str, Confirmation] = field(default_factory=dict)
    timed: bool = False
    editor_round: int = 0

    def draft(self) -> Draft | None:
        """The one that is shown."""
        return next((one for one in self.drafts if one.number == self.chosen), None)

    def jobs(self) -> tuple[tuple[str, BackgroundJob[Any], Answer | None], ...]:
        """What runs, with a key for its widgets, and the first answer that is kept of it."""
        kept = self.answers.get(self.topic)
        first = kept.answer if kept is not None and kept.first else None
        found = (("whatif", self.job, first), ("confirm", self.confirm_job, None))
        return tuple((key, job, known) for key, job, known in found if job is not None)
