"""Entry point of the console script; it catches Ctrl-C before anything else is loaded."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from planner.cli.exit_codes import INTERRUPTED


def main() -> None:
    """Run ``gangplan`` with the arguments of the process; always ends it."""
    _replace_closed_streams()
    try:
        from planner.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # on the way out a Ctrl-C changes nothing


def _replace_closed_streams() -> None:
    """Python has no stream where a shell closed one (``2>&-``); what goes there then goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (lives on)
            setattr(sys, name, nowhere)
