"""What a run says on standard error: notes, findings and where files were written."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from models.findings import Finding
from planner.cli.option_groups import TalkOptions
from planner.cli.terminal import error_console
from planner.report.text import clean

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_PER_CODE = 3
_ORDER = {"error": 0, "warning": 1, "info": 2}
_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}


class Talk:
    """Standard error of one run; silent with ``--quiet``, more with ``-v``."""

    def __init__(self, options: TalkOptions) -> None:
        self.quiet = options.quiet
        self.verbose = options.verbose
        self.no_color = options.no_color
        self._console: Console | None = None
        set_up_logging(options)

    @property
    def console(self) -> Console:
        """The console, made on first use because rich takes time to load."""
        if self._console is None:
            self._console = error_console(no_color=self.no_color)
        return self._console

    def note(self, text: str) -> None:
        """One line that a person may want to know; not with ``--quiet``."""
        if not self.quiet:
            self.console.print(clean(text))

    def error(self, text: str) -> None:
        """One line that is said even with ``--quiet``."""
        self.console.print(clean(text), style=_STYLES["error"])

    def findings(self, findings: Sequence[Finding]) -> None:
        """Errors and warnings, of each code the first few and the number of the others; everything with ``-v``.

        The data hold all findings anyway; remarks would only push the answer off the screen.
        """
        if self.quiet:
            return
        if not self.verbose:
            findings = [one for one in findings if one.severity != "info"]
        left_out: Counter[tuple[str, str]] = Counter()
        seen: Counter[str] = Counter()
        for finding in sorted(findings, key=lambda one: _ORDER.get(one.severity, 3)):
            seen[finding.code] += 1
            if not self.verbose and seen[finding.code] > SHOWN_PER_CODE:
                left_out[finding.severity, finding.code] += 1
                continue
            self._finding(finding)
        for (severity, code), number in left_out.items():
            self.note(f"{severity}: {number} more {code}; -v lists them")

    def _finding(self, finding: Finding) -> None:
        from rich.text import Text

        remedy = f"; {finding.remedy}" if finding.remedy else ""
        said = f"{finding.object}: {finding.message}{remedy} [{finding.code}]"
        severity = (f"{finding.severity}: ", _STYLES.get(finding.severity, ""))
        self.console.print(Text.assemble(severity, clean(said)))


def set_up_logging(options: TalkOptions) -> None:
    """Send log records to standard error: warnings, with ``-v`` information, with ``-vv`` everything."""
    level = (logging.WARNING, logging.INFO, logging.DEBUG)[min(options.verbose, 2)]
    logging.basicConfig(
        level=logging.ERROR if options.quiet else level,
        format="%(levelname)s %(name)s: %(message)s",
        force=True,
    )
