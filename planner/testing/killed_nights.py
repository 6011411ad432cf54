"""Nightly runs that are killed (SIGKILL) at chosen steps, and what is there afterwards.

Run as a program of its own: every trial is a fork, which is safe only in a process without threads.
``python -m planner.testing.killed_nights FOLDER [EVERY]`` tries all steps, or every so many, and prints the faults that
were found, one per line.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.nightly.config import parse_config
from models.plan import PlanResult
from planner.nightly import planned
from planner.nightly.run import NightlyOptions, run_night
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.night_folders import broken_nights, left_over, night_names
from planner.testing.tiny_night import tiny_export
from planner.usecases.inputs.checked_input import read_checked

LIMITS = Limits(time_limit_s=5.0, workers=1, deterministic=True)
HORIZON_S = 7200
KEPT = 3


@dataclass(frozen=True, slots=True)
class Step:
    """A function at which a run dies: before it, or after the call with this number.

    Attributes
    ----------
    two_steps
        As on file systems that cannot exchange two names.
    once
        A repetition of a night does not come there.
    """

    module: str
    name: str
    before: bool = True
    call: int = 1
    two_steps: bool = False
    once: bool = False

    def __str__(self) -> str:
        when = "before" if self.before else "after"
        way = " where names cannot be exchanged" if self.two_steps else ""
        return f"{when} call {self.call} of {self.module}.{self.name}{way}"


STEPS = (
    Step("planner.nightly.run", "gather", before=False),
    Step("planner.nightly.writers", "write_report", before=False, call=2),
    Step("planner.nightly.run", "write_run"),
    Step("planner.nightly.run", "write_run", before=False),
    Step("planner.nightly.run:NightHistory", "expect", before=False),
    Step("planner.nightly.folders", "replace_folder"),
    Step("planner.nightly.folders", "replace_folder", before=False),
    Step("pathlib:Path", "rename", before=False, two_steps=True),
    Step("planner.nightly.folders", "replace_folder", before=False, two_steps=True),
    Step("pathlib:Path", "symlink_to", before=False),
    Step("planner.history.write", "_insert", before=False, call=2),
    Step("planner.nightly.run:NightHistory", "_record", before=False),
    Step("planner.nightly.run:NightHistory", "take", before=False, call=2),
    Step("planner.nightly.folders:NightFolders", "remove", once=True),
    Step("planner.nightly.folders:shutil", "rmtree"),
    Step("planner.nightly.run", "write_document"),
)


def arm(step: Step) -> None:
    """Let this process die at a step."""
    module, _, owner = step.module.partition(":")
    place: Any = importlib.import_module(module)
    place = getattr(place, owner) if owner else place
    whole: Callable[..., Any] = getattr(place, step.name)
    calls = 0

    def deadly(*given: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        now = calls == step.call
        if now and step.before:
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(*given, **more)
        if now:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(place, step.name, deadly)
    if step.two_steps:
        swap: Any = importlib.import_module("planner.nightly.swap")
        swap.exchange = lambda one, two: False


class Trials:
    """One output folder, and one run after the other."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.output = root / "out"
        self.day = 1
        self._write_export()
        self.schedule = self._schedule()

    def killed(self, step: Step) -> list[str]:
        """Kill a new night, then a repetition of the night before; faults that are left, and of the run after each."""
        found = []
        for again in (False, True):
            if not again:
                self.day += 1
            self._write_export()
            before = night_names(self.output)
            died = self._run(step)
            faults = [] if died or (again and step.once) else ["it was not killed"]
            if not step.two_steps:  # a night may then be out of sight until the next run
                faults += broken_nights(self.output)
                gone = set(before[-KEPT + 1 :]) - set(night_names(self.output))
                faults += [f"the night {name} is gone" for name in sorted(gone)]
            faults += self.finished()
            faults += sorted(set(before[-KEPT + 1 :]) - set(night_names(self.output)))
            what = "repeated" if again else "new"
            found += [f"{what} night killed {step}: {fault}" for fault in faults]
        return found

    def finished(self) -> list[str]:
        """Run without a kill; faults afterwards."""
        faults = ["the next run failed"] if self._run(None) else []
        faults += broken_nights(self.output)
        faults += [f"{name} is left over" for name in left_over(self.output)]
        names = night_names(self.output)
        night = f"2026-09-{self.day:02d}"
        if not names or names[-1] != night or len(names) > KEPT:
            faults.append(f"nights are {', '.join(names)}, not up to {night} and {KEPT} at most")
        if not set(names) <= self._remembered():
            faults.append("the history lacks a night")
        return faults

    def _remembered(self) -> set[str]:
        from planner.history.opening import open_history

        with open_history(str(self.output / "history.db")) as history:
            return {one.night.isoformat() for one in history.nights()}

    def _run(self, step: Step | None) -> bool:
        """Run in a fork; whether it was killed or failed."""
        child = os.fork()
        if child == 0:
            code = 1
            try:
                setattr(planned, "make_schedule", lambda *given, **more: self.schedule)  # noqa: B010
                if step is not None:
                    arm(step)
                code = self._night()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status) != 0

    def _night(self) -> int:
        raw = {"inputs": "cluster.json", "output": "out", "horizon": HORIZON_S, "retention": KEPT}
        config = parse_config(raw, source="nightly.yaml", folder=self.root)
        return run_night(config, NightlyOptions(LIMITS)).run.exit_code

    def _write_export(self) -> None:
        text = tiny_export(f"2026-09-{self.day:02d}T20:00:00Z")
        (self.root / "cluster.json").write_text(text, encoding="utf-8")

    def _schedule(self) -> PlanResult:
        given = read_checked([self.root / "cluster.json"])
        options = ScheduleOptions(horizon_s=HORIZON_S, limits=LIMITS)
        return make_schedule(given.snapshot, given.policy, None, options, guard=False)


def main(folder: str, every: str = "1") -> int:
    """All steps, or every so many; 0 where nothing was found."""
    trials = Trials(Path(folder))
    found = trials.finished()
    for step in STEPS[:: int(every)]:
        found += trials.killed(step)
    sys.stdout.write("".join(f"{fault}\n" for fault in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
