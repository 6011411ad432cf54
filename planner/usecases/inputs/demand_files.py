"""Reading demand files, CSV or Parquet, into one series per service."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from models.demand import DemandSamples, in_order
from models.findings import Finding, InputError, UsageError
from models.readers.demand_csv import read_demand_csv
from models.readers.demand_rows import input_error
from models.readers.input_files import InputFile, MemoryFile, list_input_files
from models.readers.problems import BadFile
from planner.samples import named_sample, sample_demand
from planner.usecases.inputs.demand_parquet import PARQUET_MAGIC, read_demand_parquet


def read_demand(
    paths: Sequence[str | Path | MemoryFile], *, stdin: BinaryIO | None = None
) -> tuple[DemandSamples, ...]:
    """All services of all files by name; folders are read file by file, formats are detected by content.

    ``sample:NAME`` is the demand of a sample, unless a file has this name.

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
    if not files:
        raise input_error(
            ", ".join(str(path) for path in paths) or "demand",
            "demand_empty",
            "holds no file",
            "name a CSV or Parquet file with columns time, service, gpus",
        )
    found: dict[str, DemandSamples] = {}
    for file in files:
        for one in _read(file, stdin):
            known = found.get(one.service)
            if known is not None:
                raise _twice(one, known)
            found[one.service] = one
    return in_order(found.values())


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
