"""Random snapshots whose PodGroups have phases and minResources, under policies that count admission and pre-filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from models.effective import with_keys
from models.readiness import is_ready
from models.resources import Resources, total_of
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import RandomCase, random_case
from planner.testing.random_topology import topology_case

MAKERS: dict[str, Callable[[int], RandomCase]] = {
    "plain": random_case,
    "topology": topology_case,
    "evicting": evicting_case,
}


def admission_case(seed: int, kind: str = "plain") -> RandomCase:
    """A case of one of :data:`MAKERS` in which admission often refuses somebody."""
    case = MAKERS[kind](seed)
    rng = Random(f"admission/{kind}/{seed}")
    keys = {
        "admission": "live",
        "topology_prefilter": "pending",
        "overcommit_factor": rng.choice((1.0, 1.0, 1.1, 1.2, 1.2, 1.5)),
    }
    gangs = tuple(_gang(rng, case.snapshot, gang) for gang in case.snapshot.gangs)
    snapshot = replace(case.snapshot, gangs=gangs)
    name = f"admission_case({seed}, {kind!r})"
    return RandomCase(name, snapshot, with_keys(case.policy, keys, "file"))


def _gang(rng: Random, snapshot: Snapshot, gang: Gang) -> Gang:
    pods = snapshot.pods_of(gang)
    if gang.kind == "implicit" or gang.finished:
        return gang
    requests = [pod.spec.request for pod in pods if pod.running or pod.pending]
    requests += [one.spec.request.times(one.replicas) for one in gang.templates]
    whole = total_of(requests)
    share = rng.choice((25, 50, 100, 100, 150, 250))
    least = Resources({name: -(-amount * share // 100) for name, amount in whole.items()})
    running = [pod for pod in pods if pod.running]
    ready = is_ready(gang, running, [pod for pod in pods if pod.phase == "Succeeded"])
    phases = ("Running",) if ready else ("Pending", "Pending", "Pending", "Inqueue")
    keep = rng.random() < 0.9
    return replace(gang, phase=rng.choice(phases), min_resources=least if keep else None)
