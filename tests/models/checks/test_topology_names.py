"""Names of levels that nothing has bind nothing; before, that was passed over in silence."""

from __future__ import annotations

from dataclasses import replace

from models.cluster import HyperNode, HyperNodeMember
from models.workloads import NetworkTopology

LEAF = HyperNode("s0", 1, "leaf", (HyperNodeMember("Node", exact_name="n1"),))


def test_a_topology_label_that_no_node_has(make):
    found = make.tells(
        "topology_label_unknown",
        make.snapshot(make.node(labels={"net/leaff": "l1"})),
        make.snapshot(make.node(labels={"net/leaf": "l1"})),
        policy={"topology_labels": ("net/leaf",)},
    )
    assert "'net/leaf', but no node" in found.message
    assert "did you mean 'net/leaff'?" in found.remedy
    hyper = make.snapshot(make.node(), hyper_nodes=(LEAF,))
    assert not make.findings(hyper, "topology_label_unknown", topology_labels=("net/leaf",))


def test_a_tier_name_that_no_hyper_node_has(make):
    def snapshot(name):
        gang = replace(make.gang(), topology=NetworkTopology("hard", highest_tier_name=name))
        return make.snapshot(gang, make.pod(), make.node(), hyper_nodes=(LEAF,))

    found = make.tells("topology_tier_unknown", snapshot("laef"), snapshot("leaf"))
    assert "'laef'" in found.message
    assert "nothing binds" in found.message
    assert "did you mean 'leaf'?" in found.remedy


def test_a_member_without_a_selector(make):
    nothing = HyperNode("s0", 1, members=(HyperNodeMember("Node"),))
    found = make.tells(
        "hyper_node_unknown_member",
        make.snapshot(make.node(), hyper_nodes=(nothing,)),
        make.snapshot(make.node(), hyper_nodes=(LEAF,)),
    )
    assert "Node without a selector" in found.message
