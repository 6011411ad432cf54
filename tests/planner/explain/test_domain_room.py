"""Reasons ``topology`` and ``topology_never``: told only where the rule binds, with the room of every domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from models.plan import Reason
from planner.testing.by_hand import gpu_node, gpu_queue, leaf, spine, together, work

Explain = Callable[..., Mapping[str, Mapping[str, Reason]]]
Q = gpu_queue("q")
NODES = tuple(gpu_node(name) for name in ("a1", "a2", "b1", "b2"))
LEAVES = (leaf("a", "a1", "a2"), leaf("b", "b1", "b2"), spine("top", "a", "b"))
BASE = (*NODES, *LEAVES, Q)


def test_a_gang_larger_than_every_domain_never_fits_one(explain: Explain) -> None:
    found = explain(*BASE, together(work("new", 3, 8)))["new"]
    assert set(found) == {"topology_never"}
    reason = found["topology_never"]
    assert reason.message == (
        "needs 3 pods inside one domain of tier 1; even when empty 2 of them fit into a, 2 into b"
    )
    assert reason.data["podsFitByDomain"] == {"a": 2, "b": 2}
    assert reason.data["podsNeeded"] == 3


def test_the_next_tier_or_one_pod_less_fits(explain: Explain) -> None:
    assert explain(*BASE, together(work("new", 3, 8), 2), start=("new",)) == {}
    assert explain(*BASE, together(work("new", 2, 8)), start=("new",)) == {}


def test_domains_that_are_in_use_are_too_full_now(explain: Explain) -> None:
    runs = [work(f"r{n}", 1, 8, nodes=(node,)) for n, node in enumerate(("a1", "b1"))]
    found = explain(*BASE, *runs, together(work("new", 2, 8)))["new"]
    assert set(found) == {"topology"}
    assert found["topology"].message == (
        "needs 2 pods inside one domain of tier 1; now 1 of them fits into a, 1 into b"
    )


def test_running_pods_pin_the_gang(explain: Explain) -> None:
    """A pod of it runs in leaf a, the rest of which is taken; leaf b would do."""
    runs = work("r", 1, 8, nodes=("a2",))
    found = explain(*BASE, runs, together(work("new", 2, 8, nodes=("a1",))))["new"]
    assert set(found) == {"topology"}
    assert found["topology"].data["podsFitByDomain"] == {"a": 0}


def test_running_pods_in_two_domains_leave_no_choice(explain: Explain) -> None:
    found = explain(*BASE, together(work("new", 3, 4, nodes=("a1", "b1"))))["new"]
    assert set(found) == {"topology"}
    assert "its running pods" in found["topology"].message


def test_what_is_short_without_the_rule_is_told_as_well(explain: Explain) -> None:
    runs = [work(f"r{n}", 1, 8, nodes=(node.name,)) for n, node in enumerate(NODES)]
    found = explain(*BASE, *runs, together(work("new", 3, 8)))["new"]
    assert set(found) == {"topology_never", "cluster_capacity"}


@pytest.mark.parametrize("tier", [0, -1])
def test_a_tier_that_no_domain_has(explain: Explain, tier: int) -> None:
    found: Any = explain(*BASE, together(work("new", 1, 1), tier))["new"]
    assert set(found) == {"topology_never"}
    assert "or there is none" in found["topology_never"].message
