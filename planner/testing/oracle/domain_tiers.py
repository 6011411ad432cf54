"""Fewest domains, then packing, over all placements, for the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from models.gpu import gpus_in, whole_gpu_names
from models.workloads import Pod
from planner.testing.oracle.gang_options import PodKind
from planner.testing.oracle.placements import Arrival
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.topology import joins, keeps, places_of


def gathers(situation: Situation) -> bool:
    """Some startable gang counts for the domain tiers."""
    forest = situation.forest
    if not forest.levels():
        return False
    return any(
        view.gang.topology is not None
        or (forest.wished_by_all() and view.gang.min_member > 1)
        or any(
            policy.topology is not None
            and (
                any(policy.key_of(pod) is not None for pod in situation.snapshot.pods_of(view.gang))
                or any(joins(view.gang, role, policy) for role in view.roles_to_come)
            )
            for policy in view.gang.subgroups
        )
        for view in situation.startable.values()
    )


def keeps_topology(situation: Situation, arrivals: Sequence[Arrival]) -> bool:
    """I6 for every gang that receives pods."""
    return all(
        keeps(situation.forest, situation.views[name].gang, situation.running(name), sites)
        for name, sites in _sites(arrivals).items()
    )


def _sites(arrivals: Sequence[Arrival]) -> dict[str, dict[PodKind, list[str]]]:
    found: dict[str, dict[PodKind, list[str]]] = {}
    for one in arrivals:
        found.setdefault(one.gang, {}).setdefault(one.kind, []).extend([one.node] * one.count)
    return found


def best_domains(
    situation: Situation, placed: Iterable[tuple[Sequence[Arrival], Sequence[Pod]]]
) -> dict[str, int]:
    """``level <n>`` (lowest tier first) and ``packing`` of the best placement with its victims."""
    best = min(_vector(situation, arrivals, gone) for arrivals, gone in placed)
    levels = {f"level {number}": value for number, value in enumerate(best[:-1])}
    return {**levels, "packing": -best[-1]}


def _vector(
    situation: Situation, arrivals: Sequence[Arrival], gone: Sequence[Pod]
) -> tuple[int, ...]:
    width = len(situation.forest.levels())
    total = [0] * width
    for name, sites in _sites(arrivals).items():
        view = situation.views[name]
        if not view.ready:
            running = situation.running(name)
            counted = places_of(situation.forest, view.gang, running, sites)
            total = [a + b for a, b in zip(total, counted, strict=True)]
    return (*total, -_packing(situation, arrivals, gone))


def _packing(situation: Situation, arrivals: Sequence[Arrival], gone: Sequence[Pod]) -> int:
    """GPUs of nodes without GPU pods afterwards."""
    names = whole_gpu_names(situation.policy.policy.gpu_models)
    left = {pod.full_name for pod in gone}
    held = Counter(one.node for one in arrivals if one.kind.gpus)
    for pod in situation.snapshot.pods:
        if pod.holds_node and pod.full_name not in left and gpus_in(pod.spec.request, names):
            held[pod.node or ""] += 1
    return sum(
        gpus_in(node.allocatable, names) for node in situation.snapshot.nodes if not held[node.name]
    )
