"""Which nodes admit which pods (I2), capacity aside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from models.cluster import Node
from models.queues import NodeGroupRules
from models.selectors import Expression, NodeSelectorTerm, Taint, Toleration
from planner.encode.predicates import (
    NODE_GROUP_LABEL,
    Predicates,
    Profile,
    node_signatures,
    window_open,
)
from planner.testing.by_hand import gpu_node, snapshot_of
from planner.testing.problems import policy_of

ZONE = "volcano.sh/revocable-zone"
PLAIN = Profile((), None, (), revocable=False)


def _why(profile: Profile, node: Node, **policy: object) -> str:
    return Predicates(policy_of(snapshot_of(node), **policy)).why_closed(profile, node)


def _node(**changes: Any) -> Node:
    return replace(gpu_node("n1"), **changes)


def test_a_plain_node_is_open_to_a_plain_pod() -> None:
    assert _why(PLAIN, _node()) == ""


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_only_ready_nodes_take_pods(status: str) -> None:
    assert _why(PLAIN, _node(conditions={"Ready": status})) == "node_selection:not Ready"
    assert _why(PLAIN, _node(conditions={"Ready": "True"})) == ""


def test_a_cordoned_node_takes_only_pods_that_tolerate_it() -> None:
    tolerant = replace(
        PLAIN, tolerations=(Toleration("node.kubernetes.io/unschedulable", "Exists"),)
    )
    assert _why(PLAIN, _node(unschedulable=True)) == "node_selection:cordoned"
    assert _why(tolerant, _node(unschedulable=True)) == ""


@pytest.mark.parametrize(
    ("effect", "closed"), [("NoSchedule", True), ("NoExecute", True), ("PreferNoSchedule", False)]
)
def test_taints_close_a_node_unless_tolerated(effect: str, closed: bool) -> None:
    node = _node(taints=(Taint("team", effect, "infra"),))
    assert bool(_why(PLAIN, node)) is closed
    same = replace(PLAIN, tolerations=(Toleration("team", "Equal", "infra"),))
    other = replace(PLAIN, tolerations=(Toleration("team", "Equal", "eval"),))
    assert _why(same, node) == ""
    assert bool(_why(other, node)) is closed


def test_the_reason_names_the_taint_as_kubectl_does() -> None:
    assert _why(PLAIN, _node(taints=(Taint("team", "NoExecute", "x"),))).endswith(
        "team=x:NoExecute"
    )


def test_every_selector_label_must_be_there() -> None:
    wants = replace(PLAIN, node_selector=(("model", "h100"), ("zone", "a")))
    assert _why(wants, _node(labels={"model": "h100", "zone": "a", "more": "1"})) == ""
    assert _why(wants, _node(labels={"model": "h100"})) == "node_selection:no label zone=a"
    assert _why(wants, _node(labels={"model": "h100", "zone": "b"})) != ""


def test_affinity_terms_are_alternatives_and_none_matches_nothing() -> None:
    h100 = NodeSelectorTerm((Expression("model", "In", ("h100",)),))
    named = NodeSelectorTerm(match_fields=(Expression("metadata.name", "In", ("n1",)),))
    assert _why(replace(PLAIN, node_affinity=(h100, named)), _node()) == ""
    assert _why(replace(PLAIN, node_affinity=(h100,)), _node()) != ""
    assert _why(replace(PLAIN, node_affinity=()), _node()) != ""


def test_node_groups_bind_only_where_the_plugin_is_on() -> None:
    rules = NodeGroupRules(required=("gold",), anti_required=("lead",))
    mine = replace(PLAIN, node_groups=rules)
    gold, lead = _node(labels={NODE_GROUP_LABEL: "gold"}), _node(labels={NODE_GROUP_LABEL: "lead"})
    assert _why(mine, lead) == ""
    assert _why(mine, gold, nodegroup=True) == ""
    assert _why(mine, lead, nodegroup=True) != ""
    assert _why(mine, _node(), nodegroup=True) != ""
    assert _why(PLAIN, gold, nodegroup=True) != ""


@pytest.mark.parametrize(
    ("marked", "now", "code"),
    [
        (True, "2026-11-01T12:00:00Z", ""),
        (True, "2026-11-01T14:00:00Z", "time_window"),
        (False, "2026-11-01T12:00:00Z", "node_selection"),
        (False, "2026-11-01T14:00:00Z", "node_selection"),
    ],
)
def test_a_revocable_zone_takes_marked_pods_inside_its_window(
    marked: bool, now: str, code: str
) -> None:
    profile = replace(PLAIN, revocable=marked)
    keys = {"revocable_zones": {"z": "11:00-13:00"}, "now": now}
    found = _why(profile, _node(labels={ZONE: "z"}), **keys)
    assert found.partition(":")[0] == code
    assert _why(profile, _node(), **keys) == ""


def test_a_zone_that_the_policy_does_not_know_is_closed_and_without_zones_nothing_binds() -> None:
    node = _node(labels={ZONE: "other"})
    marked = replace(PLAIN, revocable=True)
    keys = {"revocable_zones": {"z": "00:00-24:00"}, "now": "2026-11-01T12:00:00Z"}
    assert _why(marked, node, **keys).startswith("time_window")
    assert _why(PLAIN, node) == ""


@pytest.mark.parametrize(
    ("window", "now", "is_open"),
    [
        ("11:00-13:00", "2026-11-01T11:00:00Z", True),
        ("11:00-13:00", "2026-11-01T12:59:59Z", True),
        ("11:00-13:00", "2026-11-01T13:00:00Z", False),
        ("22:00-06:00", "2026-11-01T23:30:00Z", True),
        ("22:00-06:00", "2026-11-02T05:59:00Z", True),
        ("22:00-06:00", "2026-11-02T06:00:00Z", False),
        ("11:00-13:00", "2026-11-01T13:30:00+02:00", True),
        ("11:00-13:00", "", False),
        ("11:00-11:00", "2026-11-01T11:00:00Z", False),
        ("eleven", "2026-11-01T11:00:00Z", False),
        ("00:00-24:00", "2026-11-01T23:59:00Z", True),
    ],
)
def test_windows_are_utc_with_the_end_excluded(window: str, now: str, is_open: bool) -> None:
    assert window_open(window, now) is is_open


def test_nodes_differ_only_in_what_some_profile_looks_at() -> None:
    nodes = [
        replace(gpu_node("n1"), labels={"model": "h100", "rack": "1"}),
        replace(gpu_node("n2"), labels={"model": "h100", "rack": "2"}),
        replace(gpu_node("n3"), labels={"model": "a100", "rack": "1"}),
        replace(
            gpu_node("n4"), taints=(Taint("soft", "PreferNoSchedule"),), labels={"model": "h100"}
        ),
    ]
    by_model = replace(PLAIN, node_selector=(("model", "h100"),))
    assert node_signatures(nodes, [PLAIN]) == [0, 0, 0, 0]
    assert node_signatures(nodes, [PLAIN, by_model]) == [0, 0, 1, 0]


def test_a_profile_that_asks_for_names_tells_all_nodes_apart() -> None:
    named = NodeSelectorTerm(match_fields=(Expression("metadata.name", "In", ("n1",)),))
    nodes = [gpu_node("n1"), gpu_node("n2")]
    assert node_signatures(nodes, [replace(PLAIN, node_affinity=(named,))]) == [0, 1]
