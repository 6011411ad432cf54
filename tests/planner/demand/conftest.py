"""Histories for the tests."""

from __future__ import annotations

import numpy as np
import pytest

from planner.demand.clock import Clock
from planner.demand.history import DemandHistory

MONDAY = 1_787_529_600  # 2026-08-24T00:00:00Z


@pytest.fixture
def history_of():
    """A history from values per step; None marks what is not known."""

    def make(values, *, step=3600, start=MONDAY, timezone="UTC"):
        known = np.array([value is not None for value in values], dtype=bool)
        gpus = np.array([0 if value is None else value for value in values], dtype=np.int64)
        return DemandHistory("chat", start, step, gpus, known, Clock(start, step, timezone))

    return make


@pytest.fixture
def waves(history_of):
    """Days of an hourly wave: 4 GPUs at night, 40 by day, with a little noise."""

    def make(days, *, seed=1, timezone="UTC", step=3600):
        rng = np.random.default_rng(seed)
        per_day = 86_400 // step
        hours = np.arange(days * per_day) % per_day * step / 3600
        level = np.where((hours >= 8) & (hours < 20), 40, 4)
        return history_of(
            (level + rng.integers(0, 3, len(hours))).tolist(), timezone=timezone, step=step
        )

    return make
