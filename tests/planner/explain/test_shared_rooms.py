"""Shared resources of domains: the one that is too small is told, and whether it would do with nobody using it.

Before, the resource with the least left per need was told even where the gang fitted into it, and what no leaf could
ever hold passed for short now unless all leaves together had too little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from models.plan import Reason
from planner.testing.by_hand import gpu_node, gpu_queue, together, work

Explain = Callable[..., Mapping[str, Mapping[str, Reason]]]
Q = gpu_queue("q")
NODES = tuple(replace(gpu_node(f"n{i}"), labels={"zone": f"z{i // 2}"}) for i in range(4))


def _shared(per: str, capacity: int) -> dict[str, Any]:
    return {"per": per, "capacity": capacity, "requests": [{"amount": 3}]}


def test_the_resource_that_binds_is_told(explain: Explain) -> None:
    """The cluster's net is enough for three pods; two are what the storage of a zone holds."""
    both = {"net": _shared("cluster", 10), "storage": _shared("zone", 6)}
    keys = {"domain_resources": both, "topology_labels": ("zone",)}
    new = together(work("new", 3, 1))
    found = explain(*NODES, Q, new, **keys)["new"]["topology_never"]
    assert found.data["resource"] == "storage"
    assert "inside one domain of its topology too" in found.message


def test_pieces_that_stay_too_small_are_never_enough(explain: Explain) -> None:
    """Each zone holds one pod of two, whoever else is there."""
    parts = (*NODES, Q, work("new", 3, 1))
    assert set(explain(*parts, domain_resources={"disk": _shared("zone", 5)})["new"]) == {
        "topology_never"
    }


def test_what_others_use_is_missing_now(explain: Explain) -> None:
    run = work("run", 1, 1, nodes=("n0",))
    parts = (*NODES, Q, run, work("new", 2, 1))
    found = explain(*parts, domain_resources={"disk": _shared("zone", 5)})["new"]
    assert set(found) == {"topology"}
    assert found["topology"].data["left"] == {"z0": 2, "z1": 5}


def test_a_capacity_of_nothing_is_told(explain: Explain) -> None:
    found = explain(*NODES, Q, work("new", 1, 1), domain_resources={"disk": _shared("zone", 0)})
    assert "z0 has 0 of 0" in found["new"]["topology_never"].message
