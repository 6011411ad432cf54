"""Seconds and memory of one large search in memory, stage by stage, beside a greedy walk over the same gangs.

Usage: ``python benchmarks/scale.py`` (10,000 nodes), ``python benchmarks/scale.py --nodes 100000 --gangs 20000``, and
with ``--snapshot`` from Kubernetes objects to the list of pods and nodes, verified.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generate import as_list, generate
from benchmarks.scale_problem import scale_problem
from benchmarks.spec import ClusterSpec
from models.effective import EffectivePolicy, resolve_policy
from models.entries import gang_entries
from models.placement import Placement
from models.plan import PlanResult, Reason
from models.readers.input_files import memory_file
from models.snapshot import Snapshot
from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.problem.limits import Limits
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass, gang_classes
from planner.reduce.pod_placements import placements
from planner.search.construct.fill import fill_starts, room_after
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.stages.bound.tier_bounds import open_gpus
from planner.search.stages.presolve.startable import startable_demands
from planner.usecases.inputs.inputs import read_inputs
from planner.verify.check import verify

MIB_OF_MAXRSS = 1024**2 if sys.platform == "darwin" else 1024


@dataclass
class Clock:
    """Wall and processor seconds by stage."""

    wall: dict[str, float] = field(default_factory=dict)
    processor: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what is done within."""
        wall, processor = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.wall[name] = time.perf_counter() - wall
            self.processor[name] = time.process_time() - processor


@dataclass(frozen=True)
class Ready:
    """What a search needs; with a snapshot also what a check of its plan needs."""

    problem: PlacementProblem
    classes: tuple[GangClass, ...]
    snapshot: Snapshot | None = None
    policy: EffectivePolicy | None = None


def from_objects(spec: ClusterSpec, clock: Clock) -> Ready:
    """Through Kubernetes objects and the reader; preparing begins at the loaded snapshot."""
    with clock.stage("make"):
        data = json.dumps(as_list(generate(spec))).encode()
    with clock.stage("read"):
        snapshot = read_inputs([memory_file("cluster.json", data)], stdin=None)
    del data
    policy = resolve_policy(snapshot, None, {})
    with clock.stage("prepare"):
        prepared = prepare(snapshot, policy, exact_least)
        startable = startable_demands(prepared.problem, exact_fit)
        classes = gang_classes(prepared.problem, standings(prepared, startable))
    return Ready(prepared.problem, classes, snapshot, policy)


def in_memory(spec: ClusterSpec, clock: Clock) -> Ready:
    """The problem made directly; preparing is only the classes of gangs."""
    with clock.stage("make"):
        problem, placed_in = scale_problem(spec)
    with clock.stage("prepare"):
        classes = gang_classes(problem, placed_in)
    return Ready(problem, classes)


def greedy_walk(problem: PlacementProblem, classes: Sequence[GangClass]) -> Assignment:
    """What a walk starts: tier after tier, large gangs first, each onto the tightest nodes."""
    assignment = Assignment({})
    fill_starts(problem, classes, assignment, room_after(problem, assignment), None)
    return assignment


def gpus_by_rank(classes: Sequence[GangClass], assignment: Assignment) -> dict[str, int]:
    """Class and rank to GPUs of the gangs that an assignment starts, at their minima."""
    found: dict[str, int] = {}
    for one in classes:
        if not one.growing:
            started = sum(demand in assignment.pods for demand in one.demands)
            name = f"{one.tier_class}.{one.rank}"
            found[name] = found.get(name, 0) + started * one.example.gpus
    return found


def faults(problem: PlacementProblem, assignment: Assignment) -> int:
    """Nodes and queues with more than there is."""
    room = problem.free.copy()
    queues = {queue: left.copy() for queue, left in problem.queue_room.items()}
    for number, items in assignment.pods.items():
        demand = problem.demands[number]
        for item, spots in items.items():
            shape = demand.items[item].shape
            for node, count in spots:
                room[node] -= problem.requests[shape] * count
            for queue in demand.queue_chain:
                limited = problem.queue_room[queue] >= 0
                pods = sum(count for _, count in spots)
                queues[queue][limited] -= problem.requests[shape][limited] * pods
    over = sum(
        bool((left[problem.queue_room[queue] >= 0] < 0).any()) for queue, left in queues.items()
    )
    return int((room < 0).any(axis=1).sum()) + over


def violations(ready: Ready, placed: Sequence[Placement]) -> int:
    """What the independent check finds in the placements."""
    if ready.snapshot is None or ready.policy is None:
        return 0
    reason = (Reason(code="cluster_capacity", message="waits"),)
    names = dict.fromkeys((gang.full_name for gang in ready.snapshot.gangs), reason)
    entries = gang_entries(ready.snapshot, tuple(placed), reasons=names)
    return len(verify(ready.snapshot, ready.policy, PlanResult(gangs=entries)).violations)


def report(
    ready: Ready, outcome: Outcome, clock: Clock, wrong: int, greedy: Assignment
) -> list[str]:
    """The table of one run, Markdown."""
    problem = ready.problem
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB_OF_MAXRSS
    share = open_gpus(outcome.tiers)
    walked = gpus_by_rank(ready.classes, greedy)
    bounds = {one.goal.name: one.bound for one in outcome.tiers}
    lines = [
        f"{len(problem.node_names):,} nodes in {outcome.groups:,} groups, {len(problem.demands):,} gangs in "
        f"{len(ready.classes):,} classes, {len(problem.queue_names)} queues, {outcome.variables:,} columns",
        "",
        "| stage | wall s | processor s |",
        "|---|---|---|",
    ]
    lines += [
        f"| {name} | {clock.wall[name]:.2f} | {clock.processor[name]:.2f} |" for name in clock.wall
    ]
    lines += [f"| search: {name} | {s:.2f} | |" for name, s in outcome.stages.items()]
    lines += ["", "| tier | GPUs | bound | greedy walk |", "|---|---|---|---|"]
    for name, gpus in sorted(gpus_by_rank(ready.classes, outcome.assignment).items()):
        bound = bounds.get(f"{name}.gpus")
        told = "unknown" if bound is None else f"{bound:,}"
        lines.append(f"| {name} | {gpus:,} | {told} | {walked.get(name, 0):,} |")
    gap = "unknown" if share is None else f"{share:.4%}"
    lines += ["", f"GPU tiers open together {gap}; peak memory {peak:,.0f} MiB; faults {wrong}"]
    return lines


def row(ready: Ready, outcome: Outcome, clock: Clock, wrong: int, greedy: Assignment) -> str:
    """The same in one line of ``scale_table.py``."""
    ours = sum(gpus_by_rank(ready.classes, outcome.assignment).values())
    walked = sum(gpus_by_rank(ready.classes, greedy).values())
    share = open_gpus(outcome.tiers)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB_OF_MAXRSS
    cells = [
        f"{len(ready.problem.node_names):,}",
        f"{len(ready.problem.demands):,}",
        f"{outcome.groups:,}",
        f"{clock.wall['search']:.2f}",
        *(f"{outcome.stages.get(stage, 0.0):.2f}" for stage in ("solve", "certify")),
        f"{ours:,}",
        f"{walked:,}",
        f"{ours / max(walked, 1):.4f}",
        "unknown" if share is None else f"{share:.4%}",
        f"{peak:,.0f}",
        str(wrong),
    ]
    return f"| {' | '.join(cells)} |"


def run(arguments: argparse.Namespace) -> int:
    """One instance; 1 where the plan is wrong."""
    spec = ClusterSpec(
        nodes=arguments.nodes, gangs=arguments.gangs, queues=arguments.queues, seed=arguments.seed
    )
    clock = Clock()
    ready = (from_objects if arguments.snapshot else in_memory)(spec, clock)
    gc.freeze()  # as the search's own process does with what it is given
    limits = Limits(
        time_limit_s=arguments.time_limit, gap=arguments.gap / 100, workers=arguments.workers
    )
    with clock.stage("search"):
        search = PlacementSearch(ready.problem, ready.classes, SearchSettings(limits))
        outcome = search.run()
    with clock.stage("list"):
        placed = placements(ready.problem, outcome.assignment)
    with clock.stage("check"):
        wrong = faults(ready.problem, outcome.assignment) + violations(ready, placed)
    with clock.stage("greedy walk"):
        greedy = greedy_walk(ready.problem, search.classes)
    told = (ready, outcome, clock, wrong, greedy)
    print(row(*told) if arguments.row else "\n".join(report(*told)))
    return 1 if wrong else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--gangs", type=int, default=4_000)
    parser.add_argument("--queues", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gap", type=float, default=0.1, help="percent, over all GPU tiers")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--snapshot", action="store_true", help="through Kubernetes objects")
    parser.add_argument("--row", action="store_true", help="one line of the benchmark report")
    return run(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
