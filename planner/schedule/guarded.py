"""Run the timed search in a child process that can be ended from outside; the best schedule so far is kept."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Mapping
from typing import Any

from models.findings import BackendError, NoPlanInTimeError
from planner.problem.limits import Limits
from planner.problem.timed import Column, Conflict, TimedProblem
from planner.runtime.child_server import start_method
from planner.schedule.search import TierReport, TimedOutcome, search_of
from planner.search.guarded_search import POLL_S, Deadline
from planner.solve.highs import release_threads


def run_timed(
    problem: TimedProblem,
    limits: Limits,
    report: TierReport,
    stopped: Callable[[], bool],
    *,
    guard: bool,
    conflicts: tuple[Conflict, ...] = (),
    start: Mapping[Column, int] | None = None,
) -> tuple[TimedOutcome, bool]:
    """The best outcome, and whether the search was interrupted.

    Raises
    ------
    NoPlanInTimeError, BackendError
        The search ended without any schedule.
    """
    if not guard:
        search = search_of(problem)(
            problem, limits, conflicts=conflicts, start=start, report=report, stopped=stopped
        )
        return search.run(), stopped()
    release_threads()
    context: Any = multiprocessing.get_context(start_method())
    receiver, sender = context.Pipe(duplex=False)
    stop = context.Event()
    child = context.Process(
        target=_child, args=(sender, stop, (problem, limits, conflicts, start)), daemon=True
    )
    child.start()
    sender.close()
    try:
        return _listen(receiver, child, stop, limits, report, stopped)
    finally:
        if child.is_alive():
            child.kill()
        child.join()
        receiver.close()


def _listen(
    receiver: Any,
    child: Any,
    stop: Any,
    limits: Limits,
    report: TierReport,
    stopped: Callable[[], bool],
) -> tuple[TimedOutcome, bool]:
    best: TimedOutcome | None = None
    deadline, interrupted = Deadline(limits), False
    while True:
        if receiver.poll(POLL_S):
            try:
                kind, payload = receiver.recv()
            except (EOFError, OSError):
                break
            if kind == "tier":
                report(*payload)
            elif kind == "error":
                raise BackendError(payload)
            else:
                best = payload
                if kind == "done":
                    return best, interrupted
        elif not child.is_alive() and not receiver.poll():  # it may have sent its last words since
            break
        if stopped() and not interrupted:
            interrupted = True
            stop.set()
            deadline.stop()
        if deadline.passed(has_plan=best is not None):
            break
    if best is None:
        raise NoPlanInTimeError(
            "the limit ended the search before any schedule was found; raise --time-limit"
        )
    return best, True


def _child(
    sender: Any,
    stop: Any,
    job: tuple[TimedProblem, Limits, tuple[Conflict, ...], Mapping[Column, int] | None],
) -> None:
    """Search and send; Ctrl-C is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    problem, limits, conflicts, start = job
    try:
        search = search_of(problem)(
            problem,
            limits,
            conflicts=conflicts,
            start=start,
            report=lambda *told: sender.send(("tier", told)),
            publish=lambda outcome: sender.send(("plan", outcome)),
            stopped=stop.is_set,
        )
        sender.send(("done", search.run()))
    except BrokenPipeError:
        return
    except Exception as error:
        sender.send(("error", f"the search failed: {type(error).__name__}: {error}"))
    finally:
        sender.close()
