from __future__ import annotations

import json
from dataclasses import replace

import pytest

from models.edits.apply import apply_edits
from models.edits.catalogue import edit_from
from models.edits.scenario import Scenario, parse_scenario
from models.edits.short import short_edits
from models.effective import EffectivePolicy, resolve_policy
from models.findings import InputError
from models.policy import Policy
from models.readers import read_snapshot
from models.readers.input_files import memory_file
from models.selectors import Expression, NodeSelectorTerm
from models.snapshot import Snapshot
from models.workloads import PodSpec
from models.writers.snapshot_json import snapshot_to_json
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work

NODES = ("a-1", "a-2", "b-1")


def base() -> tuple[Snapshot, EffectivePolicy]:
    snapshot = snapshot_of(
        *(gpu_node(name) for name in NODES),
        gpu_queue("q"),
        work("runs", pods=1, nodes=("a-1",)),
        work("waits", pods=2),
    )
    return snapshot, resolve_policy(snapshot, Policy(queue_model="capacity"))


def allowed(snapshot: Snapshot, gang: str = "ml/waits") -> set[str]:
    """Nodes that the first waiting pod of the gang may use by its affinity."""
    (pod, *_) = snapshot.pods_by_gang[gang]
    terms = pod.spec.node_affinity
    nodes = snapshot.nodes
    if terms is None:
        return {node.name for node in nodes}
    return {n.name for n in nodes if any(term.matches(n.name, n.labels) for term in terms)}


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ({"pin_gang": {"gangs": "ml/waits", "nodes": ["a-1", "b-1"]}}, {"a-1", "b-1"}),
        ({"pin_gang": {"gangs": "ml/waits", "nodes": "a-*"}}, {"a-1", "a-2"}),
        ({"forbid_gang": {"gangs": "ml/waits", "nodes": "a-*"}}, {"b-1"}),
    ],
)
def test_pods_that_wait_may_use_only_what_is_left(
    entry: dict[str, object], wanted: set[str]
) -> None:
    snapshot, policy = base()
    after = apply_edits(snapshot, policy, (edit_from(entry),)).snapshot
    assert allowed(after) == wanted
    assert allowed(snapshot) == set(NODES)
    assert allowed(after, "ml/runs") == set(NODES)
    assert after.digest != snapshot.digest
    again = read_snapshot([memory_file("s.json", snapshot_to_json(after))])
    assert allowed(again) == wanted


def test_both_together_leave_what_both_allow() -> None:
    snapshot, policy = base()
    edits = (*short_edits("pin/ml/waits", "a-1+b-1"), *short_edits("forbid/ml/waits", "a-*"))
    assert [edit.text() for edit in edits] == [
        "place gang ml/waits only on a-1, b-1",
        "place gang ml/waits not on a-*",
    ]
    assert allowed(apply_edits(snapshot, policy, edits).snapshot) == {"b-1"}
    assert short_edits("pin/ml/waits", "none") == ()
    again = parse_scenario(json.loads(json.dumps(Scenario("s", edits).document())), source="s")
    assert again.edits == edits


def test_each_term_of_an_affinity_that_is_there_is_narrowed() -> None:
    snapshot, policy = base()
    zone = NodeSelectorTerm((Expression("zone", "In", ("x",)),))

    def with_terms(spec: PodSpec) -> PodSpec:
        return replace(spec, node_affinity=(zone, NodeSelectorTerm()))

    pods = [replace(pod, spec=with_terms(pod.spec)) for pod in snapshot.pods]
    zones = {"a-1": "x", "a-2": "y", "b-1": "x"}
    nodes = [
        replace(node, labels={**node.labels, "zone": zones[node.name]}) for node in snapshot.nodes
    ]
    snapshot = replace(snapshot, pods=tuple(pods), nodes=tuple(nodes))
    assert allowed(snapshot) == {"a-1", "b-1"}
    (edit,) = short_edits("pin/ml/waits", "a-1+a-2")
    assert allowed(apply_edits(snapshot, policy, (edit,)).snapshot) == {"a-1"}


def test_running_pods_stay_and_a_note_says_so() -> None:
    snapshot, policy = base()
    (edit,) = short_edits("forbid/ml/runs", "a-1")
    after = apply_edits(snapshot, policy, (edit,))
    assert after.notes == ("ml/runs has running pods; these stay where they are",)
    assert after.snapshot.pods_by_gang["ml/runs"][0].node == "a-1"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("pin/ml/waits", "c-1", "no node, pool or GPU model 'c-1'"),
        ("pin/ml/nobody", "a-1", "no gang 'ml/nobody'"),
    ],
)
def test_unknown_names_are_told(key: str, value: str, message: str) -> None:
    snapshot, policy = base()
    with pytest.raises(InputError, match=message):
        apply_edits(snapshot, policy, short_edits(key, value))


def test_a_pin_without_gang_is_refused() -> None:
    with pytest.raises(ValueError, match="pin says no gang"):
        short_edits("pin", "a-1")
