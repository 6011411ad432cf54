"""Where data goes: standard output or ``--out``, with every way in which writing can fail."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from models.findings import UsageError
from planner.cli.guard import silence_stdout
from planner.cli.option_groups import OutputOptions
from planner.cli.talk import Talk
from planner.cli.terminal import output_style

if TYPE_CHECKING:
    from planner.report.tables import Report


def write_data(report: Report, options: OutputOptions, talk: Talk) -> None:
    """Write a report as the options say and name the files on standard error.

    A reader that goes away early (``| head``) is no error.

    Raises
    ------
    UsageError
        The place cannot be written, or the format does not suit it.
    """
    from planner.report.formats import write_report

    style = output_style(no_color=talk.no_color)
    try:
        paths = write_report(
            report, options.output.value, out=options.out, width=style.width, color=style.color
        )
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
        return
    except OSError as error:
        silence_stdout()
        place = error.filename or options.out or "standard output"
        raise UsageError(f"cannot write {place}: {error.strerror or error}") from error
    say_written(paths, talk)


def say_written(paths: tuple[Path, ...], talk: Talk) -> None:
    """Name the files that were written."""
    for path in paths:
        talk.note(f"wrote {path}")
