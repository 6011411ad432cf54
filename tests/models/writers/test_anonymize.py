from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from models.readers import read_snapshot
from models.selectors import first_untolerated
from models.snapshot import Snapshot
from models.writers.anonymize import anonymize
from models.writers.snapshot_json import snapshot_digest, snapshot_to_json

FIXTURE = Path(__file__).parents[1] / "readers" / "fuzz_fixture.yaml"
NAMES = ("acme", "zeus")


def named_cluster() -> Snapshot:
    text = FIXTURE.read_text()
    for old, new in (
        ("n1", "acme-n1"),
        ("ml", "acme-ml"),
        ("r1", "zeus-rack"),
        ("name: q}", "name: acme-q}"),
    ):
        text = text.replace(old, new)
    text = text.replace("queue: q", "queue: acme-q").replace("queue-name: q", "queue-name: acme-q")
    text = text.replace("rack:", "zeus.example/rack:").replace(
        "key: rack", "key: zeus.example/rack"
    )
    text = text.replace("topologyKey: rack", "topologyKey: zeus.example/rack")
    text = (
        text.replace("train", "zeus-train")
        .replace("name: pg", "name: acme-pg")
        .replace("app: a}", "app: zeus}")
    )
    text = text.replace('"^n"', '"^acme-n[0-9]$"').replace("zone.a", "zone.zeus")
    return read_snapshot(["-"], stdin=io.BytesIO(text.encode()))


def fits(snapshot: Snapshot) -> list[bool]:
    """Which pod specification fits which node, in order."""
    return [
        all(node.labels.get(key) == value for key, value in pod.spec.node_selector)
        and (
            pod.spec.node_affinity is None
            or any(term.matches(node.name, node.labels) for term in pod.spec.node_affinity)
        )
        and first_untolerated(node.taints, pod.spec.tolerations) is None
        for pod in snapshot.pods
        for node in snapshot.nodes
    ]


def shape(snapshot: Snapshot) -> Any:
    gangs = [
        (
            gang.kind,
            gang.min_member,
            sorted(gang.role_minimum.values()),
            [one.replicas for one in gang.templates],
            gang.priority,
            len(snapshot.pods_of(gang)),
            gang.queue in snapshot.queue_by_name,
        )
        for gang in snapshot.gangs
    ]
    return sorted(gangs), fits(snapshot), snapshot.total, snapshot.as_of


def test_no_name_is_left_and_the_shape_stays() -> None:
    snapshot = named_cluster()
    assert any(name in snapshot_to_json(snapshot).decode() for name in NAMES)
    hidden = anonymize(snapshot)
    text = snapshot_to_json(hidden).decode()
    for name in NAMES:
        assert name not in text
    assert shape(hidden) == shape(snapshot)
    assert hidden.digest == snapshot_digest(hidden)
    assert read_snapshot(["-"], stdin=io.BytesIO(text.encode())) == hidden


def test_rules_still_select_what_they_selected() -> None:
    snapshot = named_cluster()
    hidden = anonymize(snapshot)
    (node,), (leaf,) = hidden.nodes, hidden.hyper_nodes
    assert node.labels["kubernetes.io/hostname"] == node.name == "node-1"
    assert re.search(leaf.members[0].pattern, node.name)
    (budget,) = hidden.disruption_budgets
    chosen = [pod for pod in hidden.pods if budget.selector and budget.selector.matches(pod.labels)]
    assert len(chosen) == 1
    assert chosen[0].namespace == budget.namespace
    assert chosen[0].node == node.name
    (term,) = chosen[0].spec.pod_anti_affinity
    assert term.topology_key in node.labels
    assert term.namespaces == (chosen[0].namespace,)
    assert hidden.scheduler is not None
    plugin = hidden.scheduler.plugin("tdm")
    assert plugin is not None
    assert list(plugin.arguments.values()) == ["01:00-02:00"]


def test_the_same_text_has_one_new_name_everywhere() -> None:
    hidden = anonymize(named_cluster())
    document = json.loads(snapshot_to_json(hidden))
    group = next(gang for gang in hidden.gangs if gang.kind == "PodGroup")
    member = next(pod for pod in hidden.pods if pod.gang == group.full_name)
    assert member.annotations["scheduling.k8s.io/group-name"] == group.name
    assert document["queues"][0]["name"] == group.queue == "queue-1"


def test_common_words_stay() -> None:
    hidden = anonymize(named_cluster())
    assert hidden.queues[0].parent == "root"
    assert [one.role for gang in hidden.gangs for one in gang.templates if one.role] == ["worker"]
    assert {pod.spec.scheduler_name for pod in hidden.pods} == {"volcano"}


def test_conformance_snapshots_keep_their_shape(shared: Path) -> None:
    for path in sorted((shared / "cases" / "volcano").glob("*.snapshot.yaml")):
        snapshot = read_snapshot([path])
        hidden = anonymize(snapshot)
        assert shape(hidden)[0] == shape(snapshot)[0], path.name
        assert sorted(fits(hidden)) == sorted(fits(snapshot)), path.name


@pytest.mark.parametrize("pattern", ["(", "^nothing$"])
def test_a_pattern_that_matches_nothing_still_does(pattern: str) -> None:
    text = FIXTURE.read_text().replace('"^n"', f'"{pattern}"')
    hidden = anonymize(read_snapshot(["-"], stdin=io.BytesIO(text.encode())))
    assert hidden.hyper_nodes[0].members[0].pattern == "^$"
