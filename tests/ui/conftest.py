from __future__ import annotations

import time
from pathlib import Path

import pytest

AppTest = pytest.importorskip("streamlit.testing.v1").AppTest

import ui.launch  # noqa: E402
from ui.launch import Launch  # noqa: E402
from ui.state import STATE_KEY  # noqa: E402

APP = Path(__file__).resolve().parents[2] / "ui" / "app.py"
PLANNED_WITHIN_S = 60.0


class Dashboard:
    """One session of the dashboard without a browser."""

    def __init__(self) -> None:
        self.app = AppTest.from_file(str(APP), default_timeout=60)

    @property
    def state(self):
        return self.app.session_state[STATE_KEY]

    def run(self):
        self.app.run()
        return self.checked()

    def open(self, view):
        self.app.switch_page(f"views/{view}.py").run()
        return self.checked()

    def checked(self):
        assert not self.app.exception, [one.value for one in self.app.exception]
        return self.app

    def press(self, key):
        self.app.button(key=key).click().run()
        return self.checked()

    def plan(self):
        self.press("run")
        self.finish()
        return self

    def finish(self):
        end = time.monotonic() + PLANNED_WITHIN_S
        while self.state.job is not None:
            assert time.monotonic() < end, "the plan did not end"
            self.state.job.wait(0.5)
            self.run()

    def finish_run(self, name):
        """Wait until a schedule or drill has ended and draw its answer."""
        end = time.monotonic() + PLANNED_WITHIN_S
        run = getattr(self.state.night, name)
        while run.job is not None:
            assert time.monotonic() < end, f"the {name} did not end"
            run.job.wait(0.5)
            self.run()

    def texts(self):
        kinds = ("title", "markdown", "caption", "info", "warning", "error")
        found = "\n".join(one.value for kind in kinds for one in getattr(self.app, kind))
        return found.replace("\\", "")

    def metrics(self):
        return {one.label: one.value for one in self.app.metric}


@pytest.fixture
def start(monkeypatch):
    """Starts sessions of a server with this command line; searches stay in the process, which is faster."""
    from planner.testing.here import Here
    from planner.usecases.jobs import background, night_jobs
    from planner.usecases.jobs.confirm_fixes import ConfirmingJob
    from planner.usecases.whatif.background import WhatIfJob
    from ui import night, past, session
    from ui.whatif import asking, confirming

    monkeypatch.setattr(
        session,
        "PlanningJob",
        lambda request, **options: background.PlanningJob(request, guard=False, **options),
    )

    monkeypatch.setattr(
        night,
        "ScheduleJob",
        lambda request, **options: night_jobs.ScheduleJob(request, guard=False, **options),
    )
    monkeypatch.setattr(asking, "WhatIfJob", lambda *given: WhatIfJob(*given, guard=False))
    monkeypatch.setattr(asking, "_executor", Here)
    monkeypatch.setattr(
        confirming, "ConfirmingJob", lambda *given: ConfirmingJob(*given, guard=False)
    )

    def begin(**options):
        started = Launch(**options)
        for module in (
            "launch",
            "session",
            "application",
            "links",
            "sidebar",
            "sidebar.snapshot",
            "night",
            "past",
            "parts.night_settings",
            "whatif.asking",
            "whatif.editor",
            "whatif.sharing",
            "whatif.fixes",
        ):
            monkeypatch.setattr(f"ui.{module}.launch", lambda: started)
        session._files.clear()
        past._open.clear()
        night._shared_job.clear()
        session._shared_job.clear()
        dashboard = Dashboard()
        dashboard.run()
        return dashboard

    assert ui.launch is not None
    return begin


@pytest.fixture
def planned(start):
    return start().plan()
