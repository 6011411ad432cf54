"""Documents that make no sense are reported, never a crash."""

from __future__ import annotations

import pytest
from verify_builders import (
    broken_rules,
    created,
    entry,
    gang,
    node,
    placed,
    plan,
    pods,
    snapshot,
    spec,
    template,
    violations,
)

from models.plan import (
    Certificate,
    GangEntry,
    NodeEntry,
    PlanResult,
    PodGroupEntry,
    QueueEntry,
    Tier,
)
from models.resources import Resources
from models.snapshot import Snapshot


def _cluster() -> Snapshot:
    return snapshot(
        nodes=[node("n1")],
        gangs=[gang("x", aliases=("ml/other-name",))],
        pods=[pods("x", 1, spec(1)), pods("x", 1, spec(1), node="n1", first=1)],
    )


def _item(**values: object) -> PlanResult:
    return plan(entry("x", "grow", PodGroupEntry.model_validate(values)))


@pytest.mark.parametrize(
    "document",
    [
        _item(action="place", node="n1", count=-1),
        _item(action="place", node="", count=1, names=("ml/x-0",)),
        _item(action="place", node="n1", count=0, names=("ml/x-0",)),
        _item(action="place", node="n1", count=10**9),
        _item(action="move", node="n1", count=1),
        _item(action="move", node="nowhere", count=1, names=("ml/x-1",)),
        _item(action="evict", count=3),
        _item(action="evict", count=1, names=("ml/x-0",)),
        _item(action="keep", count=1, names=("ml/none",)),
        plan(entry("x", "keep"), entry("other-name", "keep")),
        plan(GangEntry(namespace="", name="", decision="start", pods=(created("n1", 1),))),
        plan(
            entry("x", "keep"),
            certificate=Certificate(
                status="OPTIMAL",
                tiers=(
                    Tier(name="", sense="max", unit="", value=0, bound=0, gap=float("nan")),
                    Tier(name="elastic", sense="min", unit="", value=-5, bound=None, gap=1.0),
                ),
            ),
        ),
        plan(
            entry("x", "keep"),
            queues=(QueueEntry(name="zz"), QueueEntry(name="zz", limit=Resources({"odd": -3}))),
            nodes=(NodeEntry(name=""), NodeEntry(name="n1"), NodeEntry(name="n1")),
        ),
    ],
)
def test_nonsense_is_reported(document: PlanResult) -> None:
    found = violations(_cluster(), document)
    assert found
    assert all(one.rule and one.object and one.message for one in found)


def test_absurd_count_of_promised_pods_costs_nothing() -> None:
    """A count is never expanded into so many pods."""
    job = gang("x", 1, templates=(template("w", spec(1), 2),))
    cluster = snapshot(nodes=[node("n1")], gangs=[job])
    tiers = (Tier(name="elastic", sense="max", unit="pods", value=0),)
    document = plan(
        entry("x", "start", created("n1", 10**12, "w")), certificate=Certificate(tiers=tiers)
    )
    assert broken_rules(cluster, document) == {
        "node_capacity",
        "pod_supply",
        "queue_limit",
        "document",
    }


def test_empty_plan_of_an_empty_cluster_is_right() -> None:
    assert broken_rules(snapshot(queues=()), plan()) == set()


def test_all_violations_are_reported_not_only_the_first() -> None:
    cluster = snapshot(
        nodes=[node("n1", 1), node("n2", 1, unschedulable=True)],
        gangs=[gang("x", 5, queue="nowhere")],
        pods=[pods("x", 4, spec(1))],
    )
    document = plan(
        entry("x", "keep", placed("n1", "x-0", "x-1"), placed("n2", "x-2"), placed("n9", "x-3"))
    )
    assert broken_rules(cluster, document) == {
        "node_capacity",
        "node_predicates",
        "gang_ready",
        "queue_open",
        "document",
    }


def test_entry_may_use_any_name_of_the_gang() -> None:
    document = plan(entry("other-name", "grow", placed("n1", "x-0")))
    assert violations(_cluster(), document) == ()
