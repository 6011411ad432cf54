from __future__ import annotations

from models.cluster import HyperNode, HyperNodeMember


def _hyper_node(name, tier, *children, kind="HyperNode"):
    members = tuple(HyperNodeMember(kind, exact_name=child) for child in children)
    return HyperNode(name, tier, members=members)


def test_hyper_nodes_in_a_circle(make):
    spine, leaf = _hyper_node("spine", 2, "leaf"), _hyper_node("leaf", 1, "n1", kind="Node")
    found = make.tells(
        "hyper_node_cycle",
        make.snapshot(hyper_nodes=(spine, _hyper_node("leaf", 1, "spine"))),
        make.snapshot(hyper_nodes=(spine, leaf)),
    )
    assert "spine > leaf > spine" in found.message


def test_a_hyper_node_that_contains_itself(make):
    snapshot = make.snapshot(hyper_nodes=(_hyper_node("leaf", 1, "leaf"),))
    assert len(make.findings(snapshot, "hyper_node_cycle")) == 1


def test_a_chain_of_many_hyper_nodes_is_walked_without_recursion(make):
    chain = [_hyper_node(f"h{i:05}", i, f"h{i - 1:05}") for i in range(1, 5000)]
    snapshot = make.snapshot(hyper_nodes=(_hyper_node("h00000", 0, "n1", kind="Node"), *chain))
    assert not make.findings(snapshot, "hyper_node_cycle")
    closed = make.snapshot(hyper_nodes=(_hyper_node("h00000", 0, "h04999"), *chain))
    assert len(make.findings(closed, "hyper_node_cycle")) == 1


def test_members_that_do_not_exist(make):
    found = make.tells(
        "hyper_node_unknown_member",
        make.snapshot(hyper_nodes=(_hyper_node("leaf", 1, "n1", "n9", kind="Node"),)),
        make.snapshot(hyper_nodes=(_hyper_node("leaf", 1, "n1", kind="Node"),)),
    )
    assert "Node n9" in found.message
    assert "n1" not in found.message


def test_a_pattern_that_cannot_be_read(make):
    for pattern, count in (("rack-[0-9]+", 0), ("rack-[", 1)):
        one = HyperNode("leaf", 1, members=(HyperNodeMember("Node", pattern=pattern),))
        found = make.findings(make.snapshot(hyper_nodes=(one,)), "hyper_node_unknown_member")
        assert len(found) == count


def test_a_pattern_that_go_does_not_read_is_told_with_the_cause(make):
    one = HyperNode("leaf", 1, members=(HyperNodeMember("Node", pattern="rack-(?=1)"),))
    (found,) = make.findings(make.snapshot(hyper_nodes=(one,)), "hyper_node_unknown_member")
    assert "HyperNode leaf" in found.message
    assert "rack-(?=1)" in found.message
    assert "invalid perl operator" in found.message
    assert "no look-around" in found.remedy


def test_a_hyper_node_with_two_parents(make):
    leaf = _hyper_node("leaf", 1, "n1", kind="Node")
    one, two = _hyper_node("s1", 2, "leaf"), _hyper_node("s2", 2, "leaf")
    found = make.tells(
        "hyper_node_two_parents",
        make.snapshot(hyper_nodes=(leaf, one, two)),
        make.snapshot(hyper_nodes=(leaf, one)),
    )
    assert found.object == "hypernode/leaf"
    assert "s1, s2" in found.message


def test_tiers_that_do_not_grow(make):
    leaf = _hyper_node("leaf", 1, "n1", kind="Node")
    found = make.tells(
        "hyper_node_tier_order",
        make.snapshot(hyper_nodes=(leaf, _hyper_node("spine", 1, "leaf"))),
        make.snapshot(hyper_nodes=(leaf, _hyper_node("spine", 2, "leaf"))),
    )
    assert "leaf (tier 1)" in found.message


def test_leaves_that_share_nodes(make):
    """A pattern that is not anchored finds n1 in n10 too."""
    nodes = tuple(make.node(name) for name in ("n1", "n10", "n2"))
    loose, tight = (
        HyperNode("leaf-1", 1, members=(HyperNodeMember("Node", pattern=pattern),))
        for pattern in ("n1", "^n1$")
    )
    other = _hyper_node("leaf-0", 1, "n10", "n2", kind="Node")
    over = _hyper_node("spine", 2, "n10", kind="Node")
    found = make.tells(
        "hyper_node_shared_nodes",
        make.snapshot(nodes=nodes, hyper_nodes=(loose, other, over)),
        make.snapshot(nodes=nodes, hyper_nodes=(tight, other, over)),
    )
    assert found.object == "hypernode/leaf-1"
    assert "shares 1 node with leaf-0: n10" in found.message
