"""Seven nights in a row on a cluster that lives between them; everything that they leave is checked.

Usage: ``python benchmarks/nightly.py FOLDER [--nights 7] [--time-limit 20s] [--history URL]``. The third night is run
twice, the fourth (clocks change in it) is killed half-way before it is run again, in the sixth another process holds
the history (SQLite only). ``--large`` runs one night on 1,000 nodes instead, ``--kills 20`` kills so many runs of a
tiny cluster at random moments.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import yaml

from benchmarks.generate import as_list, generate
from benchmarks.night_cluster import ZONE, Day, NightCluster
from benchmarks.spec import ClusterSpec
from models.nightly.run import NightRun
from models.plan import PlanResult
from planner.history.opening import open_history
from planner.testing.night_folders import broken_nights, left_over, night_names
from planner.testing.tiny_night import tiny_export
from planner.usecases.inputs.checked_input import read_checked
from planner.verify.check import verify

FIRST = date(2026, 10, 21)
EVENING = 20
REPEATED, KILLED, LOCKED = 3, 4, 6
MOST_REPORT_BYTES = 2_000_000
ROOT = Path(__file__).resolve().parents[1]
POLICY = {
    "timezone": "Europe/Berlin",
    "services": [
        {
            "name": "chat",
            "selector": {"app": "chat"},
            "pools": ["L40S"],
            "guarantee_gpus": 6,
            "reserved_gpus": 46,
        }
    ],
}


@dataclass
class Series:
    """One output folder and the faults found in it.

    Attributes
    ----------
    expected
        Nights that must be there by now.
    """

    root: Path
    limit: str
    history: str
    faults: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    @property
    def output(self) -> Path:
        """Folder of the nights."""
        return self.root / "out"

    def configure(self, **more: Any) -> None:
        """Write ``nightly.yaml`` and the policy."""
        keys = {"inputs": "cluster.json", "output": "out", "history": self.history or None, **more}
        (self.root / "nightly.yaml").write_text(yaml.safe_dump(keys), "utf-8")
        (self.root / "policy.yaml").write_text(yaml.safe_dump(POLICY), "utf-8")

    def start(self, *more: str) -> subprocess.Popen[str]:
        """Start a run as cron would."""
        command = [sys.executable, "-m", "planner.cli", "nightly", "--time-limit", self.limit]
        command += ["--config", str(self.root / "nightly.yaml"), *more]
        return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)

    def run(self, code: int, night: str) -> None:
        """Run to the end, which must be this exit code."""
        process = self.start()
        said = process.communicate()[1].strip()
        print(f"  {said}")
        if process.returncode != code:
            self.faults.append(f"{night}: exit code {process.returncode}, not {code}: {said}")

    def check(self, night: str, *, lends: bool = True) -> NightRun:
        """Check everything that the night left; its run."""
        folder = self.output / night
        self.faults += broken_nights(self.output)
        if night_names(self.output) != self.expected:
            self.faults.append(f"nights are {night_names(self.output)}, not {self.expected}")
        run = NightRun.model_validate_json((folder / "run.json").read_bytes())
        self.faults += [f"{night}: {fault}" for fault in _folder_faults(folder, lends=lends)]
        return run

    def check_history(self, *, lacking: int = 0) -> None:
        """The history holds exactly the nights of the folders, but for the last ``lacking`` ones."""
        url = str(self.output / "history.db") if not self.history else self.history
        with open_history(url) as history:
            known = {one.night.isoformat(): one.run_id for one in history.nights()}
            trend = history.trend(30).points
        folders = {
            name: json.loads((self.output / name / "run.json").read_text("utf-8"))["runId"]
            for name in self.expected[: len(self.expected) - lacking]
        }
        if known != folders or len(trend) != len(folders):
            self.faults.append(f"the history knows {known}, the folders are {folders}")


def _folder_faults(folder: Path, *, lends: bool) -> Iterator[str]:
    """What is wrong with the files of one night."""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    plan = PlanResult.model_validate_json((folder / "plan.json").read_bytes())
    given = read_checked([folder / "snapshot.json.gz"], policy_file=folder / "policy.yaml")
    yield from (one.message for one in verify(given.snapshot, given.policy, plan).violations)
    page = (folder / "report.html").read_text("utf-8")
    if not page.rstrip().endswith("</html>") or len(page.encode()) > MOST_REPORT_BYTES:
        yield "report.html is cut off, or larger than 2 MB"
    if any(f'{word}="http' in page for word in ("src", "href")):
        yield "report.html loads something from elsewhere"
    if lends and (plan.schedule is None or not plan.schedule.loans):
        yield "nothing is lent"
    if not list(text_string_to_metric_families((folder / "metrics.prom").read_text("utf-8"))):
        yield "metrics.prom is empty"
    for file in (folder / "manifests").rglob("*.yaml"):
        if not any(yaml.safe_load_all(file.read_text("utf-8"))):
            yield f"{file.name} holds no object"


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Hold a SQLite database, as a careless process would."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def seven_nights(series: Series, nights: int) -> None:
    """Run the nights and print a table of them."""
    series.configure(
        demand="demand.csv",
        policy="policy.yaml",
        timezone="Europe/Berlin",
        report_for=["platform", "capacity", "tenant eval", "service chat"],
    )
    cluster = NightCluster(_evening(0))
    rows = []
    for number in range(nights):
        at, night = _evening(number), (FIRST + timedelta(days=number)).isoformat()
        (series.root / "cluster.json").write_text(cluster.export(at), "utf-8")
        (series.root / "demand.csv").write_text(cluster.demand(at), "utf-8")
        print(f"{night}: {cluster.counts()[0]} running, {cluster.counts()[1]} waiting")
        series.expected.append(night)
        _one_night(series, number + 1, night)
        run = series.check(night)
        plan = PlanResult.model_validate_json((series.output / night / "plan.json").read_bytes())
        rows.append((run, cluster.live(at, plan)))
    if left_over(series.output):
        series.faults.append(f"left over: {', '.join(left_over(series.output))}")
    _print_table(rows)


def _one_night(series: Series, number: int, night: str) -> None:
    if number == KILLED:
        process = series.start("--quiet")
        time.sleep(random.Random(number).uniform(4, 9))
        process.kill()
        process.communicate()
        print("  killed; again:")
    if number == LOCKED and not series.history:
        with locked(series.output / "history.db"):
            series.run(2, night)
        series.check_history(lacking=1)
        return
    series.run(0, night)
    if number == REPEATED:
        series.run(0, night)
    series.check_history()


def _evening(number: int) -> int:
    day = FIRST + timedelta(days=number)
    return int(datetime(day.year, day.month, day.day, EVENING, tzinfo=ZONE).timestamp())


def _print_table(rows: list[tuple[NightRun, Day]]) -> None:
    print(
        "night       starts  later  waits  work GPU-h  lent GPU-h  gap      seconds | next day: arrived  ended  "
        "followed  else  stopped  taken back  short"
    )
    for run, day in rows:
        one = run.figures
        gap = "open" if one.worst_gap is None else f"{100 * one.worst_gap:.2f} %"
        print(
            f"{run.night} {one.gangs_started:7} {one.gangs_started_later:6} {one.gangs_waiting:6} "
            f"{one.work_gpu_seconds / 3600:11.1f} {one.lent_gpu_seconds / 3600:11.1f}  {gap:8} "
            f"{sum(run.stages.values()):7.1f} | {day.arrived:17} {day.ended:6} {day.followed:9} "
            f"{day.started_otherwise:5} {day.stopped:8} {day.taken_back:11} {day.short_steps:6}"
        )


def large(series: Series) -> None:
    """One night on 1,000 nodes, timed from start to end of the process."""
    document = as_list(generate(ClusterSpec()))
    (series.root / "cluster.json").write_text(json.dumps(document), "utf-8")
    series.configure()
    before = time.perf_counter()
    series.run(0, "1,000 nodes")
    print(f"1,000 nodes: {time.perf_counter() - before:.1f} s from start to end")
    series.expected = night_names(series.output)
    run = series.check(series.expected[-1], lends=False)
    print("  " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in run.stages.items()))


def kills(series: Series, count: int) -> None:
    """Kill runs at random moments; every fifth is left alone. Afterwards all nights are whole and known."""
    rng = random.Random(count)
    series.configure(horizon="2h")
    started = time.perf_counter()
    day, seconds, landed = 0, 0.0, 0
    for number in range(count + count // 5 + 1):
        night = (FIRST + timedelta(days=day)).isoformat()
        (series.root / "cluster.json").write_text(tiny_export(f"{night}T20:00:00Z"), "utf-8")
        if number % 6 == 0:
            before = time.perf_counter()
            series.run(0, night)
            seconds = time.perf_counter() - before
            series.expected = night_names(series.output)
            series.check_history()
            if left_over(series.output):
                series.faults.append(f"{night}: left over: {left_over(series.output)}")
            day += 1
            continue
        process = series.start("--quiet")
        time.sleep(rng.uniform(0.3, 1.0) * seconds)
        process.kill()
        process.communicate()
        landed += night in night_names(series.output)
        series.faults += broken_nights(series.output)
        lost = set(series.expected) - set(night_names(series.output))
        series.faults += [f"the night {name} is gone" for name in sorted(lost)]
    took = time.perf_counter() - started
    print(f"{count} kills in {took:.0f} s; {landed} times the night stood already")


def main(arguments: list[str]) -> int:
    """Run; 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nights", type=int, default=7)
    parser.add_argument("--time-limit", default="20s")
    parser.add_argument("--history", default="", help="database URL; a SQLite file by default")
    parser.add_argument("--kills", type=int, default=0, help="runs to kill at random moments")
    parser.add_argument("--large", action="store_true", help="one night on 1,000 nodes")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    series = Series(given.folder, given.time_limit, given.history)
    if given.large:
        large(series)
    elif given.kills:
        kills(series, given.kills)
    else:
        seven_nights(series, given.nights)
    for fault in series.faults:
        print(f"FAULT {fault}")
    print("all checks passed" if not series.faults else f"{len(series.faults)} faults")
    return 1 if series.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
