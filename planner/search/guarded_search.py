"""Run a search in a child process: solvers that ignore their limits cannot hold up the plan.

The child sends every better plan as soon as it has one, so whatever ends it (a stop, the hard limit, a crash), the
best plan so far is at hand.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from models.findings import BackendError, NoPlanInTimeError
from planner.problem.limits import Limits
from planner.problem.placement import PlacementProblem
from planner.reduce.gang_classes import GangClass
from planner.runtime.child_server import start_method
from planner.runtime.concurrent import Meanwhile
from planner.search.eviction_search import EvictionSearch
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.replan_search import ReplanSearch
from planner.search.stages.complete.maximal_fill import last_pass
from planner.search.state import SearchState
from planner.solve.highs import release_threads

TierReport = Callable[[str, int | None, int | None], None]
"""Called with (tier name, value, bound)."""
POLL_S = 0.05
OUT_OF_MEMORY = (
    "the search ran out of memory; give the process more, or plan part of the cluster with -q or -n"
)
FIRST_PLAN = 2
"""Times its limit that a search may take for its first plan."""
STOP_GRACE_S = 1.0
"""Seconds that a stopped search has to send what it is about to finish."""


def search_of(settings: SearchSettings) -> type[PlacementSearch]:
    """The search with or without evictions, or from an earlier plan."""
    if settings.victims is not None:
        return EvictionSearch
    return ReplanSearch if settings.stays else PlacementSearch


class GuardedSearch:
    """One search with a hard limit of ``time_limit_s + guard_grace_s`` (deterministic searches have none)."""

    def __init__(
        self,
        problem: PlacementProblem,
        classes: Sequence[GangClass],
        settings: SearchSettings,
        report: TierReport,
        stopped: Callable[[], bool],
        meanwhile: Meanwhile[Any] | None = None,
        state: SearchState | None = None,
    ) -> None:
        """``state`` owns the incumbent of all searches of one plan; every plan of this one is offered to it."""
        self.state = state or SearchState()
        self.problem = problem
        self.classes = tuple(classes)
        self.settings = settings
        self.report = report
        self.stopped = stopped
        self.meanwhile = meanwhile

    def run(self, *, guard: bool) -> tuple[Outcome, bool]:
        """The best outcome of this search, filled up, and whether the search was interrupted.

        It may be one that the owner of the incumbent refuses; the caller repairs it.
        """
        if guard:
            best, interrupted = self._in_child()
        else:
            best, interrupted = self._search().run(), self.stopped()
            self.state.offer(best, "search")
        if not best.maximal:
            best = last_pass(self._search(), best)
            self.state.offer(best, "fill")
        return best, interrupted

    def _search(self) -> PlacementSearch:
        return search_of(self.settings)(
            self.problem,
            self.classes,
            self.settings,
            report=lambda goal, value, bound: self.report(goal.name, value, bound),
            publish=lambda outcome: self.state.offer(outcome, "search"),
            stopped=self.stopped,
        )

    def _in_child(self) -> tuple[Outcome, bool]:
        release_threads()
        if self.meanwhile is not None:
            self.meanwhile.finish()
        context: Any = multiprocessing.get_context(start_method())
        receiver, sender = context.Pipe(duplex=False)
        stop = context.Event()
        job = (self.problem, self.classes, self.settings)
        child = context.Process(target=_child, args=(sender, stop, job), daemon=True)
        child.start()
        sender.close()
        if self.meanwhile is not None:
            self.meanwhile.begin()
        try:
            return self._listen(receiver, child, stop)
        finally:
            if child.is_alive():
                child.kill()
            child.join()
            receiver.close()

    def _listen(self, receiver: Connection, child: Any, stop: Any) -> tuple[Outcome, bool]:
        best: Outcome | None = None
        done = interrupted = False
        deadline = Deadline(self.settings.limits)
        while not done:
            if receiver.poll(POLL_S):
                try:
                    kind, payload = receiver.recv()
                except (EOFError, OSError):  # ended, perhaps in the middle of a message
                    break
                if kind == "tier":
                    self.report(*payload)
                elif kind == "error":
                    raise BackendError(payload)
                else:
                    best, done = payload, kind == "done"
                    self.state.offer(payload, "search")
            elif (
                not child.is_alive() and not receiver.poll()
            ):  # it may have sent its last words since
                break
            if self.stopped() and not interrupted:
                interrupted = True
                stop.set()
                deadline.stop()
            if not done and deadline.passed(has_plan=best is not None):
                return self._best(best), True
        if best is None:
            child.join(STOP_GRACE_S)
            raise BackendError(
                f"the search process ended without a plan (exit code {child.exitcode}); "
                "it may have run out of memory"
            )
        return best, interrupted or not done

    @staticmethod
    def _best(best: Outcome | None) -> Outcome:
        if best is None:
            raise NoPlanInTimeError(
                "the limit ended the search before any plan was found; raise --time-limit"
            )
        return best


class Deadline:
    """When to end a search from outside: at the hard limit, or soon after a stop if there is a plan.

    A search that has no plan yet may take twice its limit: a large cluster on a busy machine is better served late
    than not at all, and the search itself ends with its first plan.
    """

    def __init__(self, limits: Limits) -> None:
        now = time.monotonic()
        self._most = limits.time_limit_s + limits.guard_grace_s
        self._hard = float("inf") if limits.deterministic else now + self._most
        self._first = max(self._hard, now + FIRST_PLAN * limits.time_limit_s)
        self._soft = float("inf")

    def stop(self) -> None:
        """A stop was asked for; without a plan the first one is waited for, but not for ever."""
        self._soft = time.monotonic() + STOP_GRACE_S
        self._hard = min(self._hard, time.monotonic() + self._most)
        self._first = self._hard

    def passed(self, *, has_plan: bool) -> bool:
        """Whether the search has to end now."""
        now = time.monotonic()
        return now > min(self._hard, self._soft) if has_plan else now > self._first


def _child(
    sender: Connection,
    stop: Any,
    job: tuple[PlacementProblem, tuple[GangClass, ...], SearchSettings],
) -> None:
    """Search and send; Ctrl-C is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # nobody looks for cycles among what the parent has read, nor copies its pages for that
    problem, classes, settings = job
    try:
        search = search_of(settings)(
            problem,
            classes,
            settings,
            report=lambda goal, value, bound: sender.send(("tier", (goal.name, value, bound))),
            publish=lambda outcome: sender.send(("plan", outcome)),
            stopped=stop.is_set,
        )
        sender.send(("done", search.run()))
    except BrokenPipeError:
        return
    except MemoryError:
        sender.send(("error", OUT_OF_MEMORY))
    except Exception as error:
        sender.send(("error", f"the search failed: {type(error).__name__}: {error}"))
    finally:
        sender.close()
