"""Documents about nights: the list, and one night with what became of its plan."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from models.checks.wording import counted
from models.history.adoption import Adoption
from models.history.documents import NightDetails, PastNights
from models.history.night import PastFigures, PastNight
from planner.history.store import History


def past_nights(history: History, nights: Sequence[PastNight]) -> PastNights:
    """The list with its sentence."""
    return PastNights(sentence=_sentence(nights), database=history.name, nights=tuple(nights))


def night_details(
    history: History, night: date, *, namespaces: Sequence[str] = (), queues: Sequence[str] = ()
) -> NightDetails:
    """One night; with filters only gangs of these namespaces and queues, and these queues.

    Raises
    ------
    HistoryError
        The night is not kept.
    """
    record = history.night(night)
    adoption = None if record.night.figures is None else history.adopted(night)

    def wanted(namespace: str, queue: str) -> bool:
        return (not namespaces or namespace in namespaces) and (not queues or queue in queues)

    return NightDetails(
        sentence=record.night.sentence or record.night.error or f"Night of {night}.",
        database=history.name,
        night=record.night,
        has_plan=record.night.figures is not None,
        adoption=None if adoption is None else _filtered(adoption, namespaces, queues),
        gangs=tuple(one for one in record.gangs if wanted(one.namespace, one.queue)),
        sightings=tuple(one for one in record.sightings if wanted(one.namespace, one.queue)),
        queues=tuple(one for one in record.queues if not queues or one.name in queues),
        loans=record.loans,
        findings=record.findings,
    )


def _filtered(adoption: Adoption, namespaces: Sequence[str], queues: Sequence[str]) -> Adoption:
    """Gangs of these namespaces and queues; the totals stay those of the whole night."""
    if not namespaces and not queues:
        return adoption
    chosen = tuple(
        one
        for one in adoption.gangs
        if (not namespaces or one.namespace in namespaces) and (not queues or one.queue in queues)
    )
    unplanned = tuple(
        name for name in adoption.unplanned if not queues and name.partition("/")[0] in namespaces
    )
    note = (
        f"Listed: {len(chosen)} of {counted(len(adoption.gangs), 'gang')}, as asked for; the totals are those of "
        "the whole night."
    )
    return adoption.model_copy(
        update={"gangs": chosen, "unplanned": unplanned, "notes": (*adoption.notes, note)}
    )


def _sentence(nights: Sequence[PastNight]) -> str:
    if not nights:
        return "No night is kept yet."
    first, last = nights[0].night, nights[-1].night
    span = str(first) if first == last else f"{first} to {last}"
    parts = [f"{counted(len(nights), 'night')}, {span}"]
    failed = sum(one.figures is None for one in nights)
    if failed:
        parts.append(f"{failed:,} without a plan")
    if nights[-1].figures is not None:
        parts.append(f"last: {_state(nights[-1].figures)}")
    return "; ".join(parts) + "."


def _state(figures: PastFigures) -> str:
    waiting = counted(figures.gangs_waiting, "gang")
    return (
        f"{figures.gpus_after:,} of {figures.gpus_allocatable:,} GPUs allocated, {waiting} waiting"
    )
