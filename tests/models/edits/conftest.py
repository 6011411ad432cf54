"""One small cluster that the tests edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from models.cluster import PriorityClass
from models.edits.apply import apply_edits
from models.edits.catalogue import edit_from
from models.edits.edit import Situation
from models.effective import EffectivePolicy, resolve_policy
from models.snapshot import Snapshot
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work


@pytest.fixture
def snapshot() -> Snapshot:
    """Two pools of two nodes, two queues, a running and two waiting gangs."""
    made = snapshot_of(
        *(gpu_node(name) for name in ("a-1", "a-2", "b-1", "b-2")),
        gpu_queue("eval", deserved=8),
        gpu_queue("train", deserved=24, capability=32),
        work("runs", 2, 8, queue="train", nodes=("a-1", "b-1")),
        work("waits", 2, 8, queue="eval", created=1),
        work("later", 1, 4, queue="eval", created=2),
    )
    nodes = [
        replace(
            node,
            labels={"pool": node.name[0], "kubernetes.io/hostname": node.name},
            conditions={"Ready": "True"},
        )
        for node in made.nodes
    ]
    classes = (PriorityClass("high", 1000), PriorityClass("low", 10))
    return replace(made, nodes=tuple(nodes), priority_classes=classes, as_of="2026-11-01T12:00:00Z")


@pytest.fixture
def policy(snapshot: Snapshot) -> EffectivePolicy:
    """Capacity, no evictions."""
    return resolve_policy(snapshot)


Edited = Callable[..., Situation]


@pytest.fixture
def edited(snapshot: Snapshot, policy: EffectivePolicy) -> Edited:
    """The cluster after edits as a scenario file writes them."""

    def apply(*entries: dict[str, Any]) -> Situation:
        return apply_edits(snapshot, policy, [edit_from(one) for one in entries])

    return apply
