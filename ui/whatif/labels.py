"""Headings of the tables of scenarios and sweeps; the English heading is a key of the message catalog."""

from __future__ import annotations

from collections.abc import Mapping

SCENARIO_LABELS: Mapping[str, str] = {
    "base": "Base",
    "base_bound": "Bound, base",
    "base_value": "Value, base",
    "change": "Change",
    "base_starts_at": "Start, base",
    "bound_gpu_hours": "At most (GPU-hours)",
    "delay_change_hours": "Waits more, in sum (h)",
    "error": "Error",
    "fate": "What happens",
    "fields": "Differs in",
    "figure": "Figure",
    "gangs_change": "Gangs, change",
    "gangs_evicted": "Gangs evicted",
    "gangs_gained": "Gangs that start more",
    "gap_gpus": "Gap (GPUs)",
    "gpus_base": "GPUs, base",
    "gpus_change": "GPUs, change",
    "gpus_gained": "GPUs that start more",
    "gpus_in_use": "GPUs allocated",
    "judgement": "Verdict",
    "meaning_of_gain": "What it means",
    "reasons": "Reasons",
    "relaxed_gpus_each": "Relaxed (GPUs each)",
    "later_hours": "Later (h)",
    "scenario": "Scenario",
    "starts": "Start (gangs)",
    "starts_change": "Start, change (gangs)",
    "verdict": "Why",
    "waiting": "Gangs waiting",
    "work_change_gpu_hours": "Work, change (GPU-hours)",
    "waiting_base": "Gangs waiting, base",
}
