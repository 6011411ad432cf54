"""Demand files that a browser sent; parsed from memory by the readers of the command line, never written anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from models.findings import Finding, InputError
from models.readers.input_files import memory_file
from planner.samples import sample_demand
from planner.usecases.inputs.demand_files import read_demand
from planner.usecases.jobs.night_jobs import DemandInput, demand_input

MIB = 1 << 20


def demand_of_uploads(files: Sequence[tuple[str, bytes]], *, limit_bytes: int) -> DemandInput:
    """Demand of some files, CSV or Parquet.

    Raises
    ------
    InputError
        Together larger than ``limit_bytes``, or something cannot be read or used.
    """
    total = sum(len(data) for _, data in files)
    names = ", ".join(Path(name).name for name, _ in files)
    if total > limit_bytes:
        message = (
            f"the upload has {total / MIB:,.1f} MiB; this server takes at most "
            f"{limit_bytes / MIB:,.0f} MiB"
        )
        remedy = (
            "keep the last eight weeks in steps of five minutes or more (older and finer values do not count), "
            "pack the file with gzip, or start the server with a higher --max-upload"
        )
        raise InputError(message, [Finding("upload_too_large", "error", names, message, remedy)])
    samples = read_demand([memory_file(name, data) for name, data in files])
    return demand_input(names, samples)


def demand_of_files(paths: Sequence[str]) -> DemandInput:
    """Demand of files that the server was started with; errors as :func:`read_demand`."""
    return demand_input(", ".join(Path(path).name for path in paths), read_demand(paths))


def demand_of_sample(name: str) -> DemandInput | None:
    """The demand file that belongs to a sample, None where there is none."""
    found = sample_demand(name)
    return None if found is None else demand_input(found.name, read_demand([found]))
