"""Exit codes that no exception carries; those of errors are in :mod:`models.findings`."""

from __future__ import annotations

CHANGED = 1
"""``--fail-on-change`` found a difference."""
CANNOT_RUN = 2
"""The command cannot run: no solver, a place that cannot be written, a fault of ours."""
VERIFICATION_FAILED = 6
REQUIREMENT_MISSED = 7
INTERRUPTED = 130
"""Ctrl-C came before there was a plan."""
