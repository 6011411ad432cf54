from __future__ import annotations

import ast
from pathlib import Path

from models.checks import REGISTRY, check_snapshot
from models.checks.registry import FAMILIES
from models.findings import Finding

HERE = Path(__file__).resolve().parent


def _tested_codes():
    """Codes that a test hands to ``make.tells``, which asserts a trigger and its silent neighbour."""
    for path in HERE.glob("test_*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            if named and call.func.attr == "tells" and isinstance(call.args[0], ast.Constant):
                yield call.args[0].value


def test_every_check_has_a_trigger_and_a_silent_neighbour():
    assert set(_tested_codes()) == {code for code, check in REGISTRY.items() if check.find}


def test_codes_are_unique_across_the_families():
    codes = [check.code for family in FAMILIES.values() for check in family]
    assert len(codes) == len(set(codes)) == len(REGISTRY)


def test_every_check_explains_itself():
    for check in REGISTRY.values():
        assert check.sentence.endswith(".")
        assert check.remedy
        if check.find:
            assert check.find.__doc__
            assert check.find.__name__ == check.code


def test_many_findings_of_one_code_become_one_that_says_how_many(make, policy_of):
    nodes = [make.node(f"n{i:03}", conditions={"Ready": "False"}) for i in range(300)]
    snapshot = make.snapshot(*nodes)
    (found,) = make.findings(snapshot, "node_not_ready")
    assert found.object == "300 nodes"
    assert "300 nodes are not Ready; they hold 2,400 GPUs" in found.message
    assert "n000, n001, n002, n003, n004 and 295 more" in found.message
    assert "kubectl get nodes" in found.message
    every = check_snapshot(snapshot, policy_of(snapshot), sum_up=False)
    assert sum(one.code == "node_not_ready" for one in every) == 300


def test_a_few_findings_are_listed_one_by_one(make):
    nodes = [make.node(f"n{i}", conditions={"Ready": "False"}) for i in range(4)]
    assert len(make.findings(make.snapshot(*nodes), "node_not_ready")) == 4


def test_findings_come_in_order_with_those_of_reading(make, policy_of):
    read = Finding("conflicting_copies", "warning", "pod/ml/a-0", "two copies", "read again")
    snapshot = make.snapshot(
        make.node("n2", conditions={"Ready": "False"}),
        make.node("n1", conditions={"Ready": "False"}),
        make.queue(allocated=make.amounts(1), capability=make.amounts(4)),
        findings=(read, read),
    )
    found = check_snapshot(snapshot, policy_of(snapshot))
    keys = [(one.severity, one.code, one.object) for one in found]
    assert keys == [
        ("error", "export_incomplete", "queue/eval"),
        ("warning", "conflicting_copies", "pod/ml/a-0"),
        ("warning", "node_not_ready", "node/n1"),
        ("warning", "node_not_ready", "node/n2"),
        ("info", "capability_is_ceiling", "queue/eval"),
    ]


def test_many_findings_of_reading_are_summed_up_too(make, policy_of):
    read = tuple(
        Finding("conflicting_copies", "warning", f"pod/ml/a-{i}", "two copies", "read again")
        for i in range(900)
    )
    snapshot = make.snapshot(findings=read)
    (found,) = make.findings(snapshot, "conflicting_copies")
    assert found.object == "900 objects"
    assert "ml/a-0, ml/a-1" in found.message
    assert len(check_snapshot(snapshot, policy_of(snapshot), sum_up=False)) == 900


def test_codes_that_no_check_knows_are_summed_up_as_well(make):
    read = tuple(Finding("strange", "error", f"file-{i}", "odd", "look") for i in range(9))
    (found,) = make.findings(make.snapshot(findings=read), "strange")
    assert (found.severity, found.object, found.remedy) == ("error", "9 objects", "look")


def test_a_healthy_cluster_gives_no_finding(make, policy_of):
    pods = (make.pod("a-0", gang="ml/a", node="n1"), make.pod("a-1", gang="ml/a"))
    snapshot = make.snapshot(make.gang(min_member=2), *pods)
    assert check_snapshot(snapshot, policy_of(snapshot)) == ()


def test_an_empty_snapshot_gives_no_finding(make, policy_of):
    empty = type(make.snapshot())()
    assert check_snapshot(empty, policy_of(empty)) == ()
