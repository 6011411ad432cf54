"""Jobs on processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from planner.execute.jobs import MOST_ATTEMPTS, Done, Job, Setup, Work, said

POLL_S = 0.2


class LocalProcesses:
    """Spawned processes; one that dies takes only its own job along, and that is tried again in a new one."""

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
        """See :class:`planner.execute.jobs.Executor`; a lane stays with the worker that begins it."""
        lanes: dict[str, deque[Job]] = {}
        for job in jobs:
            lanes.setdefault(job.lane or f"job {job.key}", deque()).append(job)
        waiting = deque(lanes.values())
        workers = [_Worker((setup, shared), work) for _ in range(min(self._workers, len(waiting)))]
        try:
            yield from _results(workers, waiting, stopped)
        finally:
            for one in workers:
                one.end()


def _results(
    workers: Sequence[_Worker], waiting: deque[deque[Job]], stopped: Callable[[], bool]
) -> Iterator[Done]:
    """Keep the workers busy until nothing is left, or with what has begun after a stop."""
    while True:
        if not stopped():
            for one in workers:
                one.submit(waiting)
        flying = {one.future: one for one in workers if one.future is not None}
        if not flying:
            return
        landed, _ = wait(flying, timeout=POLL_S, return_when=FIRST_COMPLETED)
        for future in landed:
            done = flying[future].landed()
            if done is not None:
                yield done


class _Worker:
    """One process at a time, with the lane that it is at."""

    def __init__(self, given: tuple[Setup, Any], work: Work) -> None:
        self.future: Future[Any] | None = None
        self._given, self._work = given, work
        self._lane: deque[Job] = deque()
        self._job: Job | None = None
        self._tried = 0
        self._pool = self._new_pool()

    def submit(self, waiting: deque[deque[Job]]) -> None:
        """Begin the next job of the lane, or the next lane."""
        if self.future is not None:
            return
        if self._job is None:
            if not self._lane and waiting:
                self._lane = waiting.popleft()
            if not self._lane:
                return
            self._job, self._tried = self._lane.popleft(), 0
        try:
            self.future = self._pool.submit(_do, self._work, self._job.payload)
        except BrokenProcessPool:  # it died between two jobs: none is to blame
            self._renew()
            self.future = self._pool.submit(_do, self._work, self._job.payload)
        self._tried += 1

    def landed(self) -> Done | None:
        """What became of the job; None where its process died and it is to be tried again."""
        future, job = self.future, self._job
        assert future is not None
        assert job is not None
        self.future = None
        error = future.exception()
        if isinstance(error, BrokenProcessPool):
            self._renew()
            if self._tried < MOST_ATTEMPTS:
                return None
            told = f"its worker process died {self._tried} times; it may lack memory"
        else:
            told = "" if error is None else said(error)
        self._job = None
        value = None if told else future.result()
        return Done(job.key, value, told, self._tried)

    def end(self) -> None:
        """Let no process stay behind."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _renew(self) -> None:
        self.end()
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            1,
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
