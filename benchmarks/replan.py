"""Plan again after a small change: ``python benchmarks/replan.py [--nodes 1000] [--seeds 3]``.

Some nodes fail (one in a hundred, or ``--lost``) and twenty gangs come. The changed cluster is planned anew, and from
the document of the earlier plan (``gangplan plan --previous``). Compared are processor seconds of the search and of the
whole plan, the tiers, and how many gangs that start in both plans, and whose nodes are all there, have pods elsewhere.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generate import generate, write
from benchmarks.spec import ClusterSpec

GAP = 0.001
NEW_GANGS = 20


@dataclass(frozen=True, slots=True)
class Row:
    """One plan of the changed cluster, compared with the earlier plan; ``worst_lost`` with the plan made anew.

    ``search_cpu_s``: processor seconds of the process that searches; ``gpus``: of all starts at their minima;
    ``open_gpus``: what all GPU tiers leave open together, as a share of what they reach.
    """

    name: str
    seconds: float
    cpu_s: float
    search_cpu_s: float
    gpus: int
    started: int
    worst_lost: tuple[int, int]
    open_gpus: float | None
    alike: int
    elsewhere: int


def moved(earlier: Any, plan: Any, nodes: frozenset[str]) -> tuple[int, int]:
    """Gangs that start in both plans and whose earlier nodes are all there, and how many have moved a pod."""
    from planner.usecases.inputs.earlier_plan import stays

    now = {gang.full_name: gang for gang in plan.gangs if gang.decision == "start"}
    both = [
        gang
        for gang in earlier.gangs
        if gang.decision == "start"
        and gang.full_name in now
        and all(pods.node in nodes for pods in gang.pods if pods.action == "place")
    ]
    return len(both), sum(not stays(gang, now[gang.full_name]) for gang in both)


def gpu_tiers(plan: Any) -> dict[str, int]:
    """GPUs of every tier's starts."""
    return {t.name: t.value for t in plan.certificate.tiers if t.name.endswith(".gpus")}


def most_lost(anew: Any, plan: Any) -> tuple[int, int]:
    """GPUs that starts of the first tiers lack beside a plan made anew, where most, and what they have there.

    Tiers are added up from the first one on: what a tier lacks, a later one may make up for.
    """
    reached = found = (0, 0)
    one, other = gpu_tiers(anew), gpu_tiers(plan)
    for name, value in one.items():
        reached = (reached[0] + value - other.get(name, 0), reached[1] + value)
        found = max(found, reached, key=lambda pair: pair[0] / max(pair[1], 1))
    return found


def changed(snapshot: Any, policy: Any, plan: Any, new_gangs: int, lost_nodes: int) -> Any:
    """So many nodes fail (0: one in a hundred), every second of them with new pods; gangs come."""
    from models.edits.apply import apply_edits
    from models.edits.catalogue import edit_from

    used = {pods.node for gang in plan.gangs for pods in gang.pods if pods.action == "place"}
    names = [node.name for node in snapshot.nodes]
    many = lost_nodes or max(len(names) // 100, 1)
    lost = [n for n in names if n in used][: many // 2] + [n for n in names if n not in used]
    waiting = [f"{g.namespace}/{g.name}" for g in plan.gangs if g.decision in ("start", "wait")]
    step = max(len(waiting) // new_gangs, 1)
    edits = [
        edit_from({"fail": {"nodes": lost[:many]}}),
        *(edit_from({"multiply": {"gangs": g, "factor": 2}}) for g in waiting[::step][:new_gangs]),
    ]
    return apply_edits(snapshot, policy, edits)


def measure(
    path: Path, *, new_gangs: int, lost_nodes: int, time_limit_s: float, workers: int
) -> Iterator[Row]:
    """The earlier plan, the changed cluster planned anew, and from the earlier plan."""
    from planner.documents.headline import open_share
    from planner.problem.limits import Limits
    from planner.usecases.inputs.checked_input import read_checked
    from planner.usecases.planning import make_plan

    given = read_checked([path])
    limits = Limits(time_limit_s=time_limit_s, gap=GAP, seed=1, workers=workers)

    def planned(name: str, now: Any, **options: Any) -> tuple[Any, Row]:
        began, cpu, search = time.perf_counter(), _cpu_s(), _children_s()
        plan = make_plan(now.snapshot, now.policy, limits, baseline=False, **options)
        took = time.perf_counter() - began, _cpu_s() - cpu, _children_s() - search
        nodes = frozenset(node.name for node in now.snapshot.nodes if node.ready)
        both, other = moved(earlier, plan, nodes) if earlier else (0, 0)
        lost = most_lost(anew, plan) if anew else (0, 0)
        share = open_share([t for t in plan.certificate.tiers if t.name.endswith(".gpus")])
        gpus, started = sum(gpu_tiers(plan).values()), plan.summary.gangs_started
        return plan, Row(name, *took, gpus, started, lost, share, both, other)

    earlier: Any = None
    anew: Any = None
    first, row = planned("the cluster before", given)
    yield row
    earlier = first
    situation = changed(given.snapshot, given.policy, earlier, new_gangs, lost_nodes)
    anew, row = planned("changed, planned anew", situation)
    yield row
    again, row = planned("changed, from the earlier plan", situation, previous=earlier)
    yield row
    _say(anew, again)


def _say(anew: Any, again: Any) -> None:
    for one, other in zip(anew.certificate.tiers, again.certificate.tiers, strict=True):
        if one.value != other.value:
            words = f"first tier that differs: {one.name} {one.value:,} anew, {other.value:,} again"
            print(words, file=sys.stderr)
            return


def _children_s() -> float:
    """Processor seconds of processes that have ended: the searches."""
    times = os.times()
    return times.children_user + times.children_system


def _cpu_s() -> float:
    times = os.times()
    return times.user + times.system + _children_s()


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Markdown."""
    yield (
        "| plan | seconds | CPU seconds | of the search | GPUs of starts | most GPUs of first tiers less than anew | "
        "gangs started | GPU tiers open together | gangs elsewhere |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        gap = "–" if row.open_gpus is None else f"{100 * row.open_gpus:.2f} %"
        share = f"{row.elsewhere:,} of {row.alike:,}" if row.alike else "–"
        less, of = row.worst_lost
        lost = f"{less:,} of {of:,}" if of else "–"
        yield (
            f"| {row.name} | {row.seconds:.1f} | {row.cpu_s:.1f} | {row.search_cpu_s:.1f} | {row.gpus:,} | {lost} | "
            f"{row.started:,} | {gap} | {share} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one generated cluster and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--gangs", type=int, default=300)
    parser.add_argument("--queues", type=int, default=12)
    parser.add_argument("--new-gangs", type=int, default=NEW_GANGS)
    parser.add_argument(
        "--lost", type=int, default=0, help="nodes; one in a hundred where not given"
    )
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--seeds", type=int, default=1, help="how many clusters")
    parser.add_argument("--time-limit", type=float, default=150.0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    for seed in range(options.seed, options.seed + options.seeds):
        spec = ClusterSpec(
            nodes=options.nodes, gangs=options.gangs, queues=options.queues, seed=seed
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cluster.json"
            write(generate(spec), path)
            found = measure(
                path,
                new_gangs=options.new_gangs,
                lost_nodes=options.lost,
                time_limit_s=options.time_limit,
                workers=options.workers,
            )
            rows.extend(replace(row, name=f"seed {seed}, {row.name}") for row in found)
    for line in table(rows):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
