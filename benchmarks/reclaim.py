"""Measure how a gang gets whole nodes back from one-GPU jobs of another queue, with the fewest victims proved.

Usage: ``python benchmarks/reclaim.py [--nodes 1000] [--fragmented]``. N nodes of 8 GPUs are full of jobs of a queue
that deserves nothing; a gang of N/10 pods of 8 GPUs waits in a queue that deserves all. Fragmented, jobs have up to
eight pods on as many nodes, with mixed priorities and ages. The seconds are those of the search alone.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence

from models.queues import Queue
from models.resources import CPU, MEMORY, PODS, Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.prepare.gang_classes import gang_classes
from planner.prepare.prepared import prepare
from planner.prepare.standings import standings
from planner.prepare.victims import possible_victims
from planner.problem.limits import Limits
from planner.service.eviction_search import EvictionSearch
from planner.service.exact_fit import exact_fit
from planner.service.exact_least import exact_least
from planner.service.outcome import Outcome, SearchSettings
from planner.service.startable import startable_demands
from planner.testing.by_hand import gpu_node
from planner.testing.random_nodes import GIB, GPU
from planner.testing.random_snapshots import policy_for

EIGHT = 8
AS_OF = "2026-11-01T12:00:00Z"


def make_snapshot(nodes: int, *, fragmented: bool = False, seed: int = 1) -> Snapshot:
    """A full cluster, and the gang that waits for a tenth of it."""
    rng = random.Random(seed)
    slots = [place for place in range(nodes) for _ in range(EIGHT)]
    if fragmented:
        rng.shuffle(slots)
    gangs: list[Gang] = []
    pods: list[Pod] = []
    while slots:
        size = min(rng.choice((1, 1, 1, 2, 4, 8)), len(slots)) if fragmented else 1
        name = f"job-{len(gangs):06}"
        priority = rng.choice((0, 10, 100)) if fragmented else 0
        minute = rng.randrange(720) if fragmented else 600
        gangs.append(Gang("ml", name, queue="lent", min_member=size, priority=priority))
        started = f"2026-11-01T{minute // 60:02}:{minute % 60:02}:00Z"
        places = [slots.pop() for _ in range(size)]
        pods += [_running(name, member, place, started) for member, place in enumerate(places)]
    wanted = max(nodes // 10, 1)
    gangs.append(Gang("ml", "owner", queue="own", min_member=wanted))
    pods += [Pod("ml", f"owner-{n:05}", _spec(EIGHT), gang="ml/owner") for n in range(wanted)]
    return Snapshot(
        nodes=tuple(gpu_node(f"n{place:05}", EIGHT) for place in range(nodes)),
        pods=tuple(sorted(pods, key=lambda pod: pod.full_name)),
        gangs=tuple(gangs),
        queues=(
            Queue("lent", deserved=Resources({GPU: 0})),
            Queue("own", deserved=Resources({GPU: EIGHT * nodes})),
        ),
        as_of=AS_OF,
    )


def _running(job: str, member: int, place: int, started: str) -> Pod:
    return Pod(
        "ml",
        f"{job}-{member}",
        _spec(1),
        gang=f"ml/{job}",
        node=f"n{place:05}",
        phase="Running",
        started=started,
    )


def _spec(gpus: int) -> PodSpec:
    amounts = Resources({CPU: 4000 * gpus, MEMORY: 8 * GIB * gpus, GPU: gpus, PODS: 0})
    return PodSpec(request=amounts.without_zeros(), scheduler_name="volcano")


def search(snapshot: Snapshot, time_limit_s: float) -> tuple[Outcome, float]:
    """The outcome of the search, and its seconds."""
    prepared = prepare(snapshot, policy_for(snapshot, "capacity", evict=("reclaim",)), exact_least)
    victims = possible_victims(prepared)
    if victims is None:
        raise ValueError("nothing may be reclaimed")
    startable = startable_demands(prepared.problem, exact_fit, victims)
    classes = gang_classes(prepared.problem, standings(prepared, startable, victims))
    settings = SearchSettings(limits=Limits(time_limit_s=time_limit_s), victims=victims)
    began = time.perf_counter()
    outcome = EvictionSearch(prepared.problem, classes, settings).run()
    return outcome, time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> int:
    """Print victims, bounds and seconds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--fragmented", action="store_true")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds")
    options = parser.parse_args(arguments)
    snapshot = make_snapshot(options.nodes, fragmented=options.fragmented)
    outcome, seconds = search(snapshot, options.time_limit)
    print(f"{options.nodes:,} nodes, {len(snapshot.gangs) - 1:,} jobs: {seconds:.2f} s")
    for tier in outcome.tiers:
        print(f"  {tier.goal.name}: {tier.value:,} {tier.goal.unit}, bound {tier.bound}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
