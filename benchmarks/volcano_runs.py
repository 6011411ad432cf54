"""How many gangs the baseline starts that Volcano's own scheduler started, on recorded runs of it.

``python -m benchmarks.volcano_runs RUNS [NAME…]``: ``RUNS`` is the folder with ``generated.json`` and
``configs/``; the generator of the clusters lies in ``../../tools`` of it.
"""

from __future__ import annotations

import json
import re
import runpy
import sys
import time
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from models.effective import resolve_policy
from models.readers import read_snapshot
from models.snapshot import Snapshot
from planner.simulate.baseline import scheduler_run

_NAME = re.compile(r"n(\d+)-g(\d+)-s(\d+)-(none|prop)\.(.+)")
_CONFIG_MAP = "volcano-scheduler-configmap"


@dataclass(frozen=True)
class Likeness:
    """One run compared: gangs that the scheduler started, those of them that the baseline starts, and others."""

    name: str
    real: int
    both: int
    others: int
    seconds: float

    @property
    def close(self) -> bool:
        """At least 98 % of the gangs, and no more than 2 % others."""
        return 100 * self.both >= 98 * self.real and 100 * self.others <= 2 * self.real


def runs_without_evictions(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Recorded runs in which nothing is evicted, by name."""
    recorded = json.loads((folder / "generated.json").read_text(encoding="utf-8"))
    return {name: run for name, run in recorded.items() if _NAME.fullmatch(name)}


def cluster_of(folder: Path, name: str) -> Snapshot:
    """The cluster of a run, with the configuration of its scheduler in the export."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"{name}: not the name of a run without evictions")
    nodes, gangs, seed = (int(found[part]) for part in (1, 2, 3))
    tool = runpy.run_path(str(folder.parent.parent / "tools" / "gen_snapshot.py"))
    export = tool["generate"](
        Namespace(
            nodes=nodes,
            gangs=gangs,
            queues=12,
            seed=seed,
            busy=0.6,
            leaf=32,
            spine=8,
            model="capacity",
            flat=True,
        )
    )
    config = (folder / "configs" / f"{found[5]}.conf").read_text(encoding="utf-8")
    export["items"].append(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": _CONFIG_MAP, "namespace": "volcano-system"},
            "data": {"volcano-scheduler.conf": config},
        }
    )
    with TemporaryDirectory() as place:
        path = Path(place) / "cluster.json"
        path.write_text(json.dumps(export), encoding="utf-8")
        return read_snapshot([path])


def likeness(folder: Path, name: str, run: Mapping[str, Any]) -> Likeness:
    """Plan the cluster of a run as the baseline does, and compare."""
    snapshot = cluster_of(folder, name)
    started = time.process_time()
    found = set(scheduler_run(snapshot, resolve_policy(snapshot)).started)
    seconds = time.process_time() - started
    real = {gang for gang, (bound, _, _) in run["gangs"].items() if bound}
    return Likeness(name, len(real), len(real & found), len(found - real), seconds)


def main() -> None:
    """Print one row per run."""
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    print(f"{'run':40} {'Volcano':>8} {'both':>6} {'others':>7} {'seconds':>8}")
    for name, run in runs_without_evictions(folder).items():
        if not names or name in names:
            one = likeness(folder, name, run)
            print(
                f"{name:40} {one.real:8,} {one.both:6,} {one.others:7,} {one.seconds:8.2f}"
                f"  {100 * one.both / max(one.real, 1):.1f} %{'' if one.close else '  too far'}"
            )


if __name__ == "__main__":
    main()
