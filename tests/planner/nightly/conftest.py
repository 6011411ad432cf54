"""A tiny cluster, nightly files, and a stand-in for the search where a test is about something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.effective import resolve_policy
from models.plan import PlanResult
from planner.nightly import planned
from planner.nightly.config_file import read_config
from planner.nightly.run import NightEnd, NightlyOptions, run_night
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.night_folders import left_over
from planner.testing.tiny_night import tiny_export
from planner.usecases.inputs.inputs import read_inputs

LIMITS = Limits(time_limit_s=5.0, workers=1, deterministic=True)
HORIZON_S = 7200


@dataclass
class Place:
    """A folder with an export, a nightly file and an output folder."""

    root: Path

    @property
    def output(self) -> Path:
        return self.root / "out"

    @property
    def config(self) -> Path:
        return self.root / "nightly.yaml"

    def export(self, day: int = 15, hour: int = 20, **kwargs: Any) -> None:
        """Write the export of a moment in September 2026 (UTC)."""
        text = tiny_export(f"2026-09-{day:02d}T{hour:02d}:00:00Z", **kwargs)
        (self.root / "cluster.json").write_text(text, encoding="utf-8")

    def configure(self, **keys: Any) -> None:
        """Write the nightly file."""
        given = {"inputs": "cluster.json", "output": "out", "horizon": HORIZON_S}
        given = {**given, "history": "none", **keys}
        self.config.write_text(yaml.safe_dump(given), encoding="utf-8")

    def run(self, **options: Any) -> NightEnd:
        """One run."""
        stop = options.pop("stop", None)
        return run_night(read_config(self.config), NightlyOptions(LIMITS, **options), stop=stop)

    def nights(self) -> list[str]:
        """Names of the folders that a user sees."""
        return sorted(one.name for one in self.output.iterdir() if one.name[0].isdigit())

    def hidden(self) -> list[str]:
        """Names of what is left over."""
        return left_over(self.output)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A folder ready to run."""
    found = Place(tmp_path)
    found.export()
    found.configure()
    return found


@cache
def known_schedule() -> PlanResult:
    """The schedule of the tiny cluster, made once per process."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        path.write_text(tiny_export("2026-09-15T20:00:00Z"), encoding="utf-8")
        snapshot = read_inputs([path])
    options = ScheduleOptions(horizon_s=HORIZON_S, limits=LIMITS)
    return make_schedule(snapshot, resolve_policy(snapshot), None, options, guard=False)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., PlanResult]], None]:
    """The search answers at once with the known schedule, or with what another function gives."""

    def use(function: Callable[..., PlanResult]) -> None:
        monkeypatch.setattr(planned, "make_schedule", function)

    use(lambda *given, **more: known_schedule())
    return use


@pytest.fixture
def schedule() -> PlanResult:
    """The schedule of the tiny cluster."""
    return known_schedule()
