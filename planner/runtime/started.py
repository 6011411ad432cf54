"""When the process began to read: time limits of commands run from here."""

from __future__ import annotations

import time

BEGAN = time.perf_counter()
"""Seconds on the clock of the process, taken when its first module is loaded."""
