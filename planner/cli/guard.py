"""From an exception to one message on standard error and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import typer

from models.findings import InputError, PlannerError
from planner.cli.early_signals import raise_on_signals
from planner.cli.exit_codes import CANNOT_RUN, INTERRUPTED
from planner.report.text import clean

BUG_HINT = (
    "this is a fault in gangplan, not in your input; run again with -v and report the traceback "
    "together with the output of `gangplan doctor`"
)


def guarded(work: Callable[[], Any], *, verbose: int = 0) -> int:
    """Run ``work`` and return its exit code; whatever it raises becomes a message and a code."""
    try:
        raise_on_signals()
        code = int(work() or 0)
        sys.stdout.flush()
        return code
    except (typer.Exit, typer.Abort, SystemExit):
        raise
    except KeyboardInterrupt:
        _say("interrupted: no plan was found yet")
        return INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return 0
    except PlannerError as error:
        return _planner_error(error, verbose)
    except Exception as error:
        return _unexpected(error, verbose)


def silence_stdout() -> None:
    """Send the rest of standard output nowhere: its reader has gone (``| head``), and that is no error."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _planner_error(error: PlannerError, verbose: int) -> int:
    _say(f"error: {error}")
    if isinstance(error, InputError):
        shown = str(error)
        for finding in error.findings:
            if finding.message and finding.message not in shown:
                _say(f"  {finding.object}: {finding.message}")
            elif finding.object and finding.object not in shown:
                _say(f"  in {finding.object}")
            if finding.remedy:
                _say(f"  remedy: {finding.remedy}")
    if verbose > 1:
        _say(traceback.format_exc(), keep_newlines=True)
    return error.exit_code


def _unexpected(error: Exception, verbose: int) -> int:
    if isinstance(error, MemoryError):
        _say("error: out of memory; give the process more, or plan a smaller export")
        return CANNOT_RUN
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        _say(f"error: {error.strerror or error}{where}")
    else:
        _say(f"error: {type(error).__name__}: {str(error)[:300]}")
        _say(f"  {BUG_HINT}")
    if verbose:
        _say(traceback.format_exc(), keep_newlines=True)
    return CANNOT_RUN


def _say(text: str, *, keep_newlines: bool = False) -> None:
    """One line on standard error, even when standard error itself cannot be written."""
    try:
        sys.stderr.write(clean(text, keep_newlines=keep_newlines) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return
