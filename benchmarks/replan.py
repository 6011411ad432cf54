"""Plan again after a small change: ``python benchmarks/replan.py [--nodes 1000]``.

Ten in a thousand nodes fail and twenty gangs come. The changed cluster is planned anew, and from the document of the
earlier plan (``gangplan plan --previous``). Compared are processor seconds, the tiers, and how many gangs that start
in both plans, and whose nodes are all there, have pods elsewhere than before.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generate import generate, write
from benchmarks.spec import ClusterSpec

GAP = 0.001
NEW_GANGS = 20

Where = Mapping[str, frozenset[tuple[str, str, int]]]


@dataclass(frozen=True, slots=True)
class Row:
    """One plan of the changed cluster, compared with the earlier plan."""

    name: str
    seconds: float
    cpu_s: float
    gpus: int
    started: int
    worst_gpu_gap: float | None
    alike: int
    elsewhere: int


def where(plan: Any) -> Where:
    """Started gang to (role, node, new pods)."""
    return {
        f"{gang.namespace}/{gang.name}": frozenset(
            (pods.role, pods.node, pods.count) for pods in gang.pods if pods.action == "place"
        )
        for gang in plan.gangs
        if gang.decision == "start"
    }


def moved(before: Where, after: Where, nodes: frozenset[str]) -> tuple[int, int]:
    """Gangs of both plans whose earlier nodes are all there, and how many of them have another node now."""
    both = [g for g in before if g in after and all(node in nodes for _, node, _ in before[g])]
    other = [g for g in both if {node for _, node, _ in after[g]} - {n for _, n, _ in before[g]}]
    return len(both), len(other)


def changed(snapshot: Any, policy: Any, plan: Any, new_gangs: int) -> Any:
    """One per cent of the nodes fail, every second of them with new pods; twenty gangs come."""
    from models.edits.apply import apply_edits
    from models.edits.catalogue import edit_from

    used = {pods.node for gang in plan.gangs for pods in gang.pods if pods.action == "place"}
    names = [node.name for node in snapshot.nodes]
    many = max(len(names) // 100, 1)
    lost = [n for n in names if n in used][: many // 2] + [n for n in names if n not in used]
    waiting = [f"{g.namespace}/{g.name}" for g in plan.gangs if g.decision in ("start", "wait")]
    step = max(len(waiting) // new_gangs, 1)
    edits = [
        edit_from({"fail": {"nodes": lost[:many]}}),
        *(edit_from({"multiply": {"gangs": g, "factor": 2}}) for g in waiting[::step][:new_gangs]),
    ]
    return apply_edits(snapshot, policy, edits)


def measure(path: Path, *, new_gangs: int, time_limit_s: float, workers: int) -> Iterator[Row]:
    """The earlier plan, the changed cluster planned anew, and from the earlier plan."""
    from planner.problem.limits import Limits
    from planner.service.checked_input import read_checked
    from planner.service.planning import make_plan

    given = read_checked([path])
    limits = Limits(time_limit_s=time_limit_s, gap=GAP, seed=1, workers=workers)

    def planned(name: str, now: Any, **options: Any) -> tuple[Any, Row]:
        began, cpu = time.perf_counter(), _cpu_s()
        plan = make_plan(now.snapshot, now.policy, limits, baseline=False, **options)
        took = time.perf_counter() - began, _cpu_s() - cpu
        nodes = frozenset(node.name for node in now.snapshot.nodes if node.ready)
        both, other = moved(where(earlier), where(plan), nodes) if earlier else (0, 0)
        gaps = [t.gap for t in plan.certificate.tiers if t.name.endswith(".gpus")]
        known = [gap for gap in gaps if gap is not None]
        worst = max(known, default=0.0) if len(known) == len(gaps) else None
        summary = plan.summary
        return plan, Row(name, *took, summary.gpus_after, summary.gangs_started, worst, both, other)

    earlier: Any = None
    first, row = planned("the cluster before", given)
    yield row
    earlier = first
    situation = changed(given.snapshot, given.policy, earlier, new_gangs)
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


def _cpu_s() -> float:
    import os

    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Markdown."""
    yield "| plan | seconds | CPU seconds | GPUs in use | gangs started | worst gap of GPU tiers | gangs elsewhere |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        gap = "–" if row.worst_gpu_gap is None else f"{100 * row.worst_gpu_gap:.2f} %"
        share = f"{row.elsewhere:,} of {row.alike:,}" if row.alike else "–"
        yield (
            f"| {row.name} | {row.seconds:.1f} | {row.cpu_s:.1f} | {row.gpus:,} | {row.started:,} | {gap} | {share} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one generated cluster and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--gangs", type=int, default=300)
    parser.add_argument("--queues", type=int, default=12)
    parser.add_argument("--new-gangs", type=int, default=NEW_GANGS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=150.0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    spec = ClusterSpec(
        nodes=options.nodes, gangs=options.gangs, queues=options.queues, seed=options.seed
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        write(generate(spec), path)
        rows = list(
            measure(
                path,
                new_gangs=options.new_gangs,
                time_limit_s=options.time_limit,
                workers=options.workers,
            )
        )
    for line in table(rows):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
