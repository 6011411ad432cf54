"""Seconds that the pages of the dashboard take on a snapshot, after its plan is made.

Usage: ``python benchmarks/pages.py cluster.json.gz [--time-limit 20]``. The server's side is measured (script, tables,
charts, messages for the browser), in seconds by the clock and of the processor; drawing in the browser comes on top.
The first visit of a page makes its frames. ``--no-plan`` shows the cluster as it is.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if not __package__:  # run as a file: the folder above makes the packages importable
    sys.path.insert(0, str(ROOT))

from streamlit.testing.v1 import AppTest  # noqa: E402

from ui.screenshots import PAGES  # noqa: E402
from ui.state import STATE_KEY, Finished  # noqa: E402


def main() -> None:
    """Open, plan (or take a stored plan), and time every page twice."""
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot")
    parser.add_argument("--time-limit", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="store the plan here, and take it from here")
    parser.add_argument("--no-plan", action="store_true", help="pages before any plan")
    parser.add_argument("--set-policy", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    sys.argv = ["app.py", *(f"--set-policy={one}" for one in given.set_policy), given.snapshot]
    app = AppTest.from_file(str(ROOT / "ui" / "app.py"), default_timeout=900)
    print(f"open: {_seconds(app.run)}")
    state = app.session_state[STATE_KEY]
    if given.no_plan:
        pass
    elif given.keep is not None and given.keep.exists():
        state.plan = pickle.loads(given.keep.read_bytes())
    else:
        app.number_input(key="time-limit").set_value(given.time_limit).run()
        app.button(key="run").click().run()
        job = state.job
        while not job.wait(1.0):
            job.attend()
        app.run()
        view = job.view()
        state.plan = state.plan or Finished(job.request, view.result, view)
        if given.keep is not None:
            given.keep.write_bytes(pickle.dumps(state.plan))
    if state.plan is not None:
        print(state.plan.result.summary.sentence)
    for name in PAGES:
        app.switch_page(f"views/{name}.py")
        first, again = _seconds(app.run), _seconds(app.run)
        assert not app.exception, [one.value for one in app.exception]
        print(f"{name}: first {first}, again {again}")


def _seconds(run: object) -> str:
    start, processor = time.perf_counter(), time.process_time()
    run()  # type: ignore[operator]
    used = time.process_time() - processor
    return f"{time.perf_counter() - start:.2f} s (processor {used:.2f} s)"


if __name__ == "__main__":
    main()
