"""Scenarios beside their base, made ready for every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planner.report.rows import rest_note
from planner.report.sections.footer import short_digest, told_digest
from planner.report.svg.queue_groups import queue_groups
from planner.report.svg.scenario_bars import Bar, scenario_bars
from planner.report.tables import Figure, KeyFigure, Place, Report, Section
from planner.report.text import counted, duration
from planner.report.whatif import tables, time_tables
from planner.report.whatif.document import ScenarioOutcome, WhatIf

if TYPE_CHECKING:
    import pandas as pd


def what_if_report(document: WhatIf) -> Report:
    """Prepare a comparison of scenarios."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return tuple(_sections(document, place, limit))

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.whatif.frames import what_if_frames

        return what_if_frames(document)

    return Report(
        name="whatif",
        title="What if",
        sentence=document.sentence,
        document=document,
        sections=sections,
        frames=frames,
        key_figures=_key_figures(document),
        figures=_figures(document),
        footer=_footer(document),
        warnings=tuple(
            f"{one.name}: no plan ({one.error})" for one in document.scenarios if one.error
        ),
    )


def _sections(document: WhatIf, place: Place, limit: int) -> list[Section]:
    found = []
    if document.scenarios:
        figures = tables.figure_table(document)
        found += [
            Section("scenarios", "Scenarios", tables=(tables.scenario_table(document, limit),)),
            _edit_section(document, limit),
            Section("figures", "Key figures", tables=(figures,) if figures else ()),
            Section("gangs", "Gangs", tables=(tables.gang_table(document, limit),)),
            Section("queues", "Queues", tables=(tables.queue_table(document, limit),)),
            Section("findings", "Findings", tables=(tables.finding_table(document, limit),)),
        ]
        if place != "table":
            found.append(
                Section("gaps", "Tiers and gaps", tables=(tables.gap_table(document, limit),))
            )
    over_time = time_tables.schedule_table(document)
    if over_time is not None:
        moved = time_tables.timing_table(document, limit)
        found.insert(1, Section("schedule", "Over time", tables=(over_time, moved)))
    if document.marginal:
        lead = (
            "Planned anew with one more of each. RELAXED is what the linear relaxation promises per unit, a first "
            "estimate; STARTS is what the new plan reaches."
        )
        table = tables.marginal_table(document, limit)
        found.append(Section("marginal", "What one more is worth", lead=lead, tables=(table,)))
    return [one for one in found if one.tables or one.points]


def _edit_section(document: WhatIf, limit: int) -> Section:
    notes = (*_common(document), *_more(document, limit))
    return Section("edits", "Edits", points=_edits(document, limit), notes=notes)


def _edits(document: WhatIf, limit: int) -> tuple[str, ...]:
    """What each scenario does, where its name does not say it already."""
    found = []
    for one in document.scenarios[:limit]:
        notes = "".join(f" Note: {note}." for note in one.notes)
        edits = "; ".join(one.edits) or "no edit"
        if edits != one.name or notes:
            start = f"{one.name}: " if edits != one.name else ""
            found.append(f"{start}{edits}.{notes}")
    return tuple(found)


def _common(document: WhatIf) -> tuple[str, ...]:
    """Edits that every one of several scenarios holds."""
    lists = [one.edits for one in document.scenarios]
    if len(lists) < 2:
        return ()
    shared = [edit for edit in dict.fromkeys(lists[0]) if all(edit in one for one in lists[1:])]
    return (f"Common to all scenarios: {'; '.join(shared)}.",) if shared else ()


def _more(document: WhatIf, limit: int) -> tuple[str, ...]:
    return rest_note(
        min(limit, len(document.scenarios)), len(document.scenarios), "scenarios", "-o json"
    )


def _key_figures(document: WhatIf) -> tuple[KeyFigure, ...]:
    figures = document.figures
    found = [
        KeyFigure(
            "Base",
            f"{figures.get('gpus_after', 0):,} GPUs",
            f"allocated of {figures.get('gpus_allocatable', 0):,}",
        ),
        KeyFigure(
            "Base starts",
            counted(figures.get("gangs_started", 0), "gang"),
            f"{counted(figures.get('gangs_waiting', 0), 'gang')} wait",
        ),
    ]
    planned = [one for one in document.scenarios if not one.error]
    if planned:
        best = max(planned, key=_gpus)
        change = best.figure("gpus_after")
        detail = f"{best.name}{f', {change.change:+,}' if change is not None else ''}"
        found.append(KeyFigure("Most GPUs allocated", f"{_gpus(best):,} GPUs", detail))
        found.append(
            KeyFigure("Fare differently", tables.gangs_counted(document), "in any scenario")
        )
    return tuple(found)


def _gpus(outcome: ScenarioOutcome) -> int:
    figure = outcome.figure("gpus_after")
    return figure.value if figure is not None else 0


def _figures(document: WhatIf) -> tuple[Figure, ...]:
    planned = [one for one in document.scenarios if not one.error]
    if not planned:
        return ()
    found = [Figure("GPUs allocated, of all allocatable ones (frame)", lambda: _bars(document))]
    lines = _queue_lines(document, planned)
    if lines and len(planned) <= tables.SIDE_BY_SIDE:
        names = ["base", *(one.name for one in planned)]
        found.append(Figure("Queues: GPUs allocated by plan", lambda: queue_groups(names, lines)))
    return tuple(found)


def _bars(document: WhatIf) -> str:
    figures = document.figures
    base_gpus, base_all = figures.get("gpus_after", 0), figures.get("gpus_allocatable", 0)
    bars = [Bar("base", base_gpus, base_all)]
    for one in document.scenarios:
        gpus, every = one.figure("gpus_after"), one.figure("gpus_allocatable")
        if gpus is not None and every is not None:
            bars.append(Bar(one.name, gpus.value, every.value, gpus.slack, gpus.change))
    return scenario_bars(bars)


def _queue_lines(document: WhatIf, planned: Sequence[ScenarioOutcome]) -> dict[str, list[int]]:
    """GPUs by queue in the base and every scenario, of the queues that change."""
    names = sorted({queue.name for one in planned for queue in one.queues})
    found = {}
    for name in names:
        base = document.base_queues.get(name, 0)
        line = [base]
        for one in planned:
            change = next((queue for queue in one.queues if queue.name == name), None)
            gpus = base
            if change is not None:
                gpus = sum(change.used_after.amount(r) for r in document.gpu_resources)
            line.append(gpus)
        if len(set(line)) > 1:
            found[name] = line
    return found


def _footer(document: WhatIf) -> tuple[str, ...]:
    base = document.base
    versions = ", ".join(f"{name} {version}" for name, version in document.versions.items())
    seconds = sum(one.seconds for one in document.scenarios)
    return (
        f"Base: as of {base.as_of or 'an unknown time'}, snapshot "
        f"{told_digest(base.snapshot_digest, base.sources)}, policy "
        f"{short_digest(base.policy_digest)}, {counted(base.gangs, 'gang')}, planned in "
        f"{duration(document.base_seconds)}. {base.sentence}".rstrip(),
        f"Scenarios begin with the base's plan, {duration(seconds)} in all; every plan was verified. Shortfalls and "
        f"bounds of each: -o json." + (f" {versions}." if versions else ""),
    )
