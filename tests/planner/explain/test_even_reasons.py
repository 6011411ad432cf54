"""Spread over domains, told by the constraint that keeps the gang out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from models.cluster import Node
from models.plan import Reason
from models.pod_terms import SpreadConstraint
from models.selectors import LabelSelector
from planner.testing.by_hand import Work, gpu_node, gpu_queue, together, work

Explain = Callable[..., Mapping[str, Mapping[str, Reason]]]
HOST = "kubernetes.io/hostname"
Q = gpu_queue("q")


def _node(name: str, zone: str) -> Node:
    return replace(gpu_node(name), labels={"zone": zone, HOST: name})


NODES = tuple(_node(f"n{index}", f"z{index // 2}") for index in range(4))


def _even(one: Work, **skew: int) -> Work:
    """One constraint per keyword, over zone or host, of all pods with app=x."""
    rules = tuple(
        SpreadConstraint(HOST if key == "host" else key, most, LabelSelector((("app", "x"),)))
        for key, most in skew.items()
    )
    pods = tuple(
        replace(pod, labels={"app": "x"}, spec=replace(pod.spec, spread=rules)) for pod in one.pods
    )
    return replace(one, pods=pods)


def test_the_constraint_that_binds_is_told(explain: Explain) -> None:
    """Four pods fit evenly over two zones; with n0 full, hosts hold one each and three in all."""
    full = work("full", 1, 8, nodes=("n0",))
    found = explain(*NODES, Q, full, _even(work("new", 4, 2), zone=1, host=1))["new"]["topology"]
    assert found.data["key"] == HOST
    assert "n0 has room for 0" in found.message
    assert "1 other with more room" in found.message


def test_fewer_domains_than_asked_for(explain: Explain) -> None:
    new = _even(work("new", 3, 1), zone=1)
    rule = replace(new.pods[0].spec.spread[0], min_domains=3)
    pods = tuple(replace(p, spec=replace(p.spec, spread=(rule,))) for p in new.pods)
    found = explain(*NODES, Q, replace(new, pods=pods))["new"]["topology"]
    assert "at most 1 in each domain" in found.message
    assert found.message.endswith("(2 domains, fewer than its minDomains)")


def test_even_and_inside_one_domain(explain: Explain) -> None:
    new = together(_even(work("new", 2, 1), zone=1))
    found = explain(*NODES, Q, new, topology_labels=("zone",))["new"]["topology"]
    assert "inside one domain of its topology too" in found.message


def test_nodes_in_no_domain_of_a_shared_resource(explain: Explain) -> None:
    storage = {"storage": {"per": "zone", "capacity": 100, "requests": [{"amount": 1}]}}
    nodes = (*NODES[:3], gpu_node("n3"))
    found = explain(*nodes, Q, work("new", 4, 8), domain_resources=storage)["new"]
    found = found["topology_never"]
    assert found.message.endswith("z1 has 100 of 100; 1 node in no domain of it")
