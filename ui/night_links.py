"""What is scheduled and drilled, as parameters of a link: no upload, no path, only what a visitor may type anyway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from models.findings import UsageError
from planner.drill.text import parse_need
from ui.night_state import DrillSettings, NightSettings, NightState
from ui.parts.night_choices import BUCKETS_MIN, HORIZONS_H

MOST_DEADLINE_S = 3_600


def read_night(night: NightState, query: Mapping[str, str]) -> None:
    """Take over what the address asks for; what cannot be read is left out."""
    horizon, bucket = _number(query.get("horizon")), _number(query.get("steps"))
    settings = night.settings
    if horizon in HORIZONS_H:
        settings = replace(settings, horizon_h=horizon or settings.horizon_h)
    if bucket in BUCKETS_MIN:
        settings = replace(settings, bucket_min=bucket or 0)
    deadline = _number(query.get("returns"))
    if deadline is not None and 0 < deadline <= MOST_DEADLINE_S:
        settings = replace(settings, deadline_s=deadline)
    night.settings = settings
    night.drill_settings = _drill(query, night.drill_settings)


def _drill(query: Mapping[str, str], now: DrillSettings) -> DrillSettings:
    text = query.get("need", "")
    within = _number(query.get("within"))
    if within is not None and within > 0:
        now = replace(now, deadline_s=within)
    if not text:
        return now
    try:
        need = parse_need(text)
    except UsageError:
        return now
    return replace(
        now,
        claimant=need.service,
        gpus=need.gpus,
        per_pod=need.per_pod or 0,
        gpu_model=need.gpu_model,
    )


def night_link(night: NightState) -> dict[str, str]:
    """Parameters of everything that is not as at first."""
    found: dict[str, str] = {}
    usual, settings = NightSettings(), night.settings
    if settings.horizon_h != usual.horizon_h:
        found["horizon"] = str(settings.horizon_h)
    if settings.bucket_min:
        found["steps"] = str(settings.bucket_min)
    if settings.deadline_s is not None:
        found["returns"] = str(settings.deadline_s)
    drill = night.drill_settings
    if night.drill.done is not None and drill.claimant:
        parts = [f"{drill.claimant}={drill.gpus}"]
        parts += [f"per-pod={drill.per_pod}"] if drill.per_pod else []
        parts += [f"kind={drill.gpu_model}"] if drill.gpu_model else []
        found["need"] = ",".join(parts)
        found["within"] = str(drill.deadline_s)
    return found


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
