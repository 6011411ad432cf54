"""What a night's folder holds; one function per kind of file."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import yaml

from models.demand import before, dated
from models.moments import epoch_seconds, zone_of
from models.readers.demand_rows import GPUS, SERVICE, TIME
from models.writers.snapshot_json import snapshot_to_json
from planner.nightly.outcome import NightOutcome, Writer
from planner.nightly.report_files import write_reports
from planner.report.atomic import atomic_bytes, atomic_text
from planner.report.formats import write_report
from planner.report.night_metrics import metrics_text
from planner.report.plan_report import plan_report
from planner.report.schedule_report import schedule_report

TABLES = "tables"
METRICS_FILE = "metrics.prom"
DEMAND_FILE = "demand.csv"
SNAPSHOT_FILE = "snapshot.json.gz"
PLAN_FILE = "plan.json"
_FAST = 5


def write_plan(night: NightOutcome, folder: Path) -> None:
    """``plan.json``: the whole document."""
    text = night.result.model_dump_json(by_alias=True, indent=2)
    with atomic_text(folder / PLAN_FILE) as stream:
        stream.write(f"{text}\n")


def write_inputs(night: NightOutcome, folder: Path) -> None:
    """Snapshot and policy as planned on: ``gangplan verify snapshot.json.gz plan.json`` needs no other file."""
    data = gzip.compress(snapshot_to_json(night.snapshot), _FAST, mtime=0)
    with atomic_bytes(folder / SNAPSHOT_FILE) as stream:
        stream.write(data)
    keys = {key: entry["value"] for key, entry in night.policy.document().items()}
    text = yaml.safe_dump(keys, sort_keys=False, allow_unicode=True)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")


def write_demand(night: NightOutcome, folder: Path) -> None:
    """``demand.csv``: demand of online services as the night knew it, whatever it was read from; nothing without any.

    What was measured after the moment of the plan is left out: a file announces all that it holds.
    """
    now = epoch_seconds(night.policy.now)
    zone = zone_of(night.policy.policy.timezone) or zone_of("UTC")
    if now is None or zone is None:
        return
    known = [before(dated(one, now, zone), now) for one in night.demand]
    if not any(one.seconds for one in known):
        return
    with atomic_text(folder / DEMAND_FILE) as stream:
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow((TIME, SERVICE, GPUS))
        for one in known:
            for second, gpus in zip(one.seconds, one.gpus, strict=True):
                rows.writerow((second, one.service, gpus))


def write_tables(night: NightOutcome, folder: Path) -> None:
    """``tables/*.csv``: gangs, pods, queues, nodes and so on of the plan, and of the schedule."""
    write_report(plan_report(night.result), "csv", out=folder / TABLES)
    write_report(schedule_report(night.result), "csv", out=folder / TABLES)


def write_metrics(night: NightOutcome, folder: Path) -> None:
    """``metrics.prom``: OpenMetrics for the textfile collector of node_exporter."""
    (folder / METRICS_FILE).write_text(metrics_text(night.run, night.result), encoding="utf-8")


WRITERS: tuple[Writer, ...] = (
    write_plan,
    write_inputs,
    write_demand,
    write_reports,
    write_tables,
    write_metrics,
)
