"""An executor that runs jobs in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from planner.execute.jobs import Done, Job, Setup, Work, said


class Here:
    """Runs jobs in their order; ``most`` of them before it seems to be interrupted."""

    name = "here"

    def __init__(self, most: int = 1000) -> None:
        self.most = most
        self.ran = 0

    def run(
        self,
        setup: Setup,
        work: Work,
        shared: Any,
        jobs: Sequence[Job],
        *,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Done]:
        """See :class:`planner.execute.jobs.Executor`."""
        state = setup(shared)
        for job in jobs[: self.most]:
            if stopped():
                return
            self.ran += 1
            try:
                yield Done(job.key, work(state, job.payload))
            except Exception as error:
                yield Done(job.key, error=said(error))
