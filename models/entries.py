"""Gang entries of the plan document, from a snapshot and the pods that a scheduler places."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from models.placement import Placement
from models.plan import Decision, GangEntry, PodAction, PodGroupEntry, Reason
from models.readiness import is_ready
from models.snapshot import Snapshot
from models.workloads import Gang, Pod


def gang_entries(
    snapshot: Snapshot,
    placements: Iterable[Placement],
    *,
    reasons: Mapping[str, tuple[Reason, ...]] | None = None,
    extra: Mapping[str, Mapping[str, object]] | None = None,
    evicted: Collection[str] = (),
) -> tuple[GangEntry, ...]:
    """One entry for every gang, in the snapshot's order.

    Parameters
    ----------
    reasons
        Gang full name to the reasons why it waits, or why it loses pods.
    extra
        Gang full name to further fields of :class:`GangEntry` (``gpus``, ``startable``, ``tier_class``, ``rank``).
    evicted
        Full names of running pods that are evicted.
    """
    gone = frozenset(evicted)
    placed: dict[str, list[Placement]] = {}
    for placement in placements:
        placed.setdefault(placement.gang, []).append(placement)
    return tuple(
        _entry(
            gang,
            snapshot.pods_of(gang),
            sorted(placed.get(gang.full_name, ())),
            (reasons or {}).get(gang.full_name, ()),
            (extra or {}).get(gang.full_name, {}),
            gone,
        )
        for gang in snapshot.gangs
    )


def _entry(
    gang: Gang,
    pods: tuple[Pod, ...],
    placements: list[Placement],
    reasons: tuple[Reason, ...],
    extra: Mapping[str, object],
    evicted: frozenset[str],
) -> GangEntry:
    running = [pod for pod in pods if pod.running]
    leaving = [pod for pod in running if pod.full_name in evicted]
    staying = [pod for pod in running if pod.full_name not in evicted] if leaving else running
    decision = _decision(gang, pods, running, placed=bool(placements))
    if leaving:
        decision = "shrink" if staying else "evict"
    arriving = sum(placement.count for placement in placements)
    left = pods_left(gang, pods, placements) if decision in ("keep", "grow") else 0
    told = decision in ("wait", "evict", "shrink") or gang.asks_nothing or left > 0
    return GangEntry(
        namespace=gang.namespace,
        name=gang.name,
        kind=gang.kind,
        queue=gang.queue,
        priority=gang.priority,
        min_member=gang.min_member,
        decision=decision,
        pods=(*_grouped(staying), *_grouped(leaving, "evict"), *map(_placed, placements)),
        reasons=reasons if told else (),
        pods_before=len(running),
        pods_after=len(staying) + arriving,
        pods_pending=left,
        created=gang.created,
        **dict(extra),  # type: ignore[arg-type]
    )


def _decision(gang: Gang, pods: tuple[Pod, ...], running: list[Pod], *, placed: bool) -> Decision:
    succeeded = [pod for pod in pods if pod.phase == "Succeeded"]
    if placed:
        return "grow" if running and is_ready(gang, running, succeeded) else "start"
    if is_ready(gang, running, succeeded) or gang.asks_nothing:
        return "keep"
    return "wait"


def pods_left(gang: Gang, pods: Iterable[Pod], placements: Iterable[Placement]) -> int:
    """Existing pods that wait for a node and get none."""
    if gang.asks_nothing:
        return 0
    return sum(pod.pending for pod in pods) - sum(len(one.names) for one in placements)


def _placed(placement: Placement) -> PodGroupEntry:
    return PodGroupEntry.model_construct(
        role=placement.role,
        action="place",
        node=placement.node,
        from_node=None,
        count=placement.count,
        names=placement.names,
    )


def _grouped(pods: list[Pod], action: PodAction = "keep") -> list[PodGroupEntry]:
    groups: dict[tuple[str, str], list[str]] = {}
    for pod in pods:
        groups.setdefault((pod.role, pod.node or ""), []).append(pod.full_name)
    return [
        PodGroupEntry.model_construct(
            role=role,
            action=action,
            node=node,
            from_node=None,
            count=len(names),
            names=tuple(sorted(names)),
        )
        for (role, node), names in sorted(groups.items())
    ]
