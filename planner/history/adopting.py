"""Holds the plan of one night against the snapshot of the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.history.adoption import AdoptedGang, Adoption, Fate
from models.history.record import NightRecord
from models.history.rows import GangOutcome, GangSighting
from planner.history.times import seconds_from

_CHANGES = ("start", "grow", "shrink", "evict", "move")
_GONE = "ended or deleted: unknown"
_REPLACED = "another gang has its name"


def adoption_of(night: NightRecord, later: NightRecord | None) -> Adoption:
    """Planned against actual; without a later night nothing is known yet."""
    found = Adoption(night=night.night.night, as_of=night.night.as_of)
    if later is None:
        sentence = f"No later night tells what became of the plan of {night.night.night}."
        return found.model_copy(update={"sentence": sentence})
    sightings = {(one.namespace, one.name): one for one in later.sightings}
    asked = [one for one in night.gangs if one.recommended or one.decision in _CHANGES]
    gangs = tuple(
        _adopted(one, sightings.get((one.namespace, one.name)), night, later) for one in asked
    )
    told = {
        "next_night": later.night.night,
        "next_as_of": later.night.as_of,
        "gangs": gangs,
        "unplanned": _unplanned(night.gangs, sightings),
        **_totals(gangs),
    }
    found = found.model_copy(update=told)
    return found.model_copy(update={"sentence": _sentence(found)})


def same_gang(created: str, sighting: GangSighting) -> bool:
    """The sighting is of the gang that was created then, as far as anyone can tell."""
    return not created or not sighting.created or created == sighting.created


def _adopted(
    gang: GangOutcome, seen: GangSighting | None, night: NightRecord, later: NightRecord
) -> AdoptedGang:
    fate, note = _fate(gang, seen, later.night.as_of)
    there = seen if fate in ("runs", "partly", "ended", "waits", "not due") else None
    start = there.started_at if there is not None and fate in ("runs", "partly", "ended") else ""
    return AdoptedGang(
        namespace=gang.namespace,
        name=gang.name,
        queue=gang.queue,
        gpus=gang.gpus,
        recommended=_recommended(gang),
        fate=fate,
        adopted=_happened(gang, fate, start, night.night.as_of),
        planned_start=gang.starts_at,
        actual_start=start,
        late_s=seconds_from(gang.starts_at, start) if gang.starts_at else None,
        planned_end=gang.ends_at,
        actual_end="" if there is None else there.ended_at,
        pods_planned=sum(gang.nodes.values()),
        pods_as_planned=_matching(gang.nodes, there.nodes) if there and there.nodes else None,
        nodes_planned=gang.nodes,
        nodes_actual={} if there is None else there.nodes,
        note=note,
    )


def _recommended(gang: GangOutcome) -> str:
    return "start later" if gang.decision == "wait" else gang.decision


def _fate(gang: GangOutcome, seen: GangSighting | None, as_of: str) -> tuple[Fate, str]:
    if seen is None:
        return "gone", _GONE
    if not same_gang(gang.created, seen):
        return "replaced", _REPLACED
    if seen.finished:
        return "ended", ""
    if seen.runs:
        return "runs", ""
    if seen.pods_running:
        return "partly", f"{seen.pods_running} of {seen.min_member} pods run"
    early = seconds_from(as_of, gang.starts_at) if gang.starts_at else None
    return ("not due", "") if early is not None and early > 0 else ("waits", "")


def _happened(gang: GangOutcome, fate: Fate, start: str, as_of: str) -> bool | None:
    """A start happened if it runs or has run; an eviction if the pods that run now are not those of before."""
    if fate in ("gone", "replaced", "not due"):
        return None
    if gang.decision == "evict":
        since = seconds_from(as_of, start) if start else None
        return fate == "waits" or (since is not None and since > 0) if fate != "ended" else None
    if gang.recommended:
        return fate in ("runs", "ended")
    return None


def _matching(planned: Mapping[str, int], actual: Mapping[str, int]) -> int | None:
    if not planned:
        return None
    return sum(min(count, actual.get(node, 0)) for node, count in planned.items())


def _unplanned(
    gangs: Sequence[GangOutcome], sightings: Mapping[tuple[str, str], GangSighting]
) -> tuple[str, ...]:
    found = []
    for gang in gangs:
        seen = sightings.get((gang.namespace, gang.name))
        waits = gang.decision == "wait" and not gang.recommended
        if waits and seen is not None and seen.runs and same_gang(gang.created, seen):
            found.append(gang.full_name)
    return tuple(found)


def _totals(gangs: Sequence[AdoptedGang]) -> dict[str, int]:
    starts = [one for one in gangs if one.recommended.startswith("start")]
    due = [one for one in starts if one.fate != "not due"]
    happened = [one for one in due if one.adopted]
    placed = [one for one in happened if one.pods_as_planned is not None]
    evictions = [one for one in gangs if one.recommended == "evict"]
    return {
        "starts": len(due),
        "starts_adopted": len(happened),
        "starts_unknown": sum(one.adopted is None for one in due),
        "starts_not_due": len(starts) - len(due),
        "gpus_recommended": sum(one.gpus for one in due),
        "gpus_adopted": sum(one.gpus for one in happened),
        "pods_compared": sum(one.pods_planned for one in placed),
        "pods_as_planned": sum(one.pods_as_planned or 0 for one in placed),
        "evictions": len(evictions),
        "evictions_adopted": sum(bool(one.adopted) for one in evictions),
    }


def _sentence(found: Adoption) -> str:
    parts = [
        f"{found.starts_adopted} of {found.starts} recommended starts had happened by {found.next_as_of or 'then'}"
        if found.starts
        else "No start was due"
    ]
    if found.starts:
        parts.append(f"{found.gpus_adopted} of {found.gpus_recommended} GPUs")
    if found.starts_unknown:
        parts.append(f"{found.starts_unknown} unknown")
    if found.pods_compared:
        parts.append(f"{found.pods_as_planned} of {found.pods_compared} pods on the planned nodes")
    if found.evictions:
        parts.append(f"{found.evictions_adopted} of {found.evictions} evictions made")
    if found.unplanned:
        parts.append(f"{len(found.unplanned)} started that the plan let wait")
    return "; ".join(parts) + "."
