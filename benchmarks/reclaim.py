"""Measure how a gang gets whole nodes back from jobs of another queue, beside a greedy choice of victims.

Usage: ``python benchmarks/reclaim.py [--nodes 1000] [--layout fragmented] [--whole]``. Layouts and protocol: see
``README.md`` here. The seconds are those of the search alone; ``--whole`` plans, explains and verifies as well.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.reclaim_clusters import LAYOUTS, Layout, make_snapshot
from models.effective import EffectivePolicy
from models.gpu import gpus_in, whole_gpu_names
from models.snapshot import Snapshot
from planner.encode.eligibility import standings
from planner.encode.lost_work import lost_gpu_seconds
from planner.encode.prepared import prepare
from planner.encode.victims.victims import possible_victims
from planner.problem.limits import Limits
from planner.reduce.gang_classes import gang_classes
from planner.search.eviction_search import EvictionSearch
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.outcome import Outcome, SearchSettings
from planner.search.stages.presolve.startable import startable_demands
from planner.simulate.volcano import VolcanoScheduler
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan

HARM = ("gangs_given_up", "pods_evicted", "lost_work")


@dataclass(frozen=True, slots=True)
class Harm:
    """What victims cost: gangs that lose all their pods, pods, GPU-seconds since they started."""

    gangs: int
    pods: int
    lost_gpu_s: int


@dataclass(frozen=True)
class ReclaimRow:
    """One layout measured.

    Attributes
    ----------
    bounds
        Proved bound per kind of harm, None where nothing is proved; a bound holds for our values of the kinds before.
    started
        Whether all gangs that wait start: in our plan, in the greedy one.
    """

    layout: Layout
    nodes: int
    jobs: int
    seconds: float
    ours: Harm
    bounds: tuple[int | None, ...]
    greedy: Harm
    greedy_s: float
    started: tuple[bool, bool]


def measure(
    layout: Layout, nodes: int, *, time_limit_s: float, workers: int, seed: int = 1
) -> ReclaimRow:
    """Our search and the greedy gang scheduler on the same cluster."""
    snapshot = make_snapshot(nodes, layout, seed)
    policy = policy_for(snapshot, "capacity", evict=("reclaim",))
    outcome, seconds = search(snapshot, policy, time_limit_s, workers)
    began = time.perf_counter()
    placed, gone = VolcanoScheduler(snapshot, policy).run(evicting=True)
    greedy_s = time.perf_counter() - began
    bounds = {tier.goal.name: tier.bound for tier in outcome.tiers}
    return ReclaimRow(
        layout=layout,
        nodes=nodes,
        jobs=len(snapshot.gangs) - 1,
        seconds=seconds,
        ours=harm_of(snapshot, policy, outcome.assignment.evicted),
        bounds=tuple(bounds.get(name) for name in HARM),
        greedy=harm_of(snapshot, policy, [pod.full_name for pod in gone]),
        greedy_s=greedy_s,
        started=(bool(outcome.assignment.pods), bool(placed)),
    )


def harm_of(snapshot: Snapshot, policy: EffectivePolicy, names: Collection[str]) -> Harm:
    """Counted pod by pod, the same way for everybody."""
    gpu_names = whole_gpu_names(policy.policy.gpu_models)
    pods = [snapshot.pod_by_name[name] for name in names]
    gangs = {pod.gang for pod in pods}
    gone = frozenset(names)
    whole = sum(
        all(
            pod.full_name in gone
            for pod in snapshot.pods_of(snapshot.gang_by_name[gang])
            if pod.running
        )
        for gang in gangs
    )
    lost = sum(
        lost_gpu_seconds(
            pod,
            snapshot.gang_by_name[pod.gang],
            gpus_in(pod.spec.request, gpu_names),
            policy.now,
            policy.policy,
        )
        for pod in pods
    )
    return Harm(whole, len(pods), lost)


def search(
    snapshot: Snapshot, policy: EffectivePolicy, time_limit_s: float, workers: int = 2
) -> tuple[Outcome, float]:
    """The outcome of the search, and its seconds."""
    prepared = prepare(snapshot, policy, exact_least)
    victims = possible_victims(prepared)
    if victims is None:
        raise ValueError("nothing may be reclaimed")
    startable = startable_demands(prepared.problem, exact_fit, victims)
    classes = gang_classes(prepared.problem, standings(prepared, startable, victims))
    limits = Limits(time_limit_s=time_limit_s, workers=workers)
    began = time.perf_counter()
    outcome = EvictionSearch(
        prepared.problem, classes, SearchSettings(limits=limits, victims=victims)
    ).run()
    return outcome, time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> int:
    """Print victims, bounds and seconds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--layout", choices=LAYOUTS, default="uniform")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds")
    parser.add_argument("--whole", action="store_true", help="the whole plan, verified, as well")
    options = parser.parse_args(arguments)
    row = measure(
        options.layout,
        options.nodes,
        time_limit_s=options.time_limit,
        workers=options.workers,
        seed=options.seed,
    )
    print(f"{row.nodes:,} nodes, {row.jobs:,} jobs, {row.layout}")
    for name, harm, seconds in (
        ("plan", row.ours, row.seconds),
        ("greedy", row.greedy, row.greedy_s),
    ):
        hours = harm.lost_gpu_s / 3600
        print(
            f"  {name}: {harm.gangs:,} gangs given up, {harm.pods:,} pods, {hours:,.0f} GPU-hours "
            f"lost, {seconds:.2f} s"
        )
    print(f"  bounds: {', '.join(f'{n} {b}' for n, b in zip(HARM, row.bounds, strict=True))}")
    if options.whole:
        snapshot = make_snapshot(options.nodes, options.layout, options.seed)
        policy = policy_for(snapshot, "capacity", evict=("reclaim",))
        limits = Limits(time_limit_s=options.time_limit, workers=options.workers)
        print(f"  {make_plan(snapshot, policy, limits).summary.sentence}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
