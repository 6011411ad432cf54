"""Every bad scenario gets one clear message with file, number of the edit and remedy."""

from __future__ import annotations

from typing import Any

import pytest

from models.edits.scenario import parse_scenario
from models.edits.sweep import parse_sweep
from models.effective import EffectivePolicy
from models.findings import InputError
from models.snapshot import Snapshot

BAD_WORDS: list[tuple[Any, str, str]] = [
    ({"set_qeue": {}}, "no kind of edit 'set_qeue'", "did you mean 'set_queue'?"),
    ({"drain": {"nodes": "a"}, "fail": {}}, "exactly one key", "known: add_nodes"),
    ("drain", "exactly one key", "known: add_nodes"),
    ({"drain": "pool/b"}, "drain wants a mapping", "fields: nodes, pods"),
    ({"drain": {}}, "drain lacks 'nodes'", "fields: nodes"),
    ({"drain": {"nodes": []}}, "name at least one object", "fields: nodes"),
    ({"drain": {"node": "a-1"}}, "no field of drain 'node'", "did you mean 'nodes'?"),
    ({"add_nodes": {"count": 2}}, "say 'like'", "fields: count, like"),
    (
        {"add_nodes": {"like": "a-1", "count": -1}},
        "add_nodes.count: is too small (got -1)",
        "write 0 or more",
    ),
    (
        {"set_queue": {"queue": "eval", "weight": "many"}},
        "set_queue.weight",
        "write a whole number",
    ),
    ({"multiply": {"gangs": "x", "factor": 1.5}}, "is no whole number", "write a whole number"),
    ({"multiply": {"gangs": "x", "factor": 10**9}}, "is too large", "write 10,000 or less"),
    ({"drain": {"nodes": "a", "pods": "go"}}, "drain.pods: is not known", "write leave or keep"),
    ({"set_gang": {"gangs": "x", "topology": {"mode": "strict"}}}, "mode: is not known", "'hard'"),
    ({"scale_demand": {"queue": "eval", "factor": "much"}}, "'much' is not a number", ""),
    ({"scale_demand": {"factor": 2}}, "say 'queue' or 'service'", ""),
    ({"reprioritise": {"gangs": "x"}}, "say 'priority'", ""),
    ({"set_queue": {"queue": "eval", "state": "Shut"}}, "state: is not known", "Open or Closed"),
    ({"create_queue": {"queue": "Bad_Name"}}, "is no name of Kubernetes", "lower case"),
    ({"add_nodes": {"name": "a b", "allocatable": {"cpu": 1}}}, "no name of Kubernetes", "lower"),
    ({"add_nodes": {"like": "a-1", "count": True}}, "is no whole number", ""),
    (
        {"add_nodes": {"like": "a-1", "taints": [{"key": "x", "effect": "Never"}]}},
        "effect: is not known",
        "NoExecute",
    ),
    (
        {"add_gangs": {"name": "n", "queue": "q", "members": 1, "min_member": 2, "resources": {}}},
        "min_member is larger",
        "",
    ),
]
BAD_NAMES: list[tuple[Any, str, str]] = [
    ({"drain": {"nodes": "pool/c"}}, "no pool 'c'", "known: a, b"),
    ({"drain": {"nodes": "a-11"}}, "no node, pool or GPU model 'a-11'", "did you mean 'a-1'?"),
    ({"drain": {"nodes": "poll=b"}}, "no node has the labels", "did you mean 'pool'?"),
    ({"remove_gangs": {"gangs": "ml/wait"}}, "no gang 'ml/wait'", "did you mean 'ml/waits'?"),
    ({"remove_gangs": {"gangs": "queue/default"}}, "holds no gang", "name a queue that does"),
    ({"set_queue": {"queue": "evil"}}, "no queue 'evil'", "did you mean 'eval'?"),
    ({"set_queue": {"queue": "eval", "parent": "trian"}}, "no queue 'trian'", "'train'"),
    ({"set_queue": {"queue": "eval", "parent": "eval"}}, "own ancestor", "another parent"),
    ({"set_queue": {"queue": "eval", "weight": "-1"}}, "weight would be 0", "1 or more"),
    ({"set_queue": {"queue": "eval", "deserved": {"gpu": "-9"}}}, "below 0", "at most 8"),
    ({"set_queue": {"queue": "eval", "deserved": {"gpu": "x"}}}, "not a quantity", "8 or 64Gi"),
    (
        {"set_queue": {"queue": "eval", "capability": {"gpu": "8Gi"}}},
        "amount of bytes",
        "such as 8",
    ),
    (
        {"set_queue": {"queue": "eval", "capability": {"gpuu": 8}}},
        "no resource 'gpuu'",
        "did you mean 'gpu'?",
    ),
    ({"create_queue": {"queue": "eval"}}, "is there already", "set_queue"),
    ({"delete_queue": {"queue": "eval"}}, "still holds 2 gangs", "move_gangs_to"),
    ({"delete_queue": {"queue": "eval", "move_gangs_to": "eval"}}, "cannot move", "another"),
    ({"reprioritise": {"gangs": "*", "priority_class": "hi"}}, "no PriorityClass 'hi'", "'high'"),
    ({"set_policy": {"evct": []}}, "unknown policy key 'evct'", "remove or rename"),
    ({"set_policy": {"evict": ["all"]}}, "policy key", "documented kind"),
    ({"set_gang": {"gangs": "later", "min_member": "-9"}}, "would be -8", "it is 1 now"),
    (
        {"add_gangs": {"name": "n", "queue": "evals", "members": 1, "resources": {"gpu": 1}}},
        "no queue 'evals'",
        "'eval'",
    ),
]


@pytest.mark.parametrize(("entry", "message", "remedy"), BAD_WORDS)
def test_bad_words_are_told_before_anything_is_read(entry: Any, message: str, remedy: str) -> None:
    raw = {"name": "s", "edits": [{"fail": {"nodes": "a-1"}}, entry]}
    with pytest.raises(InputError, match=r"my\.yaml: edit 2") as caught:
        parse_scenario(raw, source="my.yaml")
    assert message in str(caught.value)
    assert remedy in caught.value.findings[0].remedy


@pytest.mark.parametrize(("entry", "message", "remedy"), BAD_NAMES)
def test_bad_names_suggest_the_nearest(
    entry: Any, message: str, remedy: str, snapshot: Snapshot, policy: EffectivePolicy
) -> None:
    scenario = parse_scenario({"edits": [entry]}, source="my.yaml")
    with pytest.raises(InputError, match=r"my\.yaml: edit 1") as caught:
        scenario.applied(snapshot, policy)
    assert message in str(caught.value)
    assert remedy in caught.value.findings[0].remedy


def test_every_fault_of_a_file_is_told() -> None:
    with pytest.raises(InputError, match="and 1 more") as caught:
        parse_scenario({"edits": [{"drian": {}}, {"fial": {}}]}, source="my.yaml")
    assert [one.object for one in caught.value.findings] == [
        "my.yaml: edit 1 (drian)",
        "my.yaml: edit 2 (fial)",
    ]


def test_an_edit_that_an_earlier_one_makes_impossible_says_so(
    snapshot: Snapshot, policy: EffectivePolicy
) -> None:
    entries = [{"remove_nodes": {"nodes": "a-1"}}, {"drain": {"nodes": "a-1"}}]
    scenario = parse_scenario({"edits": entries}, source="my.yaml")
    with pytest.raises(InputError, match=r"edit 2 \(drain\).*after the edits before it") as caught:
        scenario.applied(snapshot, policy)
    assert "put it first" in caught.value.findings[0].remedy


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"name": ["a"], "edits": []}, "'name' is no text"),
        ([], "holds no mapping"),
        ({"edit": []}, "no scenario key 'edit'"),
        ({"edits": "drain"}, "'edits' is not a list"),
        ({"edits": {}}, "'edits' is not a list"),
    ],
)
def test_files_that_are_no_scenario(raw: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_scenario(raw, source="my.yaml")


@pytest.mark.parametrize(
    ("raw", "message", "remedy"),
    [
        ([], "holds no mapping", "write grid"),
        ({"grid": []}, "'grid' is no mapping", "write grid"),
        ({"grids": {}}, "no sweep key 'grids'", "did you mean 'grid'?"),
        ({"grid": {"queue/eval.weigth": [1]}}, "'weigth'", "did you mean 'weight'?"),
        ({"grid": {"quue/eval.weight": [1]}}, "names no edit", "did you mean 'queue'?"),
        ({"grid": {"queue/eval.deserved": [8]}}, "say which resource", "queue/eval.deserved.gpu"),
        ({"grid": {"add/a": [1, 1]}}, "a value twice", "once"),
        ({"grid": {"add/a": 3}}, "no list of values", "[1, 2, 4]"),
        ({"grid": {"add/a": "1-3"}}, "no range", "0..20"),
        ({"grid": {"add/a": ["x"]}}, "no number of nodes", "0, 1, 2"),
        ({"grid": {"drain/pool/b": ["perhaps"]}}, "neither true nor false", "one"),
        ({"grid": {"gang/x.color": [1]}}, "no field of a gang 'color'", ""),
        ({"grid": {"add/a": "0..999", "add/b": "0..999"}}, "1,000,000 points", "fewer values"),
    ],
)
def test_files_that_are_no_sweep(raw: Any, message: str, remedy: str) -> None:
    with pytest.raises(InputError, match=r"s\.yaml") as caught:
        parse_sweep(raw, source="s.yaml")
    assert message in str(caught.value)
    assert remedy in caught.value.findings[0].remedy
