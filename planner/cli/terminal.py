"""The two ends of a terminal: a console on standard error, and what standard output can show."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class OutputStyle:
    """Width in characters (None = not a terminal) and colour of standard output."""

    width: int | None
    color: bool


def output_style(*, no_color: bool) -> OutputStyle:
    """What standard output can show; NO_COLOR and FORCE_COLOR count as everywhere."""
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal or "COLUMNS" in os.environ else None
    wanted = (terminal and os.environ.get("TERM") != "dumb") or bool(os.environ.get("FORCE_COLOR"))
    return OutputStyle(width, wanted and not no_color and not os.environ.get("NO_COLOR"))


def error_console(*, no_color: bool = False) -> Console:
    """Console on standard error."""
    from rich.console import Console

    return Console(
        file=sys.stderr,
        no_color=True if no_color else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )
