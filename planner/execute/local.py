"""Jobs on processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from planner.execute.jobs import MOST_ATTEMPTS, Done, Job, Setup, Work, said

POLL_S = 0.2


class LocalProcesses:
    """A pool of spawned processes; one that dies takes only the jobs in flight along, and these are tried again.

    Which of several jobs in flight killed its worker cannot be told. After a death they are tried one at a time, so
    that a job that always kills is given up without harm to others.
    """

    name = "local"

    def __init__(self, workers: int) -> None:
        self._workers = max(workers, 1)

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
        run = _Run(min(self._workers, max(len(jobs), 1)), (setup, shared), work, jobs)
        try:
            yield from run.results(stopped)
        finally:
            run.end()


class _Run:
    def __init__(
        self, workers: int, given: tuple[Setup, Any], work: Work, jobs: Sequence[Job]
    ) -> None:
        self._workers, self._given, self._work = workers, given, work
        self._fresh = deque(jobs)
        self._suspects: deque[Job] = deque()
        self._tried: Counter[str] = Counter()
        self._flying: dict[Future[Any], Job] = {}
        self._pool = self._new_pool()

    def results(self, stopped: Callable[[], bool]) -> Iterator[Done]:
        while True:
            if not stopped():
                self._submit()
            if not self._flying:
                return
            landed, _ = wait(self._flying, timeout=POLL_S, return_when=FIRST_COMPLETED)
            broken = []
            for future in landed:
                job = self._flying.pop(future)
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    broken.append(job)
                elif error is not None:
                    yield self._done(job, error=said(error))
                else:
                    yield self._done(job, value=future.result())
            if broken:
                yield from self._after_death(broken)

    def end(self) -> None:
        """Let no worker stay behind."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self) -> None:
        """Keep the workers busy; suspects fly alone, before fresh jobs."""
        while self._suspects and not self._flying:
            self._begin(self._suspects.popleft())
        while self._fresh and not self._suspects and self._room():
            self._begin(self._fresh.popleft())

    def _room(self) -> bool:
        retried = any(self._tried[job.key] > 1 for job in self._flying.values())
        return len(self._flying) < self._workers and not retried

    def _begin(self, job: Job) -> None:
        self._tried[job.key] += 1
        try:
            self._flying[self._pool.submit(_do, self._work, job.payload)] = job
        except BrokenProcessPool:  # it died between two jobs: nobody is to blame
            self._tried[job.key] -= 1
            self._pool = self._new_pool()
            self._begin(job)

    def _after_death(self, broken: list[Job]) -> Iterator[Done]:
        """All jobs in flight went down with the pool."""
        broken += self._flying.values()
        self._flying.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._new_pool()
        for job in broken:
            if self._tried[job.key] < MOST_ATTEMPTS:
                self._suspects.append(job)
            else:
                times = f"{self._tried[job.key]} times"
                yield self._done(job, error=f"its worker process died {times}; it may lack memory")

    def _done(self, job: Job, *, value: Any = None, error: str = "") -> Done:
        return Done(job.key, value, error, self._tried[job.key])

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin_worker,
            initargs=self._given,
        )


_state: Any = None


def _begin_worker(setup: Setup, shared: Any) -> None:
    """Make the worker's state; Ctrl-C is the parent's business."""
    global _state
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    _state = setup(shared)


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers; without this they would wait for jobs for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(work: Work, payload: Any) -> Any:
    return work(_state, payload)
