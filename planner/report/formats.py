"""The registry of output formats, and the one way to write a result in any of them.

The idea of one class per format in a registry is taken from KRR (robusta-dev/krr, ``formatters``); here each format is
one module of :mod:`planner.report.writers` that is found by itself.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TextIO

from models.findings import UsageError
from models.plan import PlanResult
from planner.report import writers
from planner.report.atomic import atomic_text
from planner.report.tables import Report


@dataclass(frozen=True, slots=True)
class Style:
    """How text is laid out: terminal width in characters, and whether colour may be used."""

    width: int | None = None
    color: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """One output format.

    Attributes
    ----------
    suffix
        Of its files, with the dot.
    write
        Writes a report to a text stream; None for a format of several files.
    write_files
        Writes a report as several files below a folder and returns them.
    """

    name: str
    suffix: str
    write: Callable[[Report, TextIO, Style], None] | None = None
    write_files: Callable[[Report, Path], tuple[Path, ...]] | None = None


@cache
def formats() -> Mapping[str, Format]:
    """All formats by name."""
    found: dict[str, Format] = {}
    for module in pkgutil.iter_modules(writers.__path__):
        loaded = importlib.import_module(f"{writers.__name__}.{module.name}")
        for one in getattr(loaded, "FORMATS", ()):
            found[one.name] = one
    return found


def format_named(name: str) -> Format:
    """The format of this name.

    Raises
    ------
    UsageError
        There is none; the known ones are listed.
    """
    known = formats()
    if name not in known:
        raise UsageError(f"unknown output format {name!r}; known: {', '.join(sorted(known))}")
    return known[name]


def render(
    result: PlanResult,
    fmt: str,
    *,
    out: Path | None = None,
    stream: TextIO | None = None,
    width: int | None = None,
    color: bool = False,
    namespaces: Sequence[str] = (),
    queues: Sequence[str] = (),
    command: str = "",
) -> tuple[Path, ...]:
    """Write a plan in one format; see :func:`write_report` for ``out`` and ``stream``.

    Parameters
    ----------
    namespaces, queues
        Only gangs of these namespaces and queues are listed, in every format. A document that was cut down so says so
        in its field ``filter``; the key figures stay those of the whole plan.
    command
        The command line that made the plan; worked out from the document where it is not given.

    Returns
    -------
    tuple[Path, ...]
        The files written; empty if the stream was used.
    """
    from planner.report.plan_report import plan_report  # pandas stays out of `gangplan --help`

    report = plan_report(result, namespaces=namespaces, queues=queues, command=command)
    return write_report(report, fmt, out=out, stream=stream, width=width, color=color)


def write_report(
    report: Report,
    fmt: str,
    *,
    out: Path | None = None,
    stream: TextIO | None = None,
    width: int | None = None,
    color: bool = False,
) -> tuple[Path, ...]:
    """Write any report in one format.

    ``out`` is a file, or a folder (an existing one, or a path without suffix for formats of several files); without it
    the text goes to ``stream`` (standard output). Files are written atomically.

    Raises
    ------
    UsageError
        Unknown format, a format of several files without ``out``, or a place that cannot be written.
    """
    chosen = format_named(fmt)
    if chosen.write_files is not None:
        return _write_set(report, chosen, out)
    if chosen.write is None:
        raise UsageError(f"output format {fmt!r} cannot write a {report.name} report")
    style = Style(width=width, color=color)
    if out is None:
        chosen.write(report, stream if stream is not None else sys.stdout, style)
        return ()
    path = out / f"{report.name}{chosen.suffix}" if out.is_dir() else out
    with atomic_text(path) as handle:
        chosen.write(report, handle, Style(width=width, color=False))
    return (path,)


def _write_set(report: Report, chosen: Format, out: Path | None) -> tuple[Path, ...]:
    if out is None:
        raise UsageError(
            f"-o {chosen.name} writes several files: name a folder with --out, e.g. --out {report.name}-{chosen.name}"
        )
    if out.exists() and not out.is_dir():
        raise UsageError(f"-o {chosen.name} writes several files, but {out} is not a folder")
    if chosen.write_files is None:
        raise UsageError(f"output format {chosen.name!r} does not write several files")
    return chosen.write_files(report, out)
