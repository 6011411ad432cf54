"""How the cost of every stage grows: ``python benchmarks/growth.py [--axis nodes] [--write]``.

Four sizes along each of nodes, gangs, queues and node classes, the other three fixed. A stage's CPU seconds (of one
process, one solver worker), summed over clusters of several seeds because the seconds of a search depend on luck, are
fitted by a power of the size; n log n is a power of about 1.1 to 1.2 at these sizes.
"""

from __future__ import annotations

import argparse
import io
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generate import generate, write
from benchmarks.growth_chart import Points, growth_chart
from benchmarks.growth_classes import cluster_of_kinds
from benchmarks.spec import ClusterSpec
from models.checks.wording import counted

ROOT = Path(__file__).resolve().parents[1]
BASE = ClusterSpec(nodes=1000, gangs=300, queues=12, seed=3)
SIZES: Mapping[str, Sequence[int]] = {
    "nodes": (500, 1000, 2000, 4000),
    "gangs": (150, 300, 600, 1200),
    "queues": (6, 12, 24, 48),
    "classes": (40, 100, 250, 1000),
}
"""Along ``classes`` so many nodes, each copied until there are as many as ever; the size is the node classes that the
plan counts."""
SEEDS = 3
LEAST_S = 0.05
"""Stages below this at the largest size are not judged: a clock tick is as large as what they do."""
MOST_SLOPE = 1.3
"""n log n from 500 to 4,000 has 1.15; the rest is noise of a short run."""
STAGES = ("read", "prepare", "solve", "explain", "baseline", "verify", "report")


def write_varied(axis: str, size: int, path: Path, seed: int = 3) -> None:
    """Write the cluster of one size along an axis."""
    spec = replace(BASE, seed=seed)
    if axis == "classes":
        write(cluster_of_kinds(spec, size), path)
    else:
        write(generate(replace(spec, **{axis: size})), path)


def stage_seconds(path: Path) -> tuple[dict[str, float], int]:
    """CPU seconds per stage of one plan with its report, and node classes."""
    from planner.problem.limits import Limits
    from planner.problem.progress import Progress
    from planner.report.formats import render
    from planner.usecases.inputs.checked_input import read_checked
    from planner.usecases.planning import make_plan

    found: dict[str, float] = {}
    now, since = "read", time.process_time()

    def begin(stage: str) -> None:
        nonlocal now, since
        moment = time.process_time()
        found[now] = found.get(now, 0.0) + moment - since
        now, since = stage, moment

    def sink(progress: Progress) -> None:
        if progress.stage != now:
            begin(progress.stage)

    given = read_checked([path])
    begin("prepare")
    limits = Limits(time_limit_s=600, gap=0.001, seed=1, workers=1)
    plan = make_plan(given.snapshot, given.policy, limits, on_progress=sink, guard=False)
    begin("report")
    render(plan, "html", stream=io.StringIO())
    begin("")
    return found, plan.snapshot.node_classes


def slope(points: Points) -> float:
    """Power of the size that fits the seconds best (least squares of the logarithms)."""
    xs = [math.log(size) for size, _ in points]
    ys = [math.log(max(seconds, 1e-4)) for _, seconds in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((one - x) ** 2 for one in xs)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / max(spread, 1e-9)


def measured(axis: str, seeds: int = SEEDS) -> dict[str, list[tuple[int, float]]]:
    """Stage to (size, CPU seconds of all seeds together) along an axis."""
    lines: dict[str, list[tuple[int, float]]] = {stage: [] for stage in STAGES}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES[axis]:
            seconds, classes = dict.fromkeys(STAGES, 0.0), 0
            for seed in range(seeds):
                path = Path(folder) / "cluster.json"
                write_varied(axis, size, path, BASE.seed + seed)
                taken, counted = stage_seconds(path)
                classes += counted
                seconds = {stage: seconds[stage] + taken.get(stage, 0.0) for stage in STAGES}
            shown = round(classes / seeds) if axis == "classes" else size
            for stage in STAGES:
                lines[stage].append((shown, seconds[stage]))
            told = ", ".join(f"{stage} {spent:.2f}" for stage, spent in seconds.items())
            print(f"{axis} {shown:,}: CPU seconds {told}", file=sys.stderr)
    return lines


def table(panels: Mapping[str, Mapping[str, Points]]) -> Iterator[str]:
    """Markdown: slope per stage and axis, with seconds at the largest size."""
    yield "| stage | " + " | ".join(f"by {axis}" for axis in panels) + " |"
    yield "|---|" + "---:|" * len(panels)
    for stage in STAGES:
        cells = []
        for lines in panels.values():
            points = lines[stage]
            mark = " (!)" if too_steep(points) else ""
            cells.append(f"{slope(points):.2f}{mark} ({points[-1][1]:.2f} s)")
        yield f"| {stage} | " + " | ".join(cells) + " |"


def too_steep(points: Points) -> bool:
    """Whether a stage that takes a time worth speaking of grows faster than n log n."""
    return points[-1][1] >= LEAST_S and slope(points) > MOST_SLOPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Print Markdown; 1 where a stage grows faster than n log n."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--axis", action="append", choices=SIZES, help="all where none is named")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="clusters of each size")
    parser.add_argument("--write", action="store_true", help="keep it in docs/benchmarks-growth.md")
    options = parser.parse_args(arguments)
    panels = {axis: measured(axis, options.seeds) for axis in options.axis or SIZES}
    lines = list(table(panels))
    print("\n".join(lines))
    if options.write:
        (ROOT / "docs" / "images" / "growth.svg").write_text(growth_chart(panels), "utf-8")
        (ROOT / "docs" / "benchmarks-growth.md").write_text(_page(lines, options.seeds), "utf-8")
    return int(any(too_steep(points) for stages in panels.values() for points in stages.values()))


def _page(lines: Sequence[str], seeds: int) -> str:
    varied = "; ".join(f"{axis} {', '.join(f'{one:,}' for one in SIZES[axis])}" for axis in SIZES)
    return "\n".join(
        [
            "# How the cost grows",
            "",
            "Made by `python benchmarks/growth.py --write`: "
            f"{BASE.nodes:,} nodes, {BASE.gangs:,} gangs, {BASE.queues} queues, and four sizes of one of them "
            f"({varied}).",
            f"Along classes so many different nodes are copied until there are {BASE.nodes:,}; the size is the node "
            "classes that the plan counts.",
            "",
            "Each cell is the power of the size that fits the CPU seconds of a stage "
            f"({counted(seeds, 'cluster')} of each size together), with these seconds at the largest size;",
            f"(!) marks what grows faster than n log n (a power above {MOST_SLOPE}, from {LEAST_S} s on).",
            "",
            *lines,
            "",
            "![CPU seconds per stage against nodes, gangs, queues and classes](images/growth.svg)",
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
