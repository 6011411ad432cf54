"""HyperNodes and labels become nested domains, levels and tiers."""

from __future__ import annotations

from models.cluster import HyperNode, HyperNodeMember, Node
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import NetworkTopology
from planner.encode.topology import allowed_tier, topology_forest


def nodes(*names: str, **labels: tuple[str, ...]) -> tuple[Node, ...]:
    """Nodes by name; a keyword gives one label value per node."""
    return tuple(
        Node(name, labels={key: values[i] for key, values in labels.items() if values[i]})
        for i, name in enumerate(names)
    )


def exact(kind: str, *names: str) -> tuple[HyperNodeMember, ...]:
    """Members by exact name."""
    return tuple(HyperNodeMember(kind, exact_name=name) for name in names)


def sets(snapshot: Snapshot, labels: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Domain name to node names."""
    forest = topology_forest(snapshot, labels)
    return {one.name: tuple(snapshot.nodes[n].name for n in one.nodes) for one in forest.domains}


LEAVES = (
    HyperNode("s0", 1, members=exact("Node", "a1", "a2")),
    HyperNode("s1", 1, members=(HyperNodeMember("Node", pattern="^b"),)),
)
SPINE = HyperNode("top", 2, members=exact("HyperNode", "s0", "s1"))


def test_exact_and_pattern_members_make_a_tree() -> None:
    snapshot = Snapshot(nodes=nodes("a1", "a2", "b1", "b2"), hyper_nodes=(SPINE, *LEAVES))
    assert sets(snapshot) == {
        "s0": ("a1", "a2"),
        "s1": ("b1", "b2"),
        "top": ("a1", "a2", "b1", "b2"),
    }
    forest = topology_forest(snapshot, ())
    assert forest.top_tier == 3
    assert [forest.domains[d].name for d in forest.within(1)] == ["s0", "s1"]
    assert [forest.domains[d].name for d in forest.within(2)] == ["top"]
    assert forest.within(0) == ()
    assert [level.name for level in forest.levels] == ["tier1"], "one spine says nothing"
    assert forest.path(2) == ("top", "s1")


def test_label_members_and_tier_names() -> None:
    selector = LabelSelector(match_labels=(("rack", "r1"),))
    leaf = HyperNode("r1", 1, "rack", (HyperNodeMember("Node", labels=selector),))
    snapshot = Snapshot(nodes=nodes("a", "b", "c", rack=("r1", "", "r1")), hyper_nodes=(leaf,))
    forest = topology_forest(snapshot, ("ignored",))
    assert sets(snapshot) == {"r1": ("a", "c")}
    assert [(level.name, level.place) for level in forest.levels] == [("rack", (0, 1, 0))]
    assert allowed_tier(forest, NetworkTopology(highest_tier_name="rack")) == 1
    assert allowed_tier(forest, NetworkTopology(highest_tier_name="unknown")) is None
    assert allowed_tier(forest, NetworkTopology("soft", 1)) is None
    assert allowed_tier(forest, NetworkTopology()) is None
    assert allowed_tier(forest, NetworkTopology("hard", 2)) is None, "the top holds every node"


def test_nodes_of_a_tier_may_be_listed_at_every_level() -> None:
    spine = HyperNode("top", 2, members=exact("Node", "a1", "a2", "b1"))
    snapshot = Snapshot(nodes=nodes("a1", "a2", "b1", "x"), hyper_nodes=(*LEAVES, spine))
    assert sets(snapshot)["top"] == ("a1", "a2", "b1")
    assert [level.name for level in topology_forest(snapshot, ()).levels] == ["tier1", "tier2"]


def test_crossing_domains_lose_what_they_share() -> None:
    crossing = HyperNode("z", 1, members=exact("Node", "a2", "b1"))
    snapshot = Snapshot(nodes=nodes("a1", "a2", "b1"), hyper_nodes=(LEAVES[0], crossing))
    assert sets(snapshot) == {"s0": ("a1", "a2"), "z": ("b1",)}


def test_a_circle_is_a_fault() -> None:
    one = HyperNode("x", 1, members=exact("HyperNode", "y"))
    two = HyperNode("y", 2, members=(*exact("HyperNode", "x"), *exact("Node", "a1")))
    forest = topology_forest(Snapshot(nodes=nodes("a1"), hyper_nodes=(one, two)), ())
    assert "x > y > x" in forest.fault


def test_labels_make_domains_where_there_are_no_hyper_nodes() -> None:
    snapshot = Snapshot(
        nodes=nodes("a", "b", "c", "d", row=("1", "1", "2", ""), rack=("x", "y", "x", "x"))
    )
    assert sets(snapshot, ("row", "rack")) == {
        "1": ("a", "b"),
        "1/x": ("a",),
        "1/y": ("b",),
        "2": ("c",),
        "2/x": ("c",),
    }
    forest = topology_forest(snapshot, ("row", "rack"))
    assert [(one.name, one.tier) for one in forest.levels] == [("rack", 1), ("row", 2)]
    assert forest.levels[1].count([0, 1, 3]) == 2
    assert topology_forest(snapshot, ()).domains == ()
    assert allowed_tier(forest, NetworkTopology(highest_tier_name="row")) == 2


def test_level_names_have_no_dots() -> None:
    snapshot = Snapshot(nodes=nodes("a", "b", **{"net.example.com/leaf.id": ("1", "2")}))
    forest = topology_forest(snapshot, ("net.example.com/leaf.id",))
    assert [one.name for one in forest.levels] == ["leaf-id"]


def test_home_is_the_choice_that_holds_all() -> None:
    snapshot = Snapshot(nodes=nodes("a1", "a2", "b1"), hyper_nodes=LEAVES)
    forest = topology_forest(snapshot, ())
    choices = forest.within(1)
    assert forest.home(choices, [0, 1]) == choices[0]
    assert forest.home(choices, [1, 2]) is None
    assert forest.home(choices, []) is None
