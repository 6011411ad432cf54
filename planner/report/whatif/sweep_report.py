"""A sweep made ready for every format: table, heat map, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planner.report.rows import rest_note
from planner.report.sections.footer import short_digest, told_digest
from planner.report.svg.curves import curves
from planner.report.svg.heat_map import heat_map
from planner.report.tables import Column, Figure, KeyFigure, Place, Report, Section, Table
from planner.report.text import DASH, counted, duration
from planner.report.whatif.sweep_document import Axis, SweepResult, SweepRow
from planner.report.whatif.sweep_sentence import point_words

if TYPE_CHECKING:
    import pandas as pd

_WHERE = "points.csv (-o csv --out DIR) and -o json"
_BEST = 10


def sweep_report(result: SweepResult) -> Report:
    """Prepare a sweep."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return tuple(_sections(result, limit))

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.whatif.frames import sweep_frames

        return sweep_frames(result)

    failed = [row for row in result.rows if row.error]
    warnings = (
        [f"{counted(len(failed), 'point')} without a plan, the first: {failed[0].error}"]
        if failed
        else []
    )
    if len(result.rows) < result.points:
        warnings.append(
            f"{counted(result.points - len(result.rows), 'point')} not planned yet: the same command goes on from the "
            "journal"
        )
    return Report(
        name="sweep",
        title="Sweep",
        sentence=result.sentence,
        document=result,
        sections=sections,
        frames=frames,
        key_figures=_key_figures(result),
        figures=_figures(result),
        footer=_footer(result),
        warnings=tuple(warnings),
    )


def _sections(result: SweepResult, limit: int) -> list[Section]:
    planned = result.planned
    best = sorted(
        planned, key=lambda row: (-(row.gpus_after or 0), -(row.gangs_started or 0), row.number)
    )
    found = []
    if result.edits:
        found.append(Section("edits", "Common edits", points=result.edits))
    if len(planned) > _BEST:
        found.append(
            Section(
                "best",
                "Best points",
                tables=(_table("Most GPUs allocated", result, best[:_BEST], ()),),
            )
        )
    shown = result.rows[:limit]
    notes = rest_note(len(shown), len(result.rows), "points", _WHERE)
    found.append(Section("points", "Points", tables=(_table("Points", result, shown, notes),)))
    return found


def _table(
    title: str, result: SweepResult, rows: Sequence[SweepRow], notes: tuple[str, ...]
) -> Table:
    base = result.figures
    columns = (
        *(Column(axis.key) for axis in result.axes),
        Column("GPUS", "allocated", numeric=True),
        Column("CHANGE", "GPUs", numeric=True),
        Column("START", "gangs", numeric=True),
        Column("WAIT", "gangs", numeric=True),
        Column("EVICTED", "gangs", numeric=True, needs_width=110),
        Column("GAP", "GPUs", numeric=True),
        Column("VERDICT"),
    )
    told = tuple(
        (
            *(_shown(row.point.get(axis.key)) for axis in result.axes),
            _number(row.gpus_after),
            DASH if row.gpus_after is None else f"{row.gpus_after - base.get('gpus_after', 0):+,}",
            _number(row.gangs_started),
            _number(row.gangs_waiting),
            _number(row.gangs_evicted),
            DASH if row.error else "not proved" if row.gap_gpus is None else f"{row.gap_gpus:,}",
            row.error or row.judgement or DASH,
        )
        for row in rows
    )
    return Table(title, columns, told, empty="No point is planned yet.", notes=notes)


def _number(value: int | None) -> str:
    return DASH if value is None else f"{value:,}"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else "none" if value is None else str(value)


def _key_figures(result: SweepResult) -> tuple[KeyFigure, ...]:
    found = [
        KeyFigure("Points", f"{len(result.rows):,}", f"of {result.points:,}"),
        KeyFigure("Base", f"{result.figures.get('gpus_after', 0):,} GPUs", "allocated"),
    ]
    if result.planned:
        best = max(result.planned, key=lambda row: (row.gpus_after or 0, row.gangs_started or 0))
        found.append(
            KeyFigure("Most GPUs allocated", f"{best.gpus_after:,} GPUs", point_words(best))
        )
        gaps = [row.gap_gpus for row in result.planned]
        worst = None if None in gaps else max(gap for gap in gaps if gap is not None)
        found.append(
            KeyFigure(
                "Largest gap",
                "not proved" if worst is None else f"{worst:,} GPUs",
                "of the GPU tiers",
            )
        )
    return tuple(found)


def _figures(result: SweepResult) -> tuple[Figure, ...]:
    """One key: curves. Two: a heat map, and curves over the longer one. More: of each pair the best of the rest."""
    if not result.planned or not result.axes:
        return ()
    axes = sorted(result.axes, key=lambda axis: -len(axis.values))
    first = axes[0]
    if len(axes) == 1:
        return (
            Figure(
                f"GPUs allocated over {first.key}",
                lambda: _curve(result, first, None, "gpus_after"),
            ),
            Figure(
                f"Gangs that start over {first.key}",
                lambda: _curve(result, first, None, "gangs_started"),
            ),
        )
    second = axes[1]
    best = ", best of the other keys" if len(axes) > 2 else ""
    pair = f"{second.key} and {first.key}{best}"
    return (
        Figure(
            f"GPUs allocated by {pair}", lambda: _map(result, first, second, "gpus_after", "GPUs")
        ),
        Figure(
            f"Gangs that start by {pair}",
            lambda: _map(result, first, second, "gangs_started", "gangs"),
        ),
        Figure(
            f"GPUs allocated over {first.key}{best}",
            lambda: _curve(result, first, second, "gpus_after"),
        ),
    )


def _best_of(result: SweepResult, keys: Sequence[Axis], field: str) -> dict[tuple[int, ...], int]:
    """Places on some axes to the largest value of a figure there."""
    places = [{_shown(value): place for place, value in enumerate(axis.values)} for axis in keys]
    found: dict[tuple[int, ...], int] = {}
    for row in result.planned:
        value = getattr(row, field)
        where = tuple(
            place[_shown(row.point.get(axis.key))] for axis, place in zip(keys, places, strict=True)
        )
        if value is not None:
            found[where] = max(value, found.get(where, value))
    return found


def _map(result: SweepResult, first: Axis, second: Axis, field: str, unit: str) -> str:
    cells = _best_of(result, (second, first), field)
    return heat_map(
        (first.key, [_shown(value) for value in first.values]),
        (second.key, [_shown(value) for value in second.values]),
        {(where[0], where[1]): value for where, value in cells.items()},
        unit,
    )


def _curve(result: SweepResult, first: Axis, second: Axis | None, field: str) -> str:
    unit = "gangs" if field == "gangs_started" else "GPUs"
    values = [_shown(value) for value in first.values]
    if second is None:
        cells = _best_of(result, (first,), field)
        lines = {"plan": [cells.get((place,)) for place in range(len(values))]}
    else:
        cells = _best_of(result, (second, first), field)
        lines = {
            f"{second.key} = {_shown(value)}": [
                cells.get((line, place)) for place in range(len(values))
            ]
            for line, value in enumerate(second.values)
        }
    return curves(first.key, values, lines, unit)


def _footer(result: SweepResult) -> tuple[str, ...]:
    base = result.base
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    return (
        f"Base: as of {base.as_of or 'an unknown time'}, snapshot "
        f"{told_digest(base.snapshot_digest, base.sources)}, policy "
        f"{short_digest(base.policy_digest)}. {base.sentence}".rstrip(),
        f"{counted(len(result.rows), 'point')} on engine {result.engine} in {duration(result.seconds)}, "
        f"{result.resumed:,} of them from the journal; every plan was verified."
        + (f" {versions}." if versions else ""),
    )
