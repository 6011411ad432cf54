"""A whole document is checked in full: every single wrong figure is found, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from verify_builders import GIB, GPU, gang, node, pods, snapshot, spec, violations

from models.findings import Finding
from models.plan import PlanResult
from models.queues import Queue
from models.resources import Resources
from models.rules import RuleId
from models.snapshot import Snapshot

_NEEDED = {"cpu": 2000, "memory": 2 * GIB, GPU: 4}


def _cluster() -> Snapshot:
    """Queue a (deserved 4 GPUs) has two gangs of two pods with 2 GPUs each; n2 cannot take them, n1 takes one gang."""
    return snapshot(
        nodes=[node("n1", 8), node("n2", 1)],
        gangs=[gang("x", 2), gang("y", 2), gang("z")],
        pods=[
            pods("x", 2, spec(2)),
            pods("y", 2, spec(2)),
            pods("z", 1, spec(1, special_rules=("resourceClaims",))),
            pods("", 1, spec(3, scheduler="default-scheduler"), node="n1", role="online"),
            pods("", 1, spec(1), node="n1", role="ending", terminating=True),
        ],
        queues=(Queue("a", deserved=Resources({GPU: 4}), capability=Resources({GPU: 6})),),
        findings=(Finding("odd", "warning", "node/n2", "has 1 GPU of 8"),),
        as_of="2026-08-20T12:00:00Z",
        digest="d1",
    )


def _document() -> dict[str, Any]:
    wait = {"decision": "wait", "tierClass": "rest", "rank": 1, "startable": True, "gpus": 4}
    quota = [{"code": "quota", "message": "limit 6 GPUs"}]
    rule = [{"code": "unsupported", "message": "resourceClaims"}]
    pods_of_x = {
        "role": "",
        "action": "place",
        "node": "n1",
        "count": 2,
        "names": ["ml/x-0", "ml/x-1"],
    }
    held = {"cpu": 2000, "memory": 2 * GIB, GPU: 4}
    free = {"cpu": 64_000, "memory": 512 * GIB, "pods": 110}
    tiers = [
        ("covered.1.shortfall", "min", 0),
        ("covered.1.gpus", "max", 4),
        ("covered.1.gangs", "max", 1),
        ("rest.1.shortfall", "min", 0),
        ("rest.1.gpus", "max", 0),
        ("rest.1.gangs", "max", 0),
        ("rest.1.elastic", "max", 0),
        ("packing", "max", 1),
    ]
    return {
        "schemaVersion": 1,
        "kind": "PlanResult",
        "summary": {
            "gpusAllocatable": 9,
            "gpusBefore": 3,
            "gpusAfter": 7,
            "gangsStarted": 1,
            "gangsWaiting": 2,
            "gangsUnsupported": 1,
            "podsPlaced": 2,
        },
        "snapshot": {
            "asOf": "2026-08-20T12:00:00Z",
            "digest": "d1",
            "nodes": 2,
            "pods": 7,
            "findings": [
                {"code": "odd", "severity": "warning", "object": "node/n2", "message": "1 GPU"}
            ],
        },
        "certificate": {
            "status": "OPTIMAL",
            "properties": "proved",
            "tiers": [
                {"name": name, "sense": sense, "unit": "", "value": v, "bound": v, "gap": 0.0}
                for name, sense, v in tiers
            ],
        },
        "verification": {"violations": [], "rules": 0},
        "gangs": [
            {
                "namespace": "ml",
                "name": "x",
                "queue": "a",
                "priority": 0,
                "minMember": 2,
                "decision": "start",
                "podsBefore": 0,
                "podsAfter": 2,
                "startable": True,
                "tierClass": "covered",
                "rank": 1,
                "gpus": 4,
                "pods": [pods_of_x],
            },
            {"namespace": "ml", "name": "y", "reasons": quota, **wait},
            {"namespace": "ml", "name": "z", "reasons": rule, "decision": "wait"},
        ],
        "queues": [
            {"name": "a", "before": {}, "after": held, "limit": {GPU: 6}, "deserved": {GPU: 4}}
        ],
        "nodes": [
            {
                "name": "n1",
                "allocatable": {**free, GPU: 8},
                "before": held,
                "after": {"cpu": 4000, "memory": 4 * GIB, GPU: 8},
            },
            {"name": "n2", "allocatable": {**free, GPU: 1}, "before": {}, "after": {}},
        ],
    }


def _tier(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in document["certificate"]["tiers"] if one["name"] == name)


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        target: Any = document
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = to

    return change


def _set_tier(tier: str, **values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: _tier(document, tier).update(values)


def _drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        target: Any = document
        for step in path[:-1]:
            target = target[step]
        del target[path[-1]]

    return change


_FAULTS: dict[str, Callable[[dict[str, Any]], None]] = {
    "version": _set("schemaVersion", to=2),
    "kind": _set("kind", to="Plan"),
    "own violations": _set(
        "verification", to={"violations": [{"rule": "x", "object": "y", "message": "z"}]}
    ),
    "gpusAllocatable": _set("summary", "gpusAllocatable", to=8),
    "gpusBefore": _set("summary", "gpusBefore", to=4),
    "gpusAfter": _set("summary", "gpusAfter", to=8),
    "gangsStarted": _set("summary", "gangsStarted", to=2),
    "gangsWaiting": _set("summary", "gangsWaiting", to=1),
    "gangsUnsupported": _set("summary", "gangsUnsupported", to=0),
    "podsPlaced": _set("summary", "podsPlaced", to=3),
    "digest": _set("snapshot", "digest", to="d2"),
    "time": _set("snapshot", "asOf", to=""),
    "pods of the snapshot": _set("snapshot", "pods", to=6),
    "finding": _set("snapshot", "findings", to=[]),
    "missing gang": _drop("gangs", 1),
    "queue of a gang": _set("gangs", 0, "queue", to="b"),
    "podsAfter": _set("gangs", 0, "podsAfter", to=1),
    "startable": _set("gangs", 1, "startable", to=False),
    "tierClass": _set("gangs", 1, "tierClass", to="covered"),
    "rank": _set("gangs", 1, "rank", to=2),
    "gpus of a gang": _set("gangs", 0, "gpus", to=2),
    "unsupported called startable": _set("gangs", 2, "startable", to=True),
    "unsupported not told": _set("gangs", 2, "reasons", to=[{"code": "quota", "message": "no"}]),
    "unsupported told without rule": _set(
        "gangs", 1, "reasons", to=[{"code": "unsupported", "message": "no"}]
    ),
    "missing queue": _set("queues", to=[]),
    "queue before": _set("queues", 0, "before", to={"cpu": 1}),
    "queue after": _set("queues", 0, "after", GPU, to=5),
    "queue limit": _set("queues", 0, "limit", GPU, to=7),
    "queue deserved": _set("queues", 0, "deserved", GPU, to=5),
    "missing node": _drop("nodes", 1),
    "unknown node": _set("nodes", 1, "name", to="n3"),
    "node allocatable": _set("nodes", 1, "allocatable", GPU, to=2),
    "node before": _set("nodes", 0, "before", GPU, to=3),
    "node after": _set("nodes", 0, "after", GPU, to=7),
    "status": _set("certificate", "status", to="NO_SOLUTION_IN_TIME"),
    "no tiers": _set("certificate", "tiers", to=[]),
    "tier value": _set_tier("packing", value=2, bound=2),
    "unknown tier": _set_tier("packing", name="beauty"),
    "bound below value": _set_tier("covered.1.gpus", bound=3, gap=0.25),
    "bound above value": _set_tier("covered.1.shortfall", bound=1, gap=1.0),
    "gap": _set_tier("rest.1.elastic", gap=0.5),
    "bound without gap": _set_tier("rest.1.elastic", gap=None),
    "optimal but open": _set_tier("packing", bound=None, gap=None),
    "optimal with a gap": _set_tier("packing", bound=2, gap=1.0),
}


_LOANS: dict[str, Callable[[dict[str, Any]], None]] = {
    "borrowed": _set("queues", 0, "borrowed", to={GPU: 1}),
    "borrowed by a parent's resource that nobody deserves": _set(
        "queues", 0, "borrowed", "rdma/x", to=1
    ),
    "lent beyond what is idle": _set("queues", 1, "lent", GPU, to=3),
    "lent too little": _set("queues", 1, "lent", to={}),
    "a loan from nobody there": _set("queues", 0, "loans", 0, "from", to="c"),
    "a loan too small": _set("queues", 0, "loans", 0, "amount", to=1),
    "a loan of nothing": _set("queues", 0, "loans", 1, "amount", to=0),
    "a loan that the lender does not tell": _set("queues", 0, "loans", 1, "from", to="b"),
}


def _cluster_with_loans() -> Snapshot:
    """Queue a deserves 1 GPU and uses 4; queue b deserves 2 and uses none; 1 GPU is nobody's."""
    cluster = _cluster()
    deserved = [("a", 1), ("b", 2)]
    queues = tuple(
        Queue(name, deserved=Resources({GPU: gpus}), capability=Resources({GPU: 6}))
        for name, gpus in deserved
    )
    return replace(cluster, queues=queues)


def _document_with_loans() -> dict[str, Any]:
    full = _document()
    document = {part: full[part] for part in ("schemaVersion", "kind", "gangs", "queues")}
    for gang_entry in document["gangs"]:
        for key in ("startable", "tierClass", "rank"):
            gang_entry.pop(key, None)
    (borrower,) = document["queues"]
    borrower.update(
        deserved={GPU: 1},
        borrowed={GPU: 3},
        lent={},
        loans=[
            {"resource": GPU, "from": "b", "amount": 2},
            {"resource": GPU, "from": "", "amount": 1},
        ],
    )
    document["queues"].append({"name": "b", "deserved": {GPU: 2}, "lent": {GPU: 2}})
    return document


def test_ledger_that_agrees_is_accepted() -> None:
    document = PlanResult.model_validate(_document_with_loans())
    assert violations(_cluster_with_loans(), document) == ()


@pytest.mark.parametrize("name", _LOANS)
def test_wrong_loan_is_found(name: str) -> None:
    document = _document_with_loans()
    _LOANS[name](document)
    found = violations(_cluster_with_loans(), PlanResult.model_validate(document))
    assert {one.rule for one in found} == {RuleId.DOCUMENT.value}


def test_queues_without_a_ledger_are_not_checked_for_one() -> None:
    document = _document_with_loans()
    for entry in document["queues"]:
        for part in ("borrowed", "lent", "loans"):
            entry.pop(part, None)
    assert violations(_cluster_with_loans(), PlanResult.model_validate(document)) == ()


_SHARES: dict[str, Callable[[dict[str, Any]], None]] = {
    "more than requested": _set("queues", 0, "fairShare", GPU, to=7),
    "below nothing": _set("queues", 0, "fairShare", GPU, to=-1),
    "more than the cluster": _set("queues", 1, "fairShare", GPU, to=4),
    "a resource nobody asks for": _set("queues", 0, "fairShare", to={"rdma/x": 1}),
}


def _document_with_shares() -> dict[str, Any]:
    """The cluster has 9 GPUs: 6 are asked for by a, 5 by b."""
    document = _document_with_loans()
    document["fairShareRule"] = "joint"
    for entry, asked, share in zip(document["queues"], (6, 5), (6, 3), strict=True):
        entry.update(requested={GPU: asked}, fairShare={GPU: share})
    return document


def test_possible_fair_shares_are_accepted() -> None:
    document = PlanResult.model_validate(_document_with_shares())
    assert violations(_cluster_with_loans(), document) == ()


@pytest.mark.parametrize("name", _SHARES)
def test_impossible_fair_share_is_found(name: str) -> None:
    document = _document_with_shares()
    _SHARES[name](document)
    found = violations(_cluster_with_loans(), PlanResult.model_validate(document))
    assert {one.rule for one in found} == {RuleId.DOCUMENT.value}


def _check(document: dict[str, Any]) -> set[str]:
    found = violations(_cluster(), PlanResult.model_validate(document))
    return {one.rule for one in found}


def test_right_document_is_accepted() -> None:
    assert violations(_cluster(), PlanResult.model_validate(_document())) == ()


@pytest.mark.parametrize("name", _FAULTS)
def test_wrong_figure_is_found(name: str) -> None:
    document = _document()
    _FAULTS[name](document)
    assert _check(document) == {RuleId.DOCUMENT.value}


def test_open_tier_makes_those_below_conditional() -> None:
    """An unproved tier leaves the bounds below it true for the fixed values only; that must be said."""
    document = _document()
    document["certificate"].update(status="FEASIBLE", properties="maximal")
    _tier(document, "covered.1.gpus").update(bound=6, gap=0.5)
    assert _check(document) == {RuleId.DOCUMENT.value}
    for tier in document["certificate"]["tiers"][2:]:
        tier["conditional"] = True
    assert _check(document) == set()


def test_proved_needs_closed_start_tiers_only() -> None:
    document = _document()
    document["certificate"]["status"] = "FEASIBLE"
    _tier(document, "packing").update(bound=None, gap=None)
    assert _check(document) == set()
    _tier(document, "rest.1.gangs").update(bound=None, gap=None)
    _tier(document, "rest.1.elastic").update(conditional=True)
    assert _check(document) == {RuleId.DOCUMENT.value}


def test_gang_that_fits_beside_the_plan_must_not_wait() -> None:
    """P3: nothing starts although one gang fits; the figures are consistent, the claim is not."""
    document = _document()
    document["gangs"][0].update(
        decision="wait",
        pods=[],
        podsAfter=0,
        reasons=[{"code": "cluster_capacity", "message": "no"}],
    )
    document["summary"].update(gpusAfter=3, gangsStarted=0, gangsWaiting=3, podsPlaced=0)
    document["queues"][0]["after"] = {}
    document["nodes"][0]["after"] = _NEEDED
    document["certificate"].update(status="FEASIBLE", properties="maximal")
    for tier in document["certificate"]["tiers"]:
        tier.update(bound=None, gap=None)
    for name, value in (("covered.1.shortfall", 31_875), ("rest.1.shortfall", 31_875)):
        _tier(document, name)["value"] = value
    _tier(document, "covered.1.gpus")["value"] = _tier(document, "covered.1.gangs")["value"] = 0
    found = violations(_cluster(), PlanResult.model_validate(document))
    assert [(one.rule, one.object) for one in found] == [
        ("document", "gang/ml/x"),
        ("document", "gang/ml/y"),
    ]
    assert "fit beside the plan" in found[0].message


def test_parts_left_out_are_not_checked() -> None:
    document = _document()
    for part in ("summary", "snapshot", "certificate", "queues", "nodes", "verification"):
        document.pop(part)
    document["gangs"] = document["gangs"][:1]
    assert _check(document) == set()
