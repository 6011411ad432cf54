"""The part of a plan that a reader asked for: some namespaces, some queues."""

from __future__ import annotations

from collections.abc import Sequence

from models.plan import PlanResult


def select(
    result: PlanResult, *, namespaces: Sequence[str] = (), queues: Sequence[str] = ()
) -> PlanResult:
    """Keep the gangs of these namespaces and queues, and of these queues their entries.

    Nothing else changes: key figures, nodes and certificate stay those of the whole plan. A document that was cut down
    gets a field ``filter`` that says by what and how many gangs it had. No filter returns the same value.
    """
    if not namespaces and not queues:
        return result
    gangs = tuple(
        gang
        for gang in result.gangs
        if (not namespaces or gang.namespace in namespaces) and (not queues or gang.queue in queues)
    )
    names = {gang.full_name for gang in gangs}
    waiting = tuple(
        one.model_copy(update={"gangs": kept})
        for one in result.waiting
        if (kept := tuple(name for name in one.gangs if name in names))
    )
    shares = tuple(queue for queue in result.queues if not queues or queue.name in queues)
    note = {
        "namespaces": sorted(namespaces),
        "queues": sorted(queues),
        "gangs": len(gangs),
        "gangsInAll": len(result.gangs),
    }
    use = result.use
    if use is not None:
        use = use.of(namespaces=frozenset(namespaces), queues=frozenset(queues))
    parts = {"use": use, "gangs": gangs, "waiting": waiting, "queues": shares, "filter": note}
    return result.model_copy(update=parts)


def selection_note(result: PlanResult) -> str:
    """A sentence about the filter of a document, "" where it is whole."""
    note = (result.model_extra or {}).get("filter")
    if not isinstance(note, dict):
        return ""
    parts = [
        f"{word} {', '.join(note[key])}"
        for key, word in (("namespaces", "namespace"), ("queues", "queue"))
        if note.get(key)
    ]
    return (
        f"Shown: {' and '.join(parts)} ({note.get('gangs', 0):,} of {note.get('gangsInAll', 0):,} gangs); "
        "key figures, nodes and certificate are those of the whole cluster."
    )
