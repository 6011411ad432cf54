"""Demand of one service per bucket of a schedule, from whatever is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from models.demand import DemandSamples
from models.horizon import Horizon
from models.moments import utc_offset_s
from models.policy_lending import DemandProfile
from planner.demand.forecast import StepForecast, forecast_steps
from planner.demand.history import Ints, regular_history
from planner.demand.library import library_models
from planner.demand.profile import profile_demand
from planner.demand.rules import LendingRules

Announced = tuple[int | None, ...]
DAYS_TO_TRUST = 2.0
"""Days of history from which on a forecast is worth more than what is announced."""
_WEEK = 7 * 86_400
Origin = Literal["history", "announced", "profile", "replicas"]


@dataclass(frozen=True, slots=True)
class ServiceInput:
    """What is known of a service.

    Attributes
    ----------
    running_gpus
        GPUs that its pods hold now.
    samples
        Measured before now; at or after now: announced, held at least.
    """

    name: str
    running_gpus: int
    guarantee_gpus: int = 0
    reserved_gpus: int | None = None
    samples: DemandSamples | None = None
    profile: DemandProfile | None = None


@dataclass(frozen=True, slots=True)
class ServiceCurve:
    """Demand per bucket in GPUs, and what it rests on.

    Attributes
    ----------
    owned
        GPUs that are kept for the service.
    expected, held, surge
        Median; kept for it at the service level; what a surge may reach at the surge level. ``expected`` may exceed
        ``owned`` only where demand that was announced does.
    forecast
        None where no history was used.
    """

    service: str
    origin: Origin
    owned: int
    expected: tuple[int, ...]
    held: tuple[int, ...]
    surge: tuple[int, ...]
    forecast: StepForecast | None = None
    notes: tuple[str, ...] = ()


def service_curve(service: ServiceInput, horizon: Horizon, rules: LendingRules) -> ServiceCurve:
    """Demand over the horizon: from measurements, else the profile, else the GPUs its pods hold now.

    What a file announces for the time from now on is a floor for the forecast, and all there is without measurements.
    """
    announced = _announced(service.samples, horizon)
    measured = _before(service.samples, horizon.start)
    profile = service.profile
    asked = profile_demand(profile, horizon.edges, horizon.timezone) if profile else None
    owned = _owned(service, measured, announced, asked)
    if measured is not None:
        return _forecast(service, measured, announced, horizon, rules, owned)
    if announced is not None:
        known = [owned if gpus is None else gpus for gpus in announced]
        note = "announced demand, without any margin"
        if None in announced:
            note += "; before its first value all GPUs of the service are kept"
        return _flat(service, "announced", owned, known, note)
    if asked is not None:
        return _flat(
            service, "profile", owned, asked, "demand by the policy's profile, without any margin"
        )
    now = (service.running_gpus,) * horizon.count
    told = (
        "no demand is known"
        if service.samples is None
        else "its demand file ends before or begins after this time"
    )
    note = f"{told}; the GPUs that its pods hold now are kept and none of them is lent"
    return _flat(service, "replicas", owned, now, note)


def _forecast(
    service: ServiceInput,
    measured: DemandSamples,
    announced: Announced | None,
    horizon: Horizon,
    rules: LendingRules,
    owned: int,
) -> ServiceCurve:
    near, notes = _brought_near(measured, horizon)
    history = regular_history(near, timezone=horizon.timezone, until=horizon.start)
    gap = max(0, horizon.start - history.end) // history.step
    steps = max(1, -(-(horizon.end - history.end) // history.step)) + 1
    models = library_models(history) if rules.method == "statsmodels" else None
    found = forecast_steps(history, rules, owned=owned, steps=steps, models=models)
    low = min(service.guarantee_gpus, owned)
    sure = history.days >= DAYS_TO_TRUST
    columns = [
        _with_announced(_per_bucket(values, found, horizon), announced, sure=sure)
        for values in (found.expected, found.held, found.surge)
    ]
    expected, kept = columns[0], tuple(max(gpus, low) for gpus in columns[1])
    notes += found.notes
    if announced is not None and not sure:
        notes.append(
            "where demand is announced it is taken without margin: history is shorter than two days"
        )
    if gap > 1:
        notes.append(
            f"the newest measurement is {gap * history.step / 3600:.1f} h old; margins are those of a longer lead"
        )
    return ServiceCurve(
        service.name,
        "history",
        owned,
        expected,
        kept,
        tuple(max(a, b) for a, b in zip(columns[2], kept, strict=True)),
        found,
        tuple(notes),
    )


def _with_announced(
    values: tuple[int, ...], announced: Announced | None, *, sure: bool
) -> tuple[int, ...]:
    """Announced demand is a floor of a forecast that can be trusted, and replaces one that cannot."""
    if announced is None:
        return values
    return tuple(
        value if gpus is None else max(value, gpus) if sure else gpus
        for value, gpus in zip(values, announced, strict=True)
    )


def _per_bucket(values: Ints, forecast: StepForecast, horizon: Horizon) -> tuple[int, ...]:
    """Highest value of the steps that share a second with each bucket."""
    found = []
    for begin, end in pairwise(horizon.edges):
        first = max(0, (begin - forecast.first) // forecast.step)
        last = max(first + 1, -(-(end - forecast.first) // forecast.step))
        found.append(int(values[first : min(last, len(values))].max(initial=0)))
    return tuple(found)


def _flat(
    service: ServiceInput, origin: Origin, owned: int, demand: Sequence[int], note: str
) -> ServiceCurve:
    kept = tuple(max(gpus, min(service.guarantee_gpus, owned)) for gpus in demand)
    return ServiceCurve(service.name, origin, owned, tuple(demand), kept, kept, None, (note,))


def _owned(
    service: ServiceInput,
    measured: DemandSamples | None,
    announced: Announced | None,
    asked: tuple[int, ...] | None,
) -> int:
    if service.reserved_gpus is not None:
        return service.reserved_gpus
    known = [
        service.running_gpus,
        service.guarantee_gpus,
        *(gpus for gpus in announced or () if gpus is not None),
    ]
    if measured is not None:
        known.append(measured.most)
    elif asked is not None and announced is None:
        known.extend(asked)
    return max(known)


def _brought_near(samples: DemandSamples, horizon: Horizon) -> tuple[DemandSamples, list[str]]:
    """An old recording moved by whole weeks of the local calendar, so that it ends within a week before now."""
    last = samples.seconds[-1]
    weeks = (horizon.start - last) // _WEEK
    if weeks < 1:
        return samples, []
    moved = last + weeks * _WEEK
    zone = horizon.timezone
    shift = moved - last + utc_offset_s(last, zone) - utc_offset_s(moved, zone)
    if last + shift >= horizon.start:
        shift -= _WEEK
    note = (
        f"the newest measurement is {(horizon.start - last) / 86_400:.0f} days old; weekdays and times of day are "
        "taken as they were then, the level may have changed since"
    )
    seconds = tuple(second + shift for second in samples.seconds)
    return DemandSamples(samples.service, seconds, samples.gpus, False, samples.source), [note]


def _before(samples: DemandSamples | None, now: int) -> DemandSamples | None:
    """The part measured before now; None where there is nothing to learn from."""
    if samples is None:
        return None
    count = int(np.searchsorted(np.asarray(samples.seconds), now))
    if not count:
        return None
    return DemandSamples(
        samples.service, samples.seconds[:count], samples.gpus[:count], False, samples.source
    )


def _announced(samples: DemandSamples | None, horizon: Horizon) -> Announced | None:
    """Highest value announced per bucket, None before the first; a value holds until the next one.

    None altogether where nothing is announced for the horizon. What was measured before now announces nothing.
    """
    if samples is None:
        return None
    seconds, gpus = np.asarray(samples.seconds), np.asarray(samples.gpus)
    begins = int(np.searchsorted(seconds, horizon.start))
    found: list[int | None] = []
    for begin, end in pairwise(horizon.edges):
        first = max(int(np.searchsorted(seconds, begin, side="right")) - 1, begins)
        last = int(np.searchsorted(seconds, end))
        found.append(int(gpus[first:last].max()) if last > first else None)
    return tuple(found) if any(value is not None for value in found) else None
