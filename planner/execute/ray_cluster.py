"""Jobs on a Ray cluster, for work that outgrows one machine.

Ray (docs.ray.io, "Tasks", "Task fault tolerance") moves what the jobs share to every machine once and tries a job
again whose worker or machine dies; this module only translates. The workers need the same version of gangplan.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from models.findings import UsageError
from planner.execute.jobs import MOST_ATTEMPTS, Done, Job, Setup, Work, said

POLL_S = 0.5
PER_CPU = 2
"""Jobs handed to Ray per CPU of the cluster; more would wait inside Ray, where a stop does not reach them."""


class RayCluster:
    """An existing cluster by address, a running one that Ray finds by itself, or one started here.

    Raises
    ------
    UsageError
        Ray is not installed, or the cluster does not answer.
    """

    name = "ray"

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise UsageError(
                "--engine ray needs Ray: install it with `pip install 'gangplan[ray]'`"
            ) from None
        self._ray: Any = ray
        self._address = address

    def run(
        self,
        setup: Setup,
        work: Work,
        shared: Any,
        jobs: Sequence[Job],
        *,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Iterator[Done]:
        """See :class:`planner.execute.jobs.Executor`; attempts are Ray's business and not told."""
        ray = self._ray
        own = not ray.is_initialized()
        if own:
            self._connect()
        try:
            yield from self._results((setup, shared), work, jobs, stopped)
        finally:
            if own:
                ray.shutdown()

    def _connect(self) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing goes out of the house
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        quiet = {"include_dashboard": False} if self._address is None else {}
        try:
            self._ray.init(
                address=self._address, log_to_driver=False, logging_level="ERROR", **quiet
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            where = self._address or "this machine"
            raise UsageError(f"Ray at {where} does not answer: {said(error)}") from error

    def _results(
        self,
        given: tuple[Setup, Any],
        work: Work,
        jobs: Sequence[Job],
        stopped: Callable[[], bool],
    ) -> Iterator[Done]:
        ray = self._ray
        everyone = ray.put(given)
        task = ray.remote(num_cpus=1, max_retries=MOST_ATTEMPTS - 1)(_do)
        token = f"{os.getpid()}-{next(_tokens)}"
        most = PER_CPU * max(int(ray.cluster_resources().get("CPU", 1)), 1)
        waiting = deque(jobs)
        flying: dict[Any, Job] = {}
        while True:
            while waiting and len(flying) < most and not stopped():
                job = waiting.popleft()
                flying[task.remote(token, everyone, work, job.payload)] = job
            if not flying:
                return
            landed, _ = ray.wait(list(flying), timeout=POLL_S)
            for reference in landed:
                yield self._done(flying.pop(reference), reference)

    def _done(self, job: Job, reference: Any) -> Done:
        try:
            return Done(job.key, self._ray.get(reference), attempts=0)
        except self._ray.exceptions.RayTaskError as error:
            return Done(job.key, error=said(error.cause), attempts=0)
        except self._ray.exceptions.RayError as error:
            return Done(
                job.key, error=f"its worker died {MOST_ATTEMPTS} times: {said(error)}", attempts=0
            )


_tokens = itertools.count()
_states: dict[str, Any] = {}


def _do(token: str, given: tuple[Setup, Any], work: Work, payload: Any) -> Any:
    """One job in a Ray worker; the state is made once per worker and run."""
    if token not in _states:
        _states.clear()
        setup, shared = given
        _states[token] = setup(shared)
    return work(_states[token], payload)
