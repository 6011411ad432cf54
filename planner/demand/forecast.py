"""Demand ahead of now: the expected course, what to hold for it, and what a surge may reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from planner.demand.history import DemandHistory, Ints
from planner.demand.margins import Margin, MarginRules, choose_from
from planner.demand.model import DemandModel
from planner.demand.quantiles import Floats, with_beyond
from planner.demand.recent import RecentLevel, SeasonShift
from planner.demand.replays import Replays
from planner.demand.rules import LendingRules
from planner.demand.score import Score, score
from planner.demand.seasonal import SeasonalQuantiles
from planner.demand.widest import WidestOf

LEADS_S: Final = (300, 3600, 4 * 3600, 86_400)
"""Seconds ahead at which margins are chosen; each serves what lies between the one before and itself, the last all."""
MOST_REPLAYED: Final = 4032
"""Steps on which margins are tried: all of two weeks of five minutes, every other or third one of more."""
TRIED_PART: Final = 2 / 3
"""Part of the history on which margins are chosen for the judgement on the rest."""


@dataclass(frozen=True)
class StepForecast:
    """Demand of the steps after the history, in GPUs.

    Attributes
    ----------
    first
        First second of the first step (epoch).
    expected, held, surge
        Median; quantile at the service level with its margin; the same at the surge level, at least ``held``.
    margins, surge_margins
        What was chosen, by lead.
    judged
        Score of margins chosen on the first two thirds of the history, on the last third, one step ahead; None where
        the history is too short.
    judged_ahead
        The same a day ahead.
    """

    service: str
    first: int
    step: int
    expected: Ints
    held: Ints
    surge: Ints
    margins: tuple[Margin, ...]
    surge_margins: tuple[Margin, ...]
    judged: Score | None
    judged_ahead: Score | None
    notes: tuple[str, ...] = ()


def own_models(history: DemandHistory) -> tuple[DemandModel, ...]:
    """Models that have enough history, the ones closest to now first."""
    single: list[DemandModel] = [
        RecentLevel(history),
        SeasonShift(history),
        SeasonalQuantiles(history),
    ]
    usable = [one for one in single if one.days_needed() <= history.days]
    weekly = SeasonalQuantiles(history, weekly=True)
    if weekly.days_needed() <= history.days:
        usable.append(weekly)
    if len(usable) > 1:
        usable.append(WidestOf([one for one in usable if one.name != weekly.name]))
    return tuple(usable)


def forecast_steps(
    history: DemandHistory,
    rules: LendingRules,
    *,
    owned: int,
    steps: int,
    models: Sequence[DemandModel] | None = None,
) -> StepForecast:
    """Forecast so many steps after the history.

    Parameters
    ----------
    owned
        GPUs that the service has; demand beyond them cannot be served and margins need not reach beyond.
    models
        None takes :func:`own_models`.
    """
    usable = own_models(history) if models is None else models
    book = Replays(history, usable, most=MOST_REPLAYED)
    leads = _leads(history, steps)
    parts: list[tuple[Ints, Ints, Ints]] = []
    margins: list[tuple[Margin, Margin]] = []
    notes: tuple[str, ...] = ()
    for begin, end, lead in zip(
        (0, *leads), (*leads[:-1], _reach(history, leads, steps)), leads, strict=False
    ):
        chosen = _margins_at(book, rules, lead=lead, owned=owned)
        if chosen is not None:
            margins.append(chosen)
        parts.append(_part(book, chosen, begin, min(end, steps), lead=lead, owned=owned))
    if sum(len(part[0]) for part in parts) < steps:
        notes = (_too_far(history, leads[-1]),)
        parts.append(_untried(history, leads[-1], steps, owned))
    expected, held, surge = (np.concatenate(column) for column in zip(*parts, strict=True))
    return StepForecast(
        history.service,
        history.end,
        history.step,
        expected,
        held,
        np.maximum(held, surge),
        tuple(calm for calm, _ in margins),
        tuple(high for _, high in margins),
        judge(book, rules.calm, lead=1, owned=owned),
        judge(book, rules.calm, lead=history.per_day, owned=owned),
        notes,
    )


def judge(
    book: Replays, rules: MarginRules, *, lead: int, owned: int, tried: int | None = None
) -> Score | None:
    """Choose a margin on the first steps of the history and score it on the following ones.

    Parameters
    ----------
    tried
        Steps to choose on; None takes two thirds, whole days where there are several.

    Returns
    -------
    Score | None
        None where one of the parts is too short to say anything.
    """
    held = held_after(book, rules, lead=lead, owned=owned, tried=tried)
    if held is None:
        return None
    rest = slice(book.history.count - len(held), None)
    usable = book.history.known[rest] & book.replayed(lead)[rest]
    found = score(held, book.history.gpus[rest], usable, owned)
    return found if found.steps else None


def held_after(
    book: Replays, rules: MarginRules, *, lead: int, owned: int, tried: int | None = None
) -> Ints | None:
    """GPUs held in each step after the tried ones, every step forecast ``lead`` steps before.

    All GPUs in steps that the book does not replay.
    """
    count = tried if tried is not None else tried_steps(book.history)
    first = book.history.until(count)
    margin = choose_from(book.first(lead, count), first, rules, lead=lead, owned=owned)
    if margin is None or count >= book.history.count:
        return None
    return _whole(book.levels(margin.model, lead)[count:, margin.level], owned)


def tried_steps(history: DemandHistory) -> int:
    """Two thirds of the history, in whole days where it has several."""
    count = int(history.count * TRIED_PART)
    return count // history.per_day * history.per_day if count > history.per_day else count


def _leads(history: DemandHistory, steps: int) -> tuple[int, ...]:
    """Leads in steps, the last at most what the history can replay."""
    wanted = sorted({max(1, -(-lead // history.step)) for lead in LEADS_S})
    found = [lead for lead in wanted if lead <= max(1, history.count // 2)]
    needed = [lead for place, lead in enumerate(found) if place == 0 or found[place - 1] < steps]
    return tuple(needed) or (1,)


def _reach(history: DemandHistory, leads: Sequence[int], steps: int) -> int:
    """Steps that the last lead serves: all where it is a day, else only those up to itself."""
    return steps if leads[-1] >= history.per_day else min(leads[-1], steps)


def _untried(history: DemandHistory, begin: int, end: int, owned: int) -> tuple[Ints, Ints, Ints]:
    """Steps that no margin could be tried on: about the same time on the last days, else the highest demand seen.

    Held is the most within an hour, surge the most within two hours.
    """
    steps = np.arange(history.count + begin, history.count + end, dtype=np.int64)
    days = np.arange(1, 2 + (end // history.per_day), dtype=np.int64)
    same = history.clock.days_before(steps, days)
    known = (same >= 0) & (same < history.count)
    place = np.where(known.any(axis=1), same[np.arange(len(steps)), known.argmax(axis=1)], -1)
    most = int(history.gpus.max()) if history.count else owned
    hour = 3600 // history.step
    near = [
        np.array([_around(history, int(one), reach) if one >= 0 else most for one in place])
        for reach in (0, hour, 2 * hour)
    ]
    expected, held, surge = (np.minimum(one, owned).astype(np.int64) for one in near)
    return expected, held, surge


def _around(history: DemandHistory, step: int, reach: int) -> int:
    return int(history.gpus[max(0, step - reach) : step + reach + 1].max())


def _too_far(history: DemandHistory, lead: int) -> str:
    hours = history.count * history.step / 3600
    ahead = lead * history.step / 3600
    return (
        f"{hours:.1f} h of history cannot test a margin more than {ahead:.1f} h ahead; from there on the most seen "
        "within an hour of the same time of day is held, and where nothing was seen the most of all; "
        "give at least two days of history"
    )


def _margins_at(
    book: Replays, rules: LendingRules, *, lead: int, owned: int
) -> tuple[Margin, Margin] | None:
    """Margins at the service level and at the surge level; None where no model can say anything."""
    calm, high = (
        choose_from(book.at(lead), book.history, level, lead=lead, owned=owned)
        for level in (rules.calm, rules.surge)
    )
    return (calm, high) if calm is not None and high is not None else None


def _part(
    book: Replays,
    chosen: tuple[Margin, Margin] | None,
    begin: int,
    end: int,
    *,
    lead: int,
    owned: int,
) -> tuple[Ints, Ints, Ints]:
    """Expected, held and surge for the steps ``[begin, end)`` ahead; all GPUs where nothing can be said."""
    if chosen is None:
        everything = np.full(end - begin, owned, dtype=np.int64)
        return everything, everything, everything
    calm, high = chosen
    steps = np.arange(book.history.count + begin, book.history.count + end, dtype=np.int64)
    origins = np.full(len(steps), book.history.count - 1, dtype=np.int64)
    by_name = {one.name: one for one in book.models}
    levels = with_beyond(by_name[calm.model].levels_at(steps, origins, lead))
    same = high.model == calm.model
    other = by_name[high.model]
    high_levels = levels if same else with_beyond(other.levels_at(steps, origins, lead))
    return (
        _whole(levels[:, 0], owned),
        _whole(levels[:, calm.level], owned),
        _whole(high_levels[:, high.level], owned),
    )


def _whole(values: Floats, owned: int) -> Ints:
    return np.ceil(np.minimum(values, owned) - 1e-9).astype(np.int64)
