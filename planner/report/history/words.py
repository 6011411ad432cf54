"""Words for figures and times of the history."""

from __future__ import annotations

from models.history.night import PastFigures, PastNight
from planner.report.text import DASH, duration, gpu_hours

FIGURES: dict[str, tuple[str, str]] = {
    "gpus_allocatable": ("GPUs allocatable", "GPUs"),
    "gpus_before": ("GPUs allocated before", "GPUs"),
    "gpus_after": ("GPUs allocated after the plan", "GPUs"),
    "gpus_after_baseline": ("the same with a greedy scheduler", "GPUs"),
    "gangs": ("gangs", "gangs"),
    "gangs_started": ("start now", "gangs"),
    "gangs_started_later": ("start later", "gangs"),
    "gangs_grown": ("grow", "gangs"),
    "gangs_waiting": ("wait", "gangs"),
    "gangs_evicted": ("given up", "gangs"),
    "gangs_unsupported": ("not modelled", "gangs"),
    "pods_placed": ("pods placed", "pods"),
    "pods_evicted": ("pods evicted", "pods"),
    "work_gpu_seconds": ("work in the horizon", "GPU-seconds"),
    "running_gpu_seconds": ("of it by gangs that ran before", "GPU-seconds"),
    "lost_gpu_seconds": ("lost work", "GPU-seconds"),
    "fill_bound_gpu_seconds": ("most work that any schedule does", "GPU-seconds"),
    "loans": ("loans", "loans"),
    "lent_gpu_seconds": ("lent", "GPU-seconds"),
    "lent_gpus_most": ("most GPUs of one loan", "GPUs"),
    "long_waits": ("wait for a day or longer", "gangs"),
    "longest_wait_s": ("longest wait", "seconds"),
    "gangs_retried": ("gangs with retries", "gangs"),
    "pod_restarts": ("container restarts", "restarts"),
    "findings_errors": ("findings: errors", "findings"),
    "findings_warnings": ("findings: warnings", "findings"),
}
"""Field of :class:`PastFigures` to its words and unit."""


def figure_text(name: str, value: int | None) -> str:
    """A figure with readable units: GPU-hours and durations for seconds."""
    if value is None:
        return DASH
    if name.endswith("gpu_seconds"):
        return gpu_hours(value)
    return duration(value) if name.endswith("_s") else f"{value:,}"


def change_text(name: str, change: int | None) -> str:
    """A signed figure; a dash where a night does not tell it."""
    if change is None:
        return DASH
    return f"{'-' if change < 0 else '+'}{figure_text(name, abs(change))}"


def late_text(seconds: int | None) -> str:
    """``on time``, ``12 min late``, ``3 min early``."""
    if seconds is None:
        return DASH
    if not seconds:
        return "on time"
    return f"{duration(abs(seconds))} {'late' if seconds > 0 else 'early'}"


def maybe(text: str) -> str:
    """The text, or a dash."""
    return text or DASH


def time_text(text: str) -> str:
    """A UTC time without its seconds, ``2026-09-15 20:00``; a dash where there is none."""
    return text[:16].replace("T", " ") if text else DASH


def day_time(text: str) -> str:
    """A UTC time as month, day and minute, ``09-15 20:00``, where the year is plain; a dash where there is none."""
    return text[5:16].replace("T", " ") if text else DASH


def outcome_text(night: PastNight) -> str:
    """How the run ended, with its exit code where it is not 0."""
    words = night.outcome.replace("_", " ")
    return words if not night.exit_code else f"{words} ({night.exit_code})"


def starts_text(figures: PastFigures | None) -> str:
    """``3 now, 5 later``."""
    if figures is None:
        return DASH
    return f"{figures.gangs_started:,} now, {figures.gangs_started_later:,} later"
