"""Changes for one waiting gang of a plan that is there, each confirmed by planning in the background."""

from __future__ import annotations

import threading

from models.explanation import Explanations
from models.plan import PlanResult
from planner.problem.progress import ProgressSink
from planner.usecases.explain.explaining import Question, explain_gangs
from planner.usecases.jobs.background import PlanRequest
from planner.usecases.jobs.background_job import BackgroundJob


class ConfirmingJob(BackgroundJob[Explanations]):
    """Explains one gang.

    Parameters
    ----------
    request, plan
        What was planned, and the verified plan in which the gang waits.
    guard
        Search in a child process that can be ended from outside.
    """

    def __init__(
        self, request: PlanRequest, plan: PlanResult, gang: str, *, guard: bool = True
    ) -> None:
        self.request, self.gang = request, gang
        self._plan, self._guard = plan, guard
        super().__init__(
            self._explain, name="the confirmation", time_limit_s=request.limits.time_limit_s
        )

    def start(self) -> ConfirmingJob:
        """Begin; returns the job itself."""
        self.begin()
        return self

    def _explain(self, say: ProgressSink, stop: threading.Event) -> Explanations:
        asked = self.request
        return explain_gangs(
            asked.snapshot,
            asked.policy,
            asked.limits,
            Question((self.gang,)),
            on_progress=say,
            stop=stop,
            guard=self._guard,
            plan=self._plan,
        )
