"""Reports of a night, whole and cut for the readers of the configuration, and the manifests that they point to."""

from __future__ import annotations

from pathlib import Path

from models.findings import UsageError
from models.history.trend import Trend, TrendPoint
from models.nightly.reader import Reader
from models.plan import PlanResult
from planner.history.extract.record import record_of
from planner.manifests.build import night_manifests
from planner.manifests.folder import write_folder
from planner.manifests.quoting import file_part
from planner.nightly.outcome import NightOutcome
from planner.report.formats import write_report
from planner.report.night.cut import cut_for
from planner.report.night.report import night_report

MANIFESTS = "manifests"


def write_reports(night: NightOutcome, folder: Path) -> None:
    """``manifests/``, ``report.html``, ``report.md``, and both again per reader that the plan knows."""
    manifests = night_manifests(night.snapshot, night.result, night.policy)
    write_folder(manifests, folder / MANIFESTS)
    trend = _with_tonight(night)
    for reader in (None, *night.config.report_for):
        if reader is not None and reader_fault(night.result, reader):
            continue
        report = night_report(
            night.result,
            reader,
            snapshot=night.snapshot,
            trend=trend,
            adoption=night.adoption,
            manifests=manifests,
            notes=night.run.notes,
        )
        for form in ("html", "md"):
            write_report(report, form, out=folder / f"{report_stem(reader)}.{form}")


def report_stem(reader: Reader | None) -> str:
    """``report``, ``report-platform``, ``report-tenant-eval``."""
    if reader is None:
        return "report"
    name = f"-{file_part(reader.name)}" if reader.name else ""
    return f"report-{reader.kind}{name}"


def reader_fault(result: PlanResult, reader: Reader) -> str:
    """Why there is no report for a reader, "" where there is one."""
    try:
        cut_for(result, reader)
    except UsageError as error:
        return f"No report for {reader}: {error}."
    return ""


def _with_tonight(night: NightOutcome) -> Trend | None:
    """The nights before, and this one."""
    if night.trend is None:
        return None
    now = record_of(night.run, night.result, night.snapshot).night
    point = TrendPoint(night=now.night, outcome=now.outcome, figures=now.figures)
    return Trend(points=(*night.trend.points, point))
