"""Gangs inside switches on large clusters, beside a greedy gang scheduler on the same clusters.

Usage: ``python benchmarks/topology.py [--sizes 1000 2500 5000 10000] [--time-limit 15] [--seed 1] [--network CSV]``.
Every plan has passed the independent check. A third of the gangs has a topology: half of them hard (one leaf), half
soft. The network is the public host list of Alibaba's Lingjun data set (columns ip, DSW, PSW, ASW); without the file
it is left out.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generate import generate, write
from benchmarks.network import network_objects
from benchmarks.spec import ClusterSpec, KubeObject
from models.plan import PlanResult, Tier
from models.snapshot import Snapshot
from planner.encode.topology import topology_forest
from planner.problem.limits import Limits
from planner.problem.topology import Level
from planner.simulate.baseline import scheduler_run
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.planning import make_plan

ROOT = Path(__file__).resolve().parents[1]
NETWORK = ROOT.parent / "shared" / "data" / "lingjun" / "lingjun_topo.csv"
LEAVES = {1000: 100, 2500: 100, 5000: 200, 10_000: 400}
GANGS_PER_NODE = 0.4
SHARE = 1 / 3


@dataclass(frozen=True, slots=True)
class Domains:
    """Gangs with a topology that start, and the domains of each level that they are in."""

    gangs: int
    per_level: tuple[int, ...]

    def text(self) -> str:
        """Domains per gang, level by level."""
        return " / ".join(f"{count / max(self.gangs, 1):.2f}" for count in self.per_level)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every cluster and print one block each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, nargs="*", default=sorted(LEAVES), help="nodes")
    parser.add_argument("--time-limit", type=float, default=15.0, help="seconds of search")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--network", type=Path, default=NETWORK)
    options = parser.parse_args(arguments)
    for nodes in options.sizes:
        leaves = LEAVES.get(nodes, max(nodes // 25, 1))
        spec = ClusterSpec(
            nodes=nodes,
            gangs=int(nodes * GANGS_PER_NODE),
            seed=options.seed,
            topology=True,
            topology_share=SHARE,
            nodes_per_leaf=-(-nodes // leaves),
        )
        measure(f"{nodes:,} nodes, {leaves} leaves", generate(spec), options.time_limit)
    if options.network.exists():
        measure("Lingjun", network_objects(options.network, options.seed), options.time_limit)
    else:
        print(f"Lingjun: left out, there is no {options.network.name} to read")
    return 0


def measure(name: str, objects: Sequence[KubeObject], time_limit_s: float) -> None:
    """Plan one cluster, ask the greedy scheduler, and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        write(objects, path)
        given = read_checked([path])
    gc.collect()
    began, cpu = time.perf_counter(), _cpu_s()
    plan = make_plan(
        given.snapshot,
        given.policy,
        Limits(time_limit_s=time_limit_s),
        baseline=False,
        fixes=False,
    )
    wall, cpu = time.perf_counter() - began, _cpu_s() - cpu
    greedy = scheduler_run(given.snapshot, given.policy)
    levels = topology_forest(given.snapshot, given.policy.policy.topology_labels).levels
    where: dict[str, set[str]] = {}
    for one in greedy.placements:
        where.setdefault(one.gang, set()).add(one.node)
    print(f"\n{name}, {len(given.snapshot.gangs):,} gangs")
    stages = plan.certificate.stage_seconds()
    print(f"  search {stages['solve']:.1f} s of {wall:.1f} s; {cpu:.1f} processor seconds in all")
    print(f"  {_peak_mib():,.0f} MiB at most so far")
    gpus = [tier for tier in plan.certificate.tiers if tier.name.endswith(".gpus")]
    for tier in (*gpus, *(t for t in plan.certificate.tiers if t.name.startswith("domains."))):
        print(f"  {_tier(tier)}")
    print(f"  all GPU tiers together: {_together(gpus)}")
    mine = _plan_domains(plan, given.snapshot, levels)
    theirs = _domains(given.snapshot, levels, where)
    print(f"  GPUs started {sum(t.value for t in gpus):,}, greedy {greedy.gpus:,}")
    print(f"  gangs with a topology {mine.gangs:,}, greedy {theirs.gangs:,}")
    print(f"  domains of each per level {mine.text()}, greedy {theirs.text()}")


def _tier(tier: Tier) -> str:
    if tier.bound is None:
        return f"{tier.name}: {tier.value:,} {tier.unit}, no bound"
    gap = abs(tier.value - tier.bound) / max(1, abs(tier.value))
    return f"{tier.name}: {tier.value:,} of {tier.bound:,} {tier.unit}, gap {gap:.2%}"


def _together(tiers: Sequence[Tier]) -> str:
    if any(tier.bound is None for tier in tiers):
        return "no bound"
    reached = sum(tier.value for tier in tiers)
    still = sum(abs((tier.bound or 0) - tier.value) for tier in tiers)
    return f"{reached:,} GPUs, {still:,} open, gap {still / max(1, reached):.2%}"


def _plan_domains(plan: PlanResult, snapshot: Snapshot, levels: Sequence[Level]) -> Domains:
    where = {
        gang.full_name: {group.node for group in gang.pods if group.node is not None}
        for gang in plan.gangs
        if gang.decision == "start"
    }
    return _domains(snapshot, levels, where)


def _domains(snapshot: Snapshot, levels: Sequence[Level], where: Mapping[str, set[str]]) -> Domains:
    """Domains of the waiting gangs with a topology, or of all where labels make up the domains."""
    number = {node.name: index for index, node in enumerate(snapshot.nodes)}
    counts = [0] * len(levels)
    gangs = 0
    for gang in snapshot.gangs:
        nodes = [number[name] for name in where.get(gang.full_name, ())]
        if gang.topology is None or not nodes:
            continue
        gangs += 1
        for place, level in enumerate(levels):
            counts[place] += level.count(nodes)
    return Domains(gangs, tuple(counts))


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak_mib() -> float:
    unit = 1024**2 if sys.platform == "darwin" else 1024  # bytes there, KiB elsewhere
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(one.ru_maxrss for one in used) / unit


if __name__ == "__main__":
    sys.exit(main())
