"""Entry point of the console script; it catches Ctrl-C and SIGTERM before anything else is loaded."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from planner.cli.early_signals import SIGNALS, end_on_signals
from planner.cli.exit_codes import INTERRUPTED
from planner.runtime import started as started  # first of all: time limits run from here


def main() -> None:
    """Run ``gangplan`` with the arguments of the process; always ends it."""
    end_on_signals()
    _replace_closed_streams()
    try:
        from planner.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        _leave()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _leave()
        raise
    finally:
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)  # on the way out they change nothing


def _leave() -> None:
    """End an interrupted run here: Python might end it by the signal, which is no exit code."""
    from planner.cli.interrupt import end_at_once

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    end_at_once()


def _replace_closed_streams() -> None:
    """Python has no stream where a shell closed one (``2>&-``); what goes there then goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (lives on)
            setattr(sys, name, nowhere)
