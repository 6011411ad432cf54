from __future__ import annotations

from models.snapshot import Snapshot
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_snapshots import policy_for, random_snapshot
from planner.testing.shrink import shrink


def _starts_something(snapshot: Snapshot) -> bool:
    best = best_vector(snapshot, policy_for(snapshot, "capacity"))
    return any(name.endswith(".gangs") and value for name, value in best.items())


def test_only_what_the_failure_needs_is_left() -> None:
    large = random_snapshot(3, "tiny", "capacity")
    assert _starts_something(large)
    small = shrink(large, _starts_something)
    assert _starts_something(small)
    assert (len(small.nodes), len(small.gangs)) == (1, 1)
    assert len(small.pods) <= 1


def test_a_snapshot_that_does_not_fail_stays_as_it_is() -> None:
    snapshot = random_snapshot(0)
    assert shrink(snapshot, lambda _: False) is snapshot
