"""The tables of scenarios beside their base."""

from __future__ import annotations

from collections.abc import Sequence

from planner.report.compare_document import QueueChange
from planner.report.rows import rest_note
from planner.report.tables import Column, Table
from planner.report.text import DASH, counted
from planner.report.whatif.document import FigureDelta, ScenarioOutcome, TierPair, WhatIf

SIDE_BY_SIDE = 5
"""Scenarios up to which figures and queues stand in columns."""
WHERE = "-o csv --out DIR and -o json"


def scenario_table(document: WhatIf, limit: int) -> Table:
    """One row per scenario, the base first."""
    columns = (
        Column("SCENARIO", grows=True),
        Column("GPUS", "allocated", numeric=True),
        Column("CHANGE", "GPUs", numeric=True),
        Column("START", "gangs", numeric=True),
        Column("CHANGE", "gangs", numeric=True),
        Column("WAIT", "gangs", numeric=True, needs_width=90),
        Column("EVICTED", "gangs", numeric=True, needs_width=100),
        Column("VERDICT", grows=True),
    )
    figures = document.figures
    base = (
        "base",
        f"{figures.get('gpus_after', 0):,}",
        DASH,
        f"{figures.get('gangs_started', 0):,}",
        DASH,
        f"{figures.get('gangs_waiting', 0):,}",
        f"{figures.get('gangs_evicted', 0):,}",
        document.base_status,
    )
    shown = document.scenarios[:limit]
    return Table(
        "Scenarios",
        columns,
        (base, *(_scenario_row(one) for one in shown)),
        notes=(
            *rest_note(len(shown), len(document.scenarios), "scenarios", WHERE),
            "≈: undecided, the open gaps of the two plans may still turn the difference round.",
        ),
    )


def _scenario_row(outcome: ScenarioOutcome) -> tuple[str, ...]:
    if outcome.error:
        return (outcome.name, *(DASH,) * 6, f"no plan: {outcome.error}")
    values = {one.key: one for one in outcome.figures}
    gpus, started = values["gpus_after"], values["gangs_started"]
    told = outcome.verdict.message if outcome.verdict is not None else ""
    return (
        outcome.name,
        f"{gpus.value:,}",
        changed(gpus),
        f"{started.value:,}",
        changed(started),
        f"{values['gangs_waiting'].value:,}",
        f"{values['gangs_evicted'].value:,}",
        told,
    )


def changed(figure: FigureDelta) -> str:
    """``+32``, ``≈ +4`` where undecided."""
    mark = "≈ " if figure.undecided else ""
    return f"{mark}{figure.change:+,}" if figure.change else "0"


def figure_table(document: WhatIf) -> Table | None:
    """Figures side by side; None for many scenarios."""
    planned = [one for one in document.scenarios if not one.error]
    if not planned or len(planned) > SIDE_BY_SIDE:
        return None
    rows = []
    for place, figure in enumerate(planned[0].figures):
        deltas = [one.figures[place] for one in planned]
        if figure.base == 0 and not any(one.change for one in deltas):
            continue
        cells = [f"{one.value:,}" + (f" ({changed(one)})" if one.change else "") for one in deltas]
        rows.append((figure.label, figure.unit, f"{figure.base:,}", *cells))
    names = (Column(one.name, numeric=True) for one in planned)
    columns = (Column("FIGURE"), Column("UNIT"), Column("BASE", numeric=True), *names)
    return Table("Key figures", columns, tuple(rows))


def gang_table(document: WhatIf, limit: int) -> Table:
    """Gangs that fare differently, by scenario."""
    every = [(one.name, gang) for one in document.scenarios for gang in one.gangs]
    shown = every[:limit]
    columns = (
        Column("SCENARIO"),
        Column("GANG"),
        Column("QUEUE", needs_width=100),
        Column("GPUS", numeric=True),
        Column("FATE"),
        Column("ON", "nodes in the scenario", grows=True),
        Column("WHY", "it waits or goes", grows=True),
    )
    rows = tuple(
        (
            name,
            gang.full_name,
            gang.queue,
            f"{gang.gpus:,}",
            gang.fate,
            gang.nodes or DASH,
            ", ".join(gang.reasons) or DASH,
        )
        for name, gang in shown
    )
    notes = rest_note(len(shown), len(every), "gangs", WHERE)
    return Table("Gangs", columns, rows, empty="Every gang fares as in the base.", notes=notes)


def queue_table(document: WhatIf, limit: int) -> Table:
    """GPUs after the plan and waiting gangs of the queues that change."""
    planned = [one for one in document.scenarios if not one.error]
    if planned and len(planned) <= SIDE_BY_SIDE:
        return _queues_in_columns(document, planned, limit)
    columns = (
        Column("SCENARIO"),
        Column("QUEUE"),
        Column("GPUS", "base → scenario", numeric=True),
        Column("WAITING", "gangs, base → scenario", numeric=True),
        Column("DIFFERS IN", grows=True),
    )
    every = [(one.name, queue) for one in planned for queue in one.queues]
    rows = tuple(
        (
            name,
            queue.name,
            f"{_gpus(queue, document)[0]:,} → {_gpus(queue, document)[1]:,}",
            f"{queue.waiting_before:,} → {queue.waiting_after:,}",
            ", ".join(queue.fields),
        )
        for name, queue in every[:limit]
    )
    notes = rest_note(len(rows), len(every), "queues", WHERE)
    return Table("Queues", columns, rows, empty="Every queue is as in the base.", notes=notes)


def _queues_in_columns(document: WhatIf, planned: Sequence[ScenarioOutcome], limit: int) -> Table:
    names = sorted({queue.name for one in planned for queue in one.queues})
    rows = []
    moved = [name for name in names if _moves(name, planned, document)]
    for name in moved[:limit]:
        cells = []
        for one in planned:
            change = next((queue for queue in one.queues if queue.name == name), None)
            if change is None:
                cells.append(f"{document.base_queues.get(name, 0):,}")
                continue
            before, after = _gpus(change, document)
            waits = change.waiting_after - change.waiting_before
            told = f"{after:,} ({after - before:+,})" if after != before else f"{after:,}"
            cells.append(told + (f", {waits:+,} waiting" if waits else ""))
        rows.append((name, f"{document.base_queues.get(name, 0):,}", *cells))
    columns = (
        Column("QUEUE"),
        Column("BASE", "GPUs", numeric=True),
        *(Column(one.name, "GPUs", numeric=True) for one in planned),
    )
    notes = rest_note(min(len(moved), limit), len(moved), "queues", WHERE)
    if len(moved) < len(names):
        rest = counted(len(names) - len(moved), "queue")
        notes = (
            *notes,
            f"{rest} with other limits or settings, and the same GPUs and waiting gangs.",
        )
    empty = "Every queue has the same GPUs and waiting gangs as in the base."
    return Table("Queues", columns, tuple(rows), empty=empty, notes=notes)


def _moves(name: str, planned: Sequence[ScenarioOutcome], document: WhatIf) -> bool:
    """GPUs or waiting gangs of the queue differ in a scenario."""
    return any(
        _gpus(queue, document)[0] != _gpus(queue, document)[1]
        or queue.waiting_before != queue.waiting_after
        for one in planned
        for queue in one.queues
        if queue.name == name
    )


def _gpus(queue: QueueChange, document: WhatIf) -> tuple[int, int]:
    return (
        sum(queue.used_before.amount(name) for name in document.gpu_resources),
        sum(queue.used_after.amount(name) for name in document.gpu_resources),
    )


def finding_table(document: WhatIf, limit: int) -> Table:
    """Findings that appear or vanish."""
    every = [
        (one.name, word, finding)
        for one in document.scenarios
        for word, findings in (("appears", one.findings_new), ("vanishes", one.findings_gone))
        for finding in findings
    ]
    rows = tuple(
        (name, word, finding.severity, finding.code, finding.object, finding.message)
        for name, word, finding in every[:limit]
    )
    columns = (
        Column("SCENARIO"),
        Column("FINDING"),
        Column("SEVERITY"),
        Column("CODE", needs_width=110),
        Column("OBJECT"),
        Column("MESSAGE", grows=True),
    )
    notes = rest_note(len(rows), len(every), "findings", WHERE)
    return Table("Findings", columns, rows, empty="No finding appears or vanishes.", notes=notes)


def gap_table(document: WhatIf, limit: int) -> Table:
    """Tiers that differ from the base or are not closed."""
    every = [
        (one.name, pair)
        for one in document.scenarios
        for pair in one.tiers
        if (pair.value or 0) != (pair.base_value or 0) or pair.value != pair.bound
    ]
    rows = tuple((name, pair.name, pair.unit, *_ranges(pair)) for name, pair in every[:limit])
    columns = (
        Column("SCENARIO"),
        Column("TIER"),
        Column("UNIT"),
        Column("BASE", "value … bound", numeric=True),
        Column("SCENARIO", "value … bound", numeric=True),
    )
    notes = rest_note(len(rows), len(every), "tiers", WHERE)
    empty = "Every tier is worth the same, and closed."
    return Table("Tiers and gaps", columns, rows, empty=empty, notes=notes)


def _ranges(pair: TierPair) -> tuple[str, str]:
    return _range(pair.base_value, pair.base_bound), _range(pair.value, pair.bound)


def _range(value: int | None, bound: int | None) -> str:
    if value is None:
        return DASH
    if bound is None:
        return f"{value:,} … not proved"
    return f"{value:,}" if value == bound else f"{value:,} … {bound:,}"


def marginal_table(document: WhatIf, limit: int) -> Table:
    """What one more of each is worth."""
    columns = (
        Column("ONE MORE"),
        Column("RELAXED", "GPUs each", numeric=True),
        Column("STARTS", "GPUs", numeric=True),
        Column("STARTS", "gangs", numeric=True),
        Column("WHAT IT MEANS", grows=True),
    )
    shown = document.marginal[:limit]
    rows = tuple(
        (
            one.name,
            DASH if one.dual is None else f"{one.dual:.1f}",
            DASH if one.gpus is None else f"{one.gpus:+,}",
            DASH if one.gangs is None else f"{one.gangs:+,}",
            one.sentence,
        )
        for one in shown
    )
    notes = rest_note(len(rows), len(document.marginal), "additions", WHERE)
    return Table("What one more is worth", columns, rows, notes=notes)


def gangs_counted(document: WhatIf) -> str:
    """How many gangs fare differently in any scenario."""
    names = {gang.full_name for one in document.scenarios for gang in one.gangs}
    return counted(len(names), "gang")
