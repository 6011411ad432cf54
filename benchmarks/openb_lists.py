"""Lists of the openb trace: the original ones, and arrivals up to 130 % of the GPUs, as its publishers draw them."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from pathlib import Path

INFLATION_PERCENT = 130
WHOLE = 1000
"""Thousandths of a GPU."""
Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Machine:
    """A node: milli-CPU, MiB, GPUs, model."""

    cpu_milli: int
    memory_mib: int
    gpus: int
    model: str


@dataclass(frozen=True, slots=True)
class Task:
    """A pod: milli-CPU, MiB, whole GPUs or one share in thousandths, models it may use (none = any)."""

    cpu_milli: int
    memory_mib: int
    gpus: int
    milli: int
    models: frozenset[str] = frozenset()

    @property
    def gpu_milli(self) -> int:
        """Thousandths of GPUs in all."""
        return self.gpus * self.milli


def read_rows(path: Path) -> list[Row]:
    """Rows of a list."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def machine(row: Row) -> Machine:
    """A node of a row."""
    amounts = (int(row[name]) for name in ("cpu_milli", "memory_mib", "gpu"))
    return Machine(*amounts, row["model"])


def task(row: Row) -> Task:
    """A pod of a row."""
    amounts = (int(row[name]) for name in ("cpu_milli", "memory_mib", "num_gpu", "gpu_milli"))
    return Task(*amounts, frozenset(filter(None, row.get("gpu_spec", "").split("|"))))


def arrivals(rows: list[Row], capacity_milli: int, seed: int) -> list[Row]:
    """The list in random order, with draws from it added (or pods removed) up to 130 % of the GPUs."""
    rng = random.Random(seed)
    order = list(range(len(rows)))
    rng.shuffle(order)
    sizes = [int(row["num_gpu"]) * int(row["gpu_milli"]) for row in rows]
    demand, most = sum(sizes), capacity_milli * INFLATION_PERCENT // 100
    while demand < most:
        drawn = rng.randrange(len(rows))
        if demand + sizes[drawn] > most:
            break
        order.append(drawn)
        demand += sizes[drawn]
    while demand > most:
        place = rng.randrange(len(order))
        demand -= sizes[order.pop(place)]
    return [rows[index] for index in order]


def write_rows(rows: list[Row], path: Path) -> None:
    """A list with names of its own: a drawn pod may come several times."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "name": f"openb-pod-{n:05}"} for n, row in enumerate(rows))
