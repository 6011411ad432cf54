"""Reading demand files, CSV or Parquet, into one series per service."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from models.demand import ANY_SERVICE, DemandSamples, in_order
from models.findings import Finding, InputError, UsageError
from models.policy import Policy
from models.prometheus import PrometheusQuery
from models.readers.demand_csv import read_demand_csv
from models.readers.demand_rows import input_error
from models.readers.input_files import InputFile, MemoryFile, list_input_files
from models.readers.problems import BadFile
from planner.samples import named_sample, sample_demand
from planner.usecases.inputs.demand_parquet import PARQUET_MAGIC, read_demand_parquet
from planner.usecases.inputs.demand_prometheus import prometheus_demand, query_of_file

_QUERY = re.compile(rb"^prometheus[ \t]*:", re.MULTILINE)
_QUERY_BYTES = 4096


def read_demand(
    paths: Sequence[str | Path | MemoryFile],
    *,
    stdin: BinaryIO | None = None,
    queries: Sequence[PrometheusQuery] = (),
) -> tuple[DemandSamples, ...]:
    """All services of all files and queries by name; folders are read file by file, formats are detected by content.

    ``sample:NAME`` is the demand of a sample, unless a file has this name. A YAML file with the key ``prometheus``
    stands for the answer to its query.

    Raises
    ------
    UsageError
        There is no such sample, or it has no demand.
    InputError
        A file cannot be read or used, or two files tell of the same service.
    """
    files, faults = list_input_files([demand_path(path) for path in paths])
    if faults:
        findings = [error.finding(name) for name, error in faults]
        raise InputError(f"{findings[0].object}: {findings[0].message}", findings)
    if paths and not files:
        raise input_error(
            ", ".join(str(path) for path in paths) or "demand",
            "demand_empty",
            "holds no file",
            "name a CSV or Parquet file with columns time, service, gpus",
        )
    found: dict[str, DemandSamples] = {}

    def add(samples: Iterable[DemandSamples]) -> None:
        for one in samples:
            known = found.get(one.service)
            if known is not None:
                raise _twice(one, known)
            found[one.service] = one

    for file in files:
        add(_read(file, stdin))
    for query in queries:
        add(prometheus_demand(query))
    return in_order(found.values())


def with_services(samples: Sequence[DemandSamples], policy: Policy) -> tuple[DemandSamples, ...]:
    """The demand, with that of the policy's services that have a query and of which nothing is known yet.

    Raises
    ------
    InputError, UsageError
        As :func:`planner.usecases.inputs.demand_prometheus.prometheus_demand`.
    """
    told = {one.service for one in samples}
    if ANY_SERVICE in told:
        return tuple(samples)
    asked = [
        prometheus_demand(one.prometheus, service=one.name)
        for one in policy.services
        if one.prometheus is not None and not told & {one.name, one.demand_column}
    ]
    return in_order([*samples, *(series for answer in asked for series in answer)])


def demand_path(path: str | Path | MemoryFile) -> str | Path | MemoryFile:
    """The file behind ``sample:NAME``; everything else stays as it is.

    Raises
    ------
    UsageError
        There is no such sample, or it has no demand.
    """
    name = named_sample(path) if isinstance(path, str) else ""
    if not name:
        return path
    found = sample_demand(name)
    if found is None:
        raise UsageError(f"the sample {name!r} has no demand; leave --demand away")
    return found


def _read(file: InputFile, stdin: BinaryIO | None) -> tuple[DemandSamples, ...]:
    try:
        with file.open(stdin) as stream:
            if file.path is None and not isinstance(file, MemoryFile):
                return read_demand_csv(stream, file.name)
            start = stream.read(len(PARQUET_MAGIC))
            stream.seek(0)
            if start == PARQUET_MAGIC:
                return read_demand_parquet(stream, file.name)
            if file.path is not None and _QUERY.search(stream.read(_QUERY_BYTES)):
                query = query_of_file(file.path, file.name)
                return prometheus_demand(query.beside(file.path.parent))
            stream.seek(0)
            return read_demand_csv(stream, file.name)
    except BadFile as error:
        raise InputError(f"{file.name}: {error}", (error.finding(file.name),)) from None


def _twice(one: DemandSamples, known: DemandSamples) -> InputError:
    name = f"service {one.service}" if one.service else "demand without a service"
    what = f"{name} is in {known.source} as well"
    finding = Finding(
        "demand_twice", "error", one.source, what, "give one file per service, or one file for all"
    )
    return InputError(f"{one.source}: {what}", (finding,))
