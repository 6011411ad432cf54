"""Series of online demand for the loan benchmark: traces of several shapes, and our own demand files.

Detected by their columns:

- ``time,service,gpus`` or ``time`` and one column per service: demand in GPUs;
- ``app,hour,replicas``: one GPU per replica; the sum, and every service on its own;
- a column of time (``bucket_s`` or ``bucket_start``) and measurements: each measurement that is named in
  :data:`MEASURED` is a series of its own, scaled so that its peak is a given share of the pool.
"""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from models.demand import DemandSamples
from models.readers.demand_csv import read_demand_csv
from planner.demand.history import DemandHistory, regular_history

MEASURED = ("busy_gpu_equiv", "qps_sum_mean", "requests", "mean_concurrency")
TIMES = ("bucket_s", "bucket_start")
HOUR = 3600


@dataclass(frozen=True)
class LoanSeries:
    """Demand of one pool of ``owned`` GPUs on a regular grid."""

    name: str
    history: DemandHistory
    owned: int
    part: bool = False
    """One service of several in its file, told in a summary line only."""


def is_series(path: Path) -> bool:
    """Whether a file has a column of time; tables about services have none."""
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    header = data.decode("utf-8-sig").partition("\n")[0].strip().split(",")
    return bool({"time", "hour", *TIMES} & set(header))


def load_series(path: Path, *, pool: int, peak: float) -> list[LoanSeries]:
    """All series of a file.

    Parameters
    ----------
    pool
        GPUs of the pool for measurements that are no GPUs.
    peak
        Share of the pool that the highest demand takes.
    """
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    rows = list(csv.DictReader(data.decode("utf-8-sig").splitlines()))
    header = list(rows[0]) if rows else []
    stem = path.name.split(".")[0].removesuffix("_visible")
    if {"app", "hour", "replicas"} <= set(header):
        return list(_replicas(stem, rows, peak))
    time = next((name for name in TIMES if name in header), None)
    if time is not None:
        return [
            _measured(f"{stem}: {name}", rows, time, name, pool, peak)
            for name in MEASURED
            if name in header
        ]
    samples = read_demand_csv(BytesIO(data), path.name)
    return [_of(f"{stem}: {one.service}", one, peak) for one in samples]


def _replicas(stem: str, rows: Sequence[Mapping[str, str]], peak: float) -> Iterator[LoanSeries]:
    total: dict[int, int] = {}
    apps: dict[str, dict[int, int]] = {}
    for row in rows:
        second, count = HOUR * int(row["hour"]), int(row["replicas"])
        total[second] = total.get(second, 0) + count
        apps.setdefault(row["app"], {})[second] = count
    yield _of(f"{stem}: all", _samples("all", total), peak)
    for app, values in apps.items():
        if max(values.values()):
            one = _of(f"{stem}: {app}", _samples(app, values), peak)
            yield LoanSeries(one.name, one.history, one.owned, part=True)


def _measured(
    name: str, rows: Sequence[Mapping[str, str]], time: str, column: str, pool: int, peak: float
) -> LoanSeries:
    values = {_second(row[time]): float(row[column]) for row in rows if row[column]}
    most = max(values.values())
    scaled = {
        second: math.ceil(value / most * pool * peak - 1e-9) for second, value in values.items()
    }
    return LoanSeries(name, regular_history(_samples(name, scaled)), pool)


def _of(name: str, samples: DemandSamples, peak: float) -> LoanSeries:
    return LoanSeries(name, regular_history(samples), math.ceil(samples.most / peak))


def _samples(name: str, values: Mapping[int, int]) -> DemandSamples:
    seconds = sorted(values)
    return DemandSamples(name, tuple(seconds), tuple(values[one] for one in seconds))


def _second(text: str) -> int:
    if text.isdigit():
        return int(text)
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
