"""Work of HiGHS in units of about one processor second, counted in steps that no clock and no other load changes.

HiGHS has no limit in work. Its search of a tree asks again and again whether to stop, after every round of cuts at the
root and every few steps below it; what lies between two questions takes time in proportion to the entries of the
matrix. The rates were measured on models of 2,000 to 25,000 entries.
"""

from __future__ import annotations

import highspy

LOADED = 1_000_000
"""Entries that are handed over in one unit."""
ROOT_ENTRIES = 500_000
"""Entries per unit and question at the root, where cuts and first solutions are looked for."""
TREE_ENTRIES = 15_000_000
"""The same below the root, beside ``TREE_STEP``."""
TREE_STEP = 0.001
STEP_ENTRIES = 600_000_000
"""Entries times steps of a simplex per unit."""


class TreeWork:
    """Counts what a search of a tree does, and ends it after ``most`` units."""

    def __init__(self, solver: highspy.Highs, most: float) -> None:
        entries = int(solver.getNumNz())
        self.used = entries / LOADED
        self._root = entries / ROOT_ENTRIES
        self._below = TREE_STEP + entries / TREE_ENTRIES
        self._most = most
        solver.cbMipInterrupt += self._look

    def _look(self, event: highspy.HighsCallbackEvent) -> None:
        self.used += self._below if event.data_out.mip_node_count > 0 else self._root
        if self.used > self._most:
            event.interrupt()


def relaxed_work(solver: highspy.Highs) -> float:
    """Units that the last run of a linear program took."""
    steps = max(int(solver.getInfo().simplex_iteration_count), 0)
    entries = int(solver.getNumNz())
    return entries * (1 / LOADED + steps / STEP_ENTRIES)
