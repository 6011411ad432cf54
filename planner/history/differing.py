"""What differs between two nights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from models.history.difference import (
    Became,
    FigureDifference,
    GangDifference,
    NightDifference,
    QueueDifference,
)
from models.history.night import PastFigures
from models.history.record import NightRecord
from models.history.rows import GangOutcome, GangSighting, PastQueue
from planner.history.adopting import same_gang


def difference_of(before: NightRecord, after: NightRecord) -> NightDifference:
    """Figures, queues, and every gang that started, ended, came, went, stopped or still waits."""
    gangs = tuple(_gangs(before, after))
    found = NightDifference(
        before=before.night,
        after=after.night,
        figures=_figures(before.night.figures, after.night.figures),
        gangs=gangs,
        queues=_queues(before, after),
    )
    return found.model_copy(update={"sentence": _sentence(found)})


def _figures(before: PastFigures | None, after: PastFigures | None) -> tuple[FigureDifference, ...]:
    return tuple(
        FigureDifference(
            name=name,
            before=None if before is None else getattr(before, name),
            after=None if after is None else getattr(after, name),
        )
        for name in PastFigures.model_fields
    )


def _gangs(before: NightRecord, after: NightRecord) -> Iterator[GangDifference]:
    then = {(one.namespace, one.name): one for one in before.sightings}
    now = {(one.namespace, one.name): one for one in after.sightings}
    outcomes = {(one.namespace, one.name): one for one in after.gangs}
    earlier = {(one.namespace, one.name): one for one in before.gangs}
    for key in sorted(then.keys() | now.keys()):
        became = _became(then.get(key), now.get(key))
        one = now.get(key) or then[key]
        if became:
            yield GangDifference(
                namespace=one.namespace,
                name=one.name,
                queue=one.queue,
                gpus=_gpus(then.get(key), now.get(key), earlier.get(key), outcomes.get(key)),
                became=became,
                waited_s=outcomes[key].waited_s if key in outcomes else None,
            )


def _gpus(*known: GangSighting | GangOutcome | None) -> int:
    """GPUs of a gang: what it holds or asks for, in whichever night tells the most."""
    return max((one.gpus for one in known if one is not None), default=0)


def _became(then: GangSighting | None, now: GangSighting | None) -> Became | None:
    if now is None:
        return None if then is None or then.finished else "gone"
    if then is None:
        return "came and ended" if now.finished else ("new, runs" if now.runs else "new")
    if not same_gang(then.created, now):
        return "replaced"
    if now.finished:
        return None if then.finished else "ended"
    if now.runs:
        return None if then.runs else "started"
    return "stopped" if then.runs else "still waits"


def _queues(before: NightRecord, after: NightRecord) -> tuple[QueueDifference, ...]:
    then = {one.name: one for one in before.queues}
    now = {one.name: one for one in after.queues}
    return tuple(_queue(name, then.get(name), now.get(name)) for name in sorted({*then, *now}))


def _queue(name: str, then: PastQueue | None, now: PastQueue | None) -> QueueDifference:
    return QueueDifference(
        name=name,
        gpus_before=None if then is None else then.gpus_before,
        gpus_after=None if now is None else now.gpus_before,
        deserved_before=None if then is None else then.gpus_deserved,
        deserved_after=None if now is None else now.gpus_deserved,
        waiting_before=None if then is None else then.gangs_waiting,
        waiting_after=None if now is None else now.gangs_waiting,
    )


def _sentence(found: NightDifference) -> str:
    counts = Counter(gang.became for gang in found.gangs)
    words = {"still waits": "still waiting"}  # counted gangs are many
    told = ", ".join(
        f"{counts[word]:,} {words.get(word, word)}" for word in get_args(Became) if counts[word]
    )
    told = f"gangs: {told}" if told else "no gang changed, none waits"
    return f"From {found.before.night} to {found.after.night}: {told}."
