"""One gang over the nights, from what each plan said and each snapshot showed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import get_args

from models.history.documents import GangStory, Now
from models.history.rows import GangOutcome, GangSighting
from planner.history.times import seconds_from

_WORDS: Mapping[Now, str] = {
    "runs": "running",
    "partly": "partly running",
    "waits": "waiting",
    "ended": "ended",
    "gone": "gone",
}
Key = tuple[str, str, str]
"""Namespace, name, creation."""


@dataclass
class _Trace:
    """What is known of one gang, by night."""

    seen: dict[date, GangSighting] = field(default_factory=dict)
    told: dict[date, GangOutcome] = field(default_factory=dict)


def stories_of(
    seen: Iterable[tuple[date, GangSighting]],
    told: Iterable[tuple[date, GangOutcome]],
    as_of: dict[date, str],
) -> tuple[GangStory, ...]:
    """Stories sorted by name and creation.

    Parameters
    ----------
    as_of
        Time of the snapshot of every night that kept one.
    """
    traces: dict[Key, _Trace] = {}
    for night, sighting in seen:
        traces.setdefault(_key(sighting), _Trace()).seen[night] = sighting
    for night, outcome in told:
        traces.setdefault(_key(outcome), _Trace()).told[night] = outcome
    newest = max(as_of, default=None)
    return tuple(_story(traces[key], as_of, newest) for key in sorted(traces))


def gangs_sentence(stories: Sequence[GangStory], nights: Sequence[date]) -> str:
    """How many gangs, and what they do now."""
    counts = Counter(one.now for one in stories)
    told = ", ".join(f"{counts[word]:,} {_WORDS[word]}" for word in get_args(Now) if counts[word])
    gangs = "1 gang" if len(stories) == 1 else f"{len(stories):,} gangs"
    if not nights:
        return "No gang of this kind was seen."
    if len(nights) == 1:
        return f"{gangs} in the night of {nights[0]}: {told}."
    return f"{gangs} over {len(nights):,} nights ({nights[0]} to {nights[-1]}): {told}."


def _key(one: GangSighting | GangOutcome) -> Key:
    return one.namespace, one.name, one.created


def _story(trace: _Trace, as_of: dict[date, str], newest: date | None) -> GangStory:
    nights = sorted({*trace.seen, *trace.told})
    sightings = [trace.seen[night] for night in sorted(trace.seen)]
    outcomes = [trace.told[night] for night in sorted(trace.told)]
    last: GangSighting | GangOutcome = (sightings or outcomes)[-1]
    started = _last_text([one.started_at for one in sightings])
    recommended = [night for night, one in sorted(trace.told.items()) if one.recommended]
    planned = _last_text([one.starts_at for one in outcomes])
    waited = [night for night, one in sorted(trace.seen.items()) if _waits(one)]
    until = started or (as_of.get(waited[-1], "") if waited else "")
    return GangStory(
        namespace=last.namespace,
        name=last.name,
        queue=last.queue,
        created=last.created,
        gpus=max(*(one.gpus for one in sightings), *(one.gpus for one in outcomes), 0),
        now=_now(trace, newest),
        first_night=nights[0],
        last_night=nights[-1],
        nights_waited=len(waited),
        recommended_on=recommended[0] if recommended else None,
        planned_start=planned,
        started_at=started,
        ended_at=_last_text([one.ended_at for one in sightings]),
        waited_s=_at_least_0(seconds_from(last.created, until)),
        late_s=seconds_from(planned, started),
        retries=max((one.retries for one in sightings), default=0),
        restarts=max((one.restarts for one in sightings), default=0),
        reasons=_reasons(outcomes),
    )


def _waits(sighting: GangSighting) -> bool:
    return not sighting.finished and not sighting.runs


def _now(trace: _Trace, newest: date | None) -> Now:
    seen = None if newest is None else trace.seen.get(newest)
    if seen is None:
        ended = any(one.finished for one in trace.seen.values())
        return "ended" if ended else "gone"
    if seen.finished:
        return "ended"
    if seen.runs:
        return "runs"
    return "partly" if seen.pods_running else "waits"


def _reasons(outcomes: Sequence[GangOutcome]) -> tuple[str, ...]:
    waiting = [one for one in outcomes if one.decision == "wait" and not one.recommended]
    return tuple(dict.fromkeys(one.code for one in waiting[-1].reasons)) if waiting else ()


def _last_text(texts: Sequence[str]) -> str:
    return next((text for text in reversed(texts) if text), "")


def _at_least_0(seconds: int | None) -> int | None:
    return None if seconds is None else max(seconds, 0)
