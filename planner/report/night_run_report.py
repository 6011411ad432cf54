"""``run.json`` of a night made ready for every format, and its one line for logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from models.nightly.run import NightRun
from planner.report.rows import rest_note
from planner.report.sections.footer import short_digest, told_digest
from planner.report.tables import Column, KeyFigure, Place, Report, Section, Table
from planner.report.text import counted, duration, gpu_hours, ratio_percent

if TYPE_CHECKING:
    import pandas as pd


def summary_line(run: NightRun, folder: Path) -> str:
    """What a log needs: night, result, where it lies, how long it took, exit code."""
    figures = run.figures
    seconds = duration(float(sum(run.stages.values())))
    starts = figures.gangs_started + figures.gangs_started_later
    lent = f", {gpu_hours(figures.lent_gpu_seconds)} lent" if figures.loans else ""
    notes = f", {counted(len(run.notes), 'note')}" if run.notes else ""
    proved = "" if run.status == "OPTIMAL" else ", schedule not proved optimal"
    return (
        f"night {run.night}: {counted(starts, 'gang')} to start ({figures.gangs_started:,} now), "
        f"{figures.gangs_waiting:,} waiting, {gpu_hours(figures.work_gpu_seconds)} of work{lent}, gap of "
        f"GPU-hours {ratio_percent(figures.worst_gap)}{proved}; {counted(len(run.files) + 1, 'file')} in "
        f"{folder}{notes}; {seconds}; exit code {run.exit_code}"
    )


def night_run_report(run: NightRun) -> Report:
    """Prepare the document of a run."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return (
            Section("run", "Run", points=run.notes, tables=(_stages(run),)),
            Section("files", "Files", tables=(_files(run, limit),)),
        )

    def frames() -> Mapping[str, pd.DataFrame]:
        return _frames(run)

    return Report(
        name="night",
        title=f"Night of {run.night}" if run.night else "Nightly run",
        sentence=run.sentence,
        document=run,
        sections=sections,
        frames=frames,
        key_figures=_key_figures(run),
        footer=(
            f"Run {run.run_id[:12]} from {run.started_at} to {run.finished_at}; snapshot "
            f"{told_digest(run.snapshot.digest, run.snapshot.sources)} as of {run.snapshot.as_of}; policy "
            f"{short_digest(run.policy_digest)}; exit code {run.exit_code}.",
        ),
        warnings=(run.error,) if run.error else (),
    )


def _key_figures(run: NightRun) -> tuple[KeyFigure, ...]:
    figures = run.figures
    return (
        KeyFigure("Start now", counted(figures.gangs_started, "gang")),
        KeyFigure("Start later", counted(figures.gangs_started_later, "gang")),
        KeyFigure("Wait", counted(figures.gangs_waiting, "gang"), f"{figures.waiting_gpus:,} GPUs"),
        KeyFigure("Work", gpu_hours(figures.work_gpu_seconds)),
        KeyFigure("Lent", gpu_hours(figures.lent_gpu_seconds), counted(figures.loans, "loan")),
        KeyFigure("Gap of GPU-hours", ratio_percent(figures.worst_gap), "worst tier of work"),
    )


def _stages(run: NightRun) -> Table:
    rows = tuple((name, duration(seconds)) for name, seconds in run.stages.items())
    columns = (Column("STAGE"), Column("TOOK", numeric=True))
    return Table("Stages", columns, rows, empty="No stage was timed.")


def _files(run: NightRun, limit: int) -> Table:
    rows = tuple((one.path, f"{one.size_bytes:,}", one.sha256[:12]) for one in run.files[:limit])
    columns = (Column("FILE", grows=True), Column("SIZE", "bytes", numeric=True), Column("SHA-256"))
    notes = rest_note(len(rows), len(run.files), "files", "-o json")
    return Table("Files of the night", columns, rows, empty="No file was written.", notes=notes)


def _frames(run: NightRun) -> Mapping[str, pd.DataFrame]:
    import pandas as pd

    figures = run.figures.model_dump()
    return {
        "figures": pd.DataFrame(
            {"figure": list(figures), "value": pd.Series(list(figures.values()), dtype=object)}
        ),
        "stages": pd.DataFrame({"stage": list(run.stages), "seconds": list(run.stages.values())}),
        "files": pd.DataFrame(
            [one.model_dump() for one in run.files], columns=["path", "size_bytes", "sha256"]
        ),
    }
