"""Place as much of the openb trace as possible, beside published schedulers.

Usage: ``python benchmarks/openb.py [FOLDER] [--lists default gpuspec33 …] [--modes A B C D] [--seeds 42 43 44]
[--batch 64] [--prepare 100 130] [--time-limit 45] [--write]``. FOLDER holds the node list and the pod lists (default
``../shared/data/openb``); without ``--lists`` all of them are placed. Every placement is checked by code that is not
the planner's (``openb_check.py``).
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.openb_check import Placement, check
from benchmarks.openb_lists import Row, arrivals, machine, read_rows, task, write_rows
from benchmarks.openb_node import Slot
from benchmarks.openb_online import run_online
from benchmarks.openb_table import KNOWS, MARKS, Published, Run, tables
from models.effective import resolve_policy
from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.planning import make_plan

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT.parent / "shared" / "data" / "openb"
TARGET = ROOT / "docs" / "benchmarks-openb.md"
NODES = "openb_node_list_gpu_node.csv"
LISTS = "openb_pod_list_"
"""How the files of pod lists begin."""
BEGIN, END = "<!-- measured -->", "<!-- end -->"
"""What stands between these lines of the page is replaced by ``--write``."""


class Clock:
    """Wall and CPU seconds since it was made, child processes (the search) included once they have ended."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), _cpu_s()

    def read(self) -> tuple[float, float]:
        """Wall seconds, CPU seconds."""
        return time.perf_counter() - self._wall, _cpu_s() - self._cpu


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Trace:
    """The folder's cluster and lists."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.node_rows = read_rows(folder / NODES)
        self.machines = [machine(row) for row in self.node_rows]
        self.number = {row["sn"]: i for i, row in enumerate(self.node_rows)}
        self.capacity = 1000 * sum(one.gpus for one in self.machines)

    def lists(self) -> list[str]:
        """Names of all pod lists of the folder."""
        return sorted(path.stem.removeprefix(LISTS) for path in self.folder.glob(f"{LISTS}*.csv"))

    def rows(self, name: str) -> list[Row]:
        """Rows of a pod list."""
        return read_rows(self.folder / f"{LISTS}{name}.csv")

    def plan(self, rows: list[Row], limits: Limits, *, baseline: bool = True) -> PlanResult:
        """The product's plan of a list, with no policy; ``baseline``: with the greedy scheduler beside it."""
        with tempfile.TemporaryDirectory() as folder:
            write_rows(rows, Path(folder) / "pods.csv")
            snapshot = read_inputs([self.folder / NODES, Path(folder) / "pods.csv"])
        return make_plan(snapshot, resolve_policy(snapshot, None, {}), limits, baseline=baseline)

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
    clock = Clock()
    plan = trace.plan(rows, limits)
    seconds, cpu_s = clock.read()
    result = check(trace.machines, [task(row) for row in rows], trace.placements(plan))
    tiers = {one.name.rpartition(".")[2]: one for one in plan.certificate.tiers}
    empty = tiers["packing"]
    return Run(
        mode,
        name,
        None,
        result,
        len(rows),
        tiers["gpus"].bound,
        seconds,
        cpu_s,
        empty_gpus=empty.value,
        empty_bound=empty.bound,
    )


def expected_rows(rows: list[Row], gpu_milli: int) -> list[Row]:
    """The list in its own proportions with so many GPUs in all: what mode A prepares for."""
    kinds: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        key = tuple(v for k, v in row.items() if k in ("cpu_milli", "memory_mib", "num_gpu"))
        kinds.setdefault((*key, row["gpu_milli"], row.get("gpu_spec", "")), []).append(row)
    demand = sum(task(row).gpu_milli for row in rows)
    found: list[Row] = []
    for same in kinds.values():
        found += [same[0]] * round(len(same) * gpu_milli / demand)
    return found


class Prepared:
    """Places for the expected work, and what planning them took."""

    def __init__(self, trace: Trace, name: str, percent: int, limits: Limits) -> None:
        self.percent = percent
        clock = Clock()
        rows = expected_rows(trace.rows(name), trace.capacity * percent // 100)
        tasks = [task(row) for row in rows]
        self.expected = Counter(tasks)
        self.slots: dict[int, list[Slot]] = {}
        for one in trace.placements(trace.plan(rows, limits, baseline=False)):
            self.slots.setdefault(one.node, []).append((tasks[one.task], one.cards))
        self.seconds, self.cpu_s = clock.read()


def online(trace: Trace, name: str, seed: int, prepared: Prepared, batch: int) -> Run:
    """Mode A: the arrivals in batches; seconds include the planning of the places."""
    coming = [task(row) for row in arrivals(trace.rows(name), trace.capacity, seed)]
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

    clock = Clock()
    placed = run_online(trace.machines, coming, prepared.slots, prepared.expected, batch, seen)
    seconds, cpu_s = clock.read()
    return Run(
        "A",
        name,
        seed,
        check(trace.machines, coming, placed),
        len(coming),
        None,
        prepared.seconds + seconds,
        prepared.cpu_s + cpu_s,
        marks,
        prepared.percent,
    )


def published(folder: Path) -> Published:
    """FGD's GPU shares per list and mark, where the folder holds the published summary."""
    path = folder / "fgd_published_summary.csv"
    rows = [row for row in read_rows(path) if row["policy"] == "FGD"] if path.exists() else []
    return {
        row["workload"]: {mark: float(row[f"alloc_pct_at_{mark}"]) for mark in (*MARKS, 130)}
        for row in rows
    }


class Bench:
    """All runs that were asked for; each is told on stderr."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.trace = Trace(options.folder)
        self.limits = Limits(time_limit_s=options.time_limit, seed=0, workers=options.workers)
        self.found: list[Run] = []

    def run(self) -> list[Run]:
        """Mode B before mode A, whose bound it proves; C and D are one plan."""
        for name in self.options.lists or self.trace.lists():
            bounds: dict[int | None, int | None] = {}
            if "B" in self.options.modes:
                for seed in self.options.seeds:
                    rows = arrivals(self.trace.rows(name), self.trace.capacity, seed)
                    one = planned(self.trace, "B", name, rows, self.limits)
                    bounds[seed] = one.bound
                    self._tell(replace(one, seed=seed))
            for percent in self.options.prepare if "A" in self.options.modes else ():
                prepared = Prepared(self.trace, name, percent, self.limits)
                for seed in self.options.seeds:
                    one = online(self.trace, name, seed, prepared, self.options.batch)
                    self._tell(replace(one, bound=bounds.get(seed)))
            if {"C", "D"} & set(self.options.modes):
                one = planned(self.trace, "C", name, self.trace.rows(name), self.limits)
                for mode in sorted({"C", "D"} & set(self.options.modes)):
                    self._tell(replace(one, mode=mode))
        return sorted(self.found, key=lambda one: (one.mode, -(one.prepared or 0)))

    def _tell(self, one: Run) -> None:
        self.found.append(one)
        share = one.share(self.trace.capacity)
        told = f"{one.name} {one.list_name} {one.seed or ''}: {share:.2f} %"
        sys.stderr.write(f"{told} in {one.seconds:.0f} s, {one.cpu_s:.0f} s of CPU\n")


def written(page: str, text: str) -> str:
    """The page with the measured part replaced."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def main() -> int:
    """Print the tables; 1 where a placement is not valid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--lists", nargs="+", help="names; without it all of the folder")
    parser.add_argument("--modes", nargs="+", choices=sorted(KNOWS), default=sorted(KNOWS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[42, 43, 44])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--prepare", nargs="+", type=int, default=[100, 130], metavar="PERCENT")
    parser.add_argument("--time-limit", type=float, default=45.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks-openb.md")
    options = parser.parse_args()
    bench = Bench(options)
    found = bench.run()
    text = tables(found, bench.trace.capacity, published(options.folder), options.batch)
    sys.stdout.write(text + "\n")
    if options.write:
        page = TARGET.read_text(encoding="utf-8")
        TARGET.write_text(written(page, text), encoding="utf-8")
    return 1 if any(one.result.faults for one in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
