"""Lists in the shape of every published kind of openb list, drawn anew from the default list.

Usage: ``python benchmarks/openb_made.py TARGET [--folder FOLDER] [--seeds 1 2] [--kinds cpu250 …]``; afterwards
``python benchmarks/openb.py TARGET``. The publishers sampled theirs from the default list and tell what a name stands
for by the lists themselves: the number is the percentage of all pods that need no GPU (cpu, in thousandths), of the
GPUs asked for that shares ask for (gpushare) or pods of several GPUs (multigpu, added to the default list), and of the
GPU pods that name models (gpuspec). ``fine`` moves every share by up to 40 thousandths, so that shares have hundreds
of sizes; ``cpux`` and ``memx`` ask for so many percent of CPU or memory.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.openb_lists import WHOLE, Row, read_rows, task, write_rows

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "openb"
NODES = "openb_node_list_gpu_node.csv"
LISTS = "openb_pod_list_"
KINDS = (
    *(f"cpu{n:03}" for n in (50, 100, 200, 250)),
    *(f"gpushare{n}" for n in (20, 40, 60, 80, 100)),
    *(f"gpuspec{n:02}" for n in (5, 10, 20, 25, 33)),
    *(f"multigpu{n}" for n in (20, 30, 40, 50)),
)
FINE = 40
"""Thousandths of a GPU by which a share is moved at most."""
COLUMNS = ("cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec")


class Maker:
    """Draws from the pods of the default list, with replacement.

    Parameters
    ----------
    folder
        Holds the default list, and ``gpuspec33``, whose models are drawn.
    seed
        Of all draws.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._rng = random.Random(seed)
        self._rows = [_plain(row) for row in read_rows(folder / f"{LISTS}default.csv")]
        special = read_rows(folder / f"{LISTS}gpuspec33.csv")
        self._models = [_plain(row) for row in special if row["gpu_spec"]]
        self._none = [row for row in self._rows if not task(row).gpus]
        self._shares = [row for row in self._rows if task(row).gpus and task(row).milli < WHOLE]
        self._several = [row for row in self._rows if task(row).gpus > 1]
        self._whole = [row for row in self._rows if task(row).gpus and task(row).milli == WHOLE]

    def make(self, kind: str) -> list[Row]:
        """Rows of a kind: a word and a number, several of them joined by ``-``; ``ValueError`` for another word."""
        rows = list(self._rows)
        makers: dict[str, Callable[[list[Row], int], list[Row]]] = {
            "cpu": self._cpu,
            "gpushare": self._gpushare,
            "gpuspec": self._gpuspec,
            "multigpu": self._multigpu,
            "fine": self._fine,
            "cpux": lambda rows, n: self._times("cpu_milli", rows, n),
            "memx": lambda rows, n: self._times("memory_mib", rows, n),
        }
        for part in kind.split("-"):
            word = part.rstrip("0123456789")
            if word not in makers or word == part:
                raise ValueError(f"{part}: not one of {', '.join(makers)} with a number")
            rows = makers[word](rows, int(part[len(word) :]))
        self._rng.shuffle(rows)
        return rows

    def _cpu(self, rows: list[Row], thousandths: int) -> list[Row]:
        gpu = [row for row in rows if task(row).gpus]
        number = round(len(gpu) * thousandths / (WHOLE - thousandths))
        return gpu + self._rng.choices(self._none, k=number)

    def _gpushare(self, rows: list[Row], percent: int) -> list[Row]:
        """As many GPU pods as before, so mixed that shares ask for this part of the GPUs."""
        number = sum(task(row).gpus > 0 for row in rows)
        share = sum(task(row).gpu_milli for row in self._shares) / len(self._shares)
        whole = sum(task(row).gpu_milli for row in self._whole) / len(self._whole)
        part = percent / 100
        pods = round(number * part * whole / (part * whole + (1 - part) * share))
        return [
            *(row for row in rows if not task(row).gpus),
            *self._rng.choices(self._shares, k=pods),
            *self._rng.choices(self._whole, k=number - pods),
        ]

    def _multigpu(self, rows: list[Row], percent: int) -> list[Row]:
        found = list(rows)
        all_gpus = sum(task(row).gpu_milli for row in rows)
        several = sum(task(row).gpu_milli for row in rows if task(row).gpus > 1)
        while 100 * several < percent * all_gpus:
            found.append(self._rng.choice(self._several))
            all_gpus += task(found[-1]).gpu_milli
            several += task(found[-1]).gpu_milli
        return found

    def _gpuspec(self, rows: list[Row], percent: int) -> list[Row]:
        """Models of a pod that asks for as many GPUs, so that a node of the model can hold it."""
        models: dict[int, list[str]] = {}
        for row in self._models:
            models.setdefault(task(row).gpus, []).append(row["gpu_spec"])
        return [
            {**row, "gpu_spec": self._rng.choice(models[task(row).gpus])}
            if task(row).gpus in models and self._rng.random() * 100 < percent
            else row
            for row in rows
        ]

    def _fine(self, rows: list[Row], step: int) -> list[Row]:
        """Shares in steps of so many thousandths, moved at random."""
        return [self._moved(row, step) if 0 < task(row).milli < WHOLE else row for row in rows]

    def _moved(self, row: Row, step: int) -> Row:
        milli = task(row).milli + step * self._rng.randint(-FINE // step, FINE // step)
        return {**row, "gpu_milli": str(min(max(milli, step), WHOLE - step))}

    def _times(self, column: str, rows: list[Row], percent: int) -> list[Row]:
        return [{**row, column: str(int(row[column]) * percent // 100)} for row in rows]


def _plain(row: Row) -> Row:
    return {"name": "", **{name: row.get(name) or "" for name in COLUMNS}}


def write_lists(folder: Path, target: Path, kinds: list[str], seeds: list[int]) -> None:
    """Every kind with every seed, beside the node list."""
    target.mkdir(parents=True, exist_ok=True)
    for name in (NODES, "fgd_published_summary.csv"):
        shutil.copyfile(folder / name, target / name)
    for kind in kinds:
        for seed in seeds:
            write_rows(Maker(folder, seed).make(kind), target / f"{LISTS}{kind}_s{seed}.csv")


def main() -> int:
    """Write the lists."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("target", type=Path)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS))
    options = parser.parse_args()
    write_lists(options.folder, options.target, options.kinds, options.seeds)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
