from __future__ import annotations

import json

import pandas as pd
import pytest

from planner.report.frames.domains import domains_frame, has_domains, inside, known_domains
from planner.report.frames.fragments import fragments_frame
from ui.parts import topology

SPINE, LEAF = "network.example.com/spine", "network.example.com/leaf"


def node(number, **labels):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{number}", "labels": labels},
        "status": {
            "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "4"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


@pytest.fixture
def labelled(tmp_path):
    """Two spines of two leaves with two nodes each, and one node outside."""
    items = [
        node(number, **{SPINE: f"s{number // 4}", LEAF: f"l{number // 2}"}) for number in range(8)
    ]
    path = tmp_path / "nodes.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*items, node(8)]}))
    return str(path)


def frame(**columns):
    count = len(columns["domain"])
    states = ("gpus_used", "gpus_planned", "gpus_unavailable")
    given = {
        "node": [f"n{place}" for place in range(count)],
        "pool": ["p"] * count,
        "open": [True] * count,
        **dict.fromkeys(states, [0] * count),
        **columns,
    }
    found = pd.DataFrame(given)
    numbers = [name for name in found.columns if name.startswith("gpus_")]
    return found.astype(dict.fromkeys(numbers, "Int64"))


def test_gpus_are_summed_level_by_level():
    nodes = frame(
        domain=["a/x", "a/y", "b/z", ""],
        gpus_allocatable=[8, 8, 4, 2],
        gpus_free_whole=[8, 0, 0, 2],
        gpus_free_fragment=[0, 3, 1, 0],
    )
    assert has_domains(nodes)
    assert known_domains(nodes) == ["a", "a/x", "a/y", "b", "b/z"]
    wide = domains_frame(nodes).set_index("domain")
    assert list(wide.index) == ["", "a", "b"]
    assert wide.loc["a", ["nodes", "nodes_whole", "largest_free_gpus"]].tolist() == [2, 1, 8]
    assert wide["gpus_allocatable"].sum() == nodes["gpus_allocatable"].sum()
    fine = domains_frame(nodes, "a").set_index("domain")
    assert fine["gpus_free_fragment"].to_dict() == {"a/x": 0, "a/y": 3}
    assert list(inside(nodes, "a/x")["node"]) == ["n0"]


def test_holes_count_pods_that_fit_on_single_nodes():
    nodes = frame(
        domain=["", "", ""],
        gpus_allocatable=[8, 8, 8],
        gpus_free_whole=[8, 0, 0],
        gpus_free_fragment=[0, 3, 3],
        open=[True, True, False],
    )
    found = fragments_frame(nodes).iloc[0]
    assert found[["nodes", "nodes_whole", "nodes_fragment"]].tolist() == [2, 1, 1]
    assert found[["fit_1", "fit_2", "fit_4", "fit_8"]].tolist() == [11, 5, 2, 1]


def test_the_page_shows_domains_of_labels_and_opens_one(start, labelled):
    flags = {"topology_labels": [SPINE, LEAF]}
    dashboard = start(paths=(labelled,), flags=flags)
    dashboard.open("inventory")
    assert "Topology" in [one.value for one in dashboard.app.subheader]
    domains = next(one.value for one in dashboard.app.dataframe if "domain" in one.value)
    assert list(domains["domain"]) == ["", "s0", "s1"]
    dashboard.app.selectbox(key="topology-domain").set_value("s1")
    dashboard.run()
    domains = next(one.value for one in dashboard.app.dataframe if "domain" in one.value)
    assert list(domains["gpus_allocatable"]) == [8, 8]


def test_domains_stay_after_a_plan(start, labelled):
    dashboard = start(paths=(labelled,), flags={"topology_labels": [SPINE, LEAF]}).plan()
    dashboard.open("inventory")
    domains = next(one.value for one in dashboard.app.dataframe if "domain" in one.value)
    assert list(domains["domain"]) == ["", "s0", "s1"]


def test_too_many_nodes_are_bars_until_a_domain_is_opened(start, labelled, monkeypatch):
    monkeypatch.setattr(topology, "MOST_NODES", 4)
    monkeypatch.setattr(topology, "MOST_BARS", 2)
    dashboard = start(paths=(labelled,), flags={"topology_labels": [SPINE, LEAF]})
    dashboard.open("inventory")
    assert "too many to draw one by one" in dashboard.texts()
    assert dashboard.app.number_input(key="topology-page").max == 2
    dashboard.app.selectbox(key="topology-domain").set_value("s0")
    dashboard.run()
    assert "too many to draw" not in dashboard.texts()


def test_a_cluster_without_domains_has_no_topology(start):
    dashboard = start()
    dashboard.open("inventory")
    assert "Topology" not in [one.value for one in dashboard.app.subheader]
    assert "Fragments" in [one.value for one in dashboard.app.subheader]
