"""A small cluster with its base plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.effective import resolve_policy
from models.snapshot import Snapshot
from models.writers.snapshot_json import snapshot_digest
from planner.problem.limits import Limits
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.usecases.inputs.checked_input import CheckedInput, checked
from planner.usecases.whatif.base import Base

LIMITS = Limits(time_limit_s=20, workers=1, deterministic=True)


def small_cluster() -> Snapshot:
    """Three nodes of 8 GPUs; train is held by its capability, eval by room."""
    made = snapshot_of(
        *(gpu_node(f"n-{number}") for number in range(3)),
        gpu_queue("eval", deserved=8),
        gpu_queue("train", deserved=16, capability=16),
        work("t1", 2, 8, queue="train", created=1),
        work("t2", 1, 8, queue="train", created=2),
        work("e1", 2, 4, queue="eval", created=3),
        work("e2", 2, 4, queue="eval", created=4),
    )
    made = replace(made, as_of="2026-11-01T12:00:00Z")
    return replace(made, digest=snapshot_digest(made))


@pytest.fixture(scope="session")
def given() -> CheckedInput:
    """The cluster, checked."""
    snapshot = small_cluster()
    return checked(snapshot, resolve_policy(snapshot))


@pytest.fixture(scope="session")
def base(given: CheckedInput) -> Base:
    """The cluster, planned: t1 and e1 start."""
    return Base.of(given, LIMITS, guard=False)
