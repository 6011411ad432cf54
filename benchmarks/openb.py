"""Place as much of the openb trace as possible, beside published schedulers.

Usage: ``python benchmarks/openb.py [FOLDER] [--lists default gpuspec33 …] [--modes A B C D] [--seeds 42]
[--batch 64] [--time-limit 45] [--write]``. FOLDER holds the node list and the pod lists (default
``../shared/data/openb``). Every placement is checked by code that is not the planner's (``openb_check.py``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.openb_check import Placement, Result, check
from benchmarks.openb_lists import (
    INFLATION_PERCENT,
    Row,
    Task,
    arrivals,
    machine,
    read_rows,
    task,
    write_rows,
)
from benchmarks.openb_online import run_online
from models.effective import resolve_policy
from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.service.inputs import read_inputs
from planner.service.planning import make_plan

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT.parent / "shared" / "data" / "openb"
TARGET = ROOT / "docs" / "benchmarks-openb.md"
NODES = "openb_node_list_gpu_node.csv"
MARKS = (95, 98, 100)
COLUMNS = (
    "mode",
    "list",
    "seed",
    "placed, % of GPUs",
    "bound, %",
    "FGD at 130 %, %",
    "of the way from FGD to the bound",
    "pods",
    "nodes without GPU pods",
    "wall s",
    "CPU s",
    "valid",
)
MODES = {
    "A": "online, batches of {batch}: knows the mix of the list and the 130 %, not the arrivals",
    "B": "offline at 130 %: knows the whole list of arrivals",
    "C": "original list, no inflation: knows the whole list",
    "D": "consolidation: the original list, GPU nodes left without GPU pods",
}


@dataclass(frozen=True)
class Run:
    """One run: GPU share placed and proved bound in thousandths of the cluster's GPUs times 100 %."""

    mode: str
    list_name: str
    seed: int | None
    result: Result
    bound: int | None
    seconds: float
    cpu_s: float
    marks: dict[int, float] = field(default_factory=dict)


class Trace:
    """The folder's cluster and lists."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.node_rows = read_rows(folder / NODES)
        self.machines = [machine(row) for row in self.node_rows]
        self.number = {row["sn"]: i for i, row in enumerate(self.node_rows)}
        self.capacity = 1000 * sum(one.gpus for one in self.machines)

    def rows(self, name: str) -> list[Row]:
        """Rows of a pod list."""
        return read_rows(self.folder / f"openb_pod_list_{name}.csv")

    def plan(self, rows: list[Row], limits: Limits) -> PlanResult:
        """The product's plan of a list, with no policy."""
        with tempfile.TemporaryDirectory() as folder:
            write_rows(rows, Path(folder) / "pods.csv")
            snapshot = read_inputs([self.folder / NODES, Path(folder) / "pods.csv"])
        return make_plan(snapshot, resolve_policy(snapshot, None, {}), limits)

    def placements(self, plan: PlanResult) -> list[Placement]:
        """Pods of the plan by number."""
        return [
            Placement(int(name.rpartition("-")[2]), self.number[part.node or ""], cards)
            for gang in plan.gangs
            for part in gang.pods
            if part.action == "place"
            for name, cards in zip(part.names, part.cards or ((),) * len(part.names), strict=True)
        ]


def planned(trace: Trace, mode: str, name: str, rows: list[Row], limits: Limits) -> Run:
    """Modes B, C and D: one plan of the whole list."""
    began, cpu = time.perf_counter(), time.process_time()
    plan = trace.plan(rows, limits)
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    result = check(trace.machines, [task(row) for row in rows], trace.placements(plan))
    tier = next(one for one in plan.certificate.tiers if one.name.endswith(".gpus"))
    return Run(mode, name, None, result, tier.bound, seconds, used)


def expected_rows(rows: list[Row], capacity: int) -> list[Row]:
    """The list in its own proportions at 130 % of the GPUs: what mode A prepares for."""
    kinds: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        key = tuple(v for k, v in row.items() if k in ("cpu_milli", "memory_mib", "num_gpu"))
        kinds.setdefault((*key, row["gpu_milli"], row.get("gpu_spec", "")), []).append(row)
    demand = sum(task(row).gpu_milli for row in rows)
    found: list[Row] = []
    for same in kinds.values():
        wanted = round(len(same) * capacity * INFLATION_PERCENT / 100 / demand)
        found += [same[0]] * wanted
    return found


def online(trace: Trace, name: str, seed: int, batch: int, limits: Limits) -> Run:
    """Mode A: patterns of the expected work first, then the arrivals in batches."""
    rows = trace.rows(name)
    prepared = expected_rows(rows, trace.capacity)
    tasks = [task(row) for row in prepared]
    slots: dict[int, list[tuple[Task, tuple[int, ...]]]] = {}
    for one in trace.placements(trace.plan(prepared, limits)):
        slots.setdefault(one.node, []).append((tasks[one.task], one.cards))
    expected = Counter(Task(t.cpu_milli, t.memory_mib, t.gpus, t.milli) for t in tasks)
    coming = [task(row) for row in arrivals(rows, trace.capacity, seed)]
    arrived = [0]
    for one in coming:
        arrived.append(arrived[-1] + one.gpu_milli)
    marks: dict[int, float] = {}

    def seen(number: int, placed: list[Placement]) -> None:
        share = 100 * arrived[number] / trace.capacity
        for mark in MARKS:
            if mark not in marks and share >= mark:
                gpus = sum(coming[p.task].gpu_milli for p in placed)
                marks[mark] = 100 * gpus / trace.capacity

    began, cpu = time.perf_counter(), time.process_time()
    placed = run_online(trace.machines, coming, slots, expected, batch, seen)
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    result = check(trace.machines, coming, placed)
    return Run("A", name, seed, result, None, seconds, used, marks)


def published(folder: Path) -> dict[str, float]:
    """FGD's GPU share at 130 % per list, where the folder holds the published summary."""
    path = folder / "fgd_published_summary.csv"
    rows = read_rows(path) if path.exists() else []
    return {r["workload"]: float(r["alloc_pct_at_130"]) for r in rows if r["policy"] == "FGD"}


def table(trace: Trace, found: Sequence[Run], batch: int) -> str:
    """Markdown: one row per run."""
    fgd = published(trace.folder)
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
    ]
    for one in found:
        share = 100 * one.result.gpu_milli / trace.capacity
        bound = None if one.bound is None else 100 * one.bound / trace.capacity
        base = fgd.get(one.list_name) if one.mode in "AB" else None
        way = None if base is None or bound is None else 100 * (share - base) / (bound - base)
        cells = [
            one.mode,
            one.list_name,
            "–" if one.seed is None else str(one.seed),
            f"{share:.2f}",
            "–" if bound is None else f"{bound:.2f}",
            "–" if base is None else f"{base:.2f}",
            "–" if way is None else f"{way:.0f} %",
            f"{one.result.pods:,}",
            f"{one.result.nodes_without_gpu_pods:,}",
            f"{one.seconds:.0f}",
            f"{one.cpu_s:.0f}",
            "yes" if not one.result.faults else f"no: {one.result.faults[0]}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- {mode}: {words.format(batch=batch)}." for mode, words in MODES.items())]
    for one in found:
        if one.marks:
            told = ", ".join(f"{v:.2f} at {k} %" for k, v in sorted(one.marks.items()))
            lines.append(f"- A, {one.list_name}, seed {one.seed}: {told} of arrivals.")
    return "\n".join(lines)


def run(options: argparse.Namespace) -> list[Run]:
    """All runs that were asked for; each is told on stderr."""
    trace = Trace(options.folder)
    limits = Limits(time_limit_s=options.time_limit, seed=0, workers=options.workers)
    found: list[Run] = []
    for name in options.lists:
        for mode in options.modes:
            for seed in options.seeds if mode in "AB" else [0]:
                if mode == "A":
                    one = online(trace, name, seed, options.batch, limits)
                elif mode == "B":
                    rows = arrivals(trace.rows(name), trace.capacity, seed)
                    one = planned(trace, mode, name, rows, limits)
                    one = Run(mode, name, seed, one.result, one.bound, one.seconds, one.cpu_s)
                else:
                    one = planned(trace, mode, name, trace.rows(name), limits)
                found.append(one)
                share = 100 * one.result.gpu_milli / trace.capacity
                sys.stderr.write(f"{mode} {name} {seed}: {share:.2f} % in {one.seconds:.0f} s\n")
    return found


def main() -> int:
    """Print the table; 1 where a placement is not valid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    lists = ["default", "gpuspec33", "gpushare60", "multigpu50"]
    parser.add_argument("--lists", nargs="+", default=lists)
    parser.add_argument("--modes", nargs="+", choices=sorted(MODES), default=sorted(MODES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[42])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--time-limit", type=float, default=45.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = run(options)
    text = table(Trace(options.folder), found, options.batch)
    sys.stdout.write(text + "\n")
    if options.write:
        TARGET.write_text(f"# openb against published schedulers\n\n{text}\n", encoding="utf-8")
    return 1 if any(one.result.faults for one in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
