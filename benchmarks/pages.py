"""Seconds that the pages of the dashboard take on a snapshot, after its plan is made.

Usage: ``python benchmarks/pages.py cluster.json.gz [--time-limit 20]``. The server's side is measured (script, tables,
charts, messages for the browser), in seconds by the clock and of the processor; drawing in the browser comes on top.
The first visit of a page makes its frames; then the map is drilled into, tables are paged, rows selected, files made.
``--no-plan`` shows the cluster as it is.
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

from planner.report.downloads import csv_archive, report_bytes  # noqa: E402
from planner.report.plan_report import plan_report  # noqa: E402
from planner.usecases.bundle import snapshot_bytes  # noqa: E402
from ui.parts.tables import PAGE_ROWS  # noqa: E402
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
    _actions(app)
    if state.plan is not None:
        _files(state.plan)


def _actions(app: AppTest) -> None:
    """What a visitor does on large pages; a widget that this cluster is too small for is left out."""
    app.switch_page("views/inventory.py").run()
    pools = [one for one in app.selectbox if one.key == "map-pool"]
    if pools:
        pools[0].set_value(pools[0].options[-1])
        print(f"map, another pool: {_seconds(app.run)}")
    for page, table in (("inventory", "nodes"), ("plan", "changes"), ("waiting", "waiting")):
        app.switch_page(f"views/{page}.py").run()
        first = 0
        turn = [one for one in app.number_input if one.key == f"page-{table}"]
        if turn:
            turn[0].set_value(2)
            first = PAGE_ROWS
            print(f"{page}, second page of the table: {_seconds(app.run)}")
        row = {"selection": {"rows": [0], "columns": []}}
        app.session_state[f"table-{table}-{first}"] = row
        print(f"{page}, a row selected: {_seconds(app.run)}")
        assert not app.exception, [one.value for one in app.exception]


def _files(plan: Finished) -> None:
    """What the buttons at the foot of a page make."""
    report = plan_report(plan.result)
    makers = {
        "HTML report": lambda: report_bytes(report, "html"),
        "JSON document": lambda: report_bytes(report, "json"),
        "all tables": lambda: csv_archive(report.frames()),
        "snapshot": lambda: snapshot_bytes(plan.request.snapshot),
    }
    for name, make in makers.items():
        print(f"{name}: {_seconds(make)}")


def _seconds(run: object) -> str:
    start, processor = time.perf_counter(), time.process_time()
    run()  # type: ignore[operator]
    used = time.process_time() - processor
    return f"{time.perf_counter() - start:.2f} s (processor {used:.2f} s)"


if __name__ == "__main__":
    main()
