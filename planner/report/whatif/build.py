"""The whole document from the base's plan and the outcomes of the scenarios."""

from __future__ import annotations

from collections.abc import Sequence

from models.foreign_workloads import left_out_text
from models.gpu_slots import slot_words
from models.plan import PlanResult
from planner.report.compare import FIGURES, plan_mark
from planner.report.gpus import gpu_names
from planner.report.text import counted
from planner.report.whatif.document import MarginalValue, ScenarioOutcome, WhatIf
from planner.report.whatif.outcome import queue_gpus, waiting_for


def what_if(
    base: PlanResult,
    scenarios: Sequence[ScenarioOutcome],
    marginal: Sequence[MarginalValue] = (),
) -> WhatIf:
    """Base and scenarios side by side."""
    named = {name for queue in base.queues for name in (*queue.deserved, *queue.after)}
    gpus = tuple(name for name in gpu_names(base) if name in named)
    return WhatIf(
        sentence=_sentence(base, scenarios, marginal),
        base=plan_mark(base),
        base_status=base.certificate.status,
        base_seconds=base.certificate.seconds,
        policy_digest=base.certificate.policy_digest,
        figures={key: getattr(base.summary, key) for key, _, _ in FIGURES},
        gpu_resources=gpus,
        base_queues=queue_gpus(base),
        base_waits=waiting_for(base),
        scenarios=tuple(scenarios),
        marginal=tuple(marginal),
        versions=base.certificate.versions,
    )


def _sentence(
    base: PlanResult, scenarios: Sequence[ScenarioOutcome], marginal: Sequence[MarginalValue]
) -> str:
    summary = base.summary
    waiting = summary.gangs_started + summary.gangs_waiting
    aside = left_out_text(summary.left_out)
    start = (
        f"Base: {f'{aside}; ' if aside else ''}{summary.gangs_started:,} of {counted(waiting, 'waiting gang')} start, "
        f"{summary.gpus_after:,} of {summary.gpus_allocatable:,} GPUs allocated."
    )
    slots = slot_words(summary.gpu_slots, summary.gpu_slot_cards, summary.gpus_allocatable)
    start += f" {slots[0].upper()}{slots[1:]}." if slots else ""
    planned = [one for one in scenarios if not one.error]
    if len(planned) == 1:
        return f"{start} {planned[0].name}: {planned[0].sentence}"
    if planned:
        counts = [
            f"{counted(number, 'scenario')} {'the same' if word == 'same' else word}"
            for word in ("better", "worse", "same", "undecided")
            if (
                number := sum(
                    o.verdict is not None and o.verdict.judgement == word for o in planned
                )
            )
        ]
        best = max(planned, key=_gpus)
        return (
            f"{start} {', '.join(counts)}; most GPUs allocated: {best.name} "
            f"({_gpus(best):,}, {_gpus(best) - summary.gpus_after:+,})."
        )
    if marginal:
        helping = sum(bool(one.gpus and one.gpus > 0) for one in marginal)
        return f"{start} {helping} of {counted(len(marginal), 'addition')} would start more GPUs."
    return start


def _gpus(outcome: ScenarioOutcome) -> int:
    figure = outcome.figure("gpus_after")
    return figure.value if figure is not None else 0
