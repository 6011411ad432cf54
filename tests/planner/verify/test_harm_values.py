"""What evictions cost, and what startable and covered mean where evictions are allowed."""

from __future__ import annotations

from typing import Any

import pytest
from verify_builders import GPU, entry, gang, node, plan, pods, policy, snapshot, spec
from victim_mutations import leaves, starts

from models.cluster import HyperNode, HyperNodeMember, PodDisruptionBudget
from models.plan import PlanResult, Reason, Summary
from models.queues import Queue
from models.resources import Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from planner.verify.check import verify
from planner.verify.standing import RankedState
from planner.verify.tiers import recompute_tiers

NOW = "2026-08-20T10:00:00Z"
HOUR_AGO = "2026-08-20T09:00:00Z"


def _world(**parts: Any) -> Snapshot:
    """v (2 GPUs, minMember 1, since an hour) holds n1; p (1 GPU, high) waits."""
    return snapshot(
        nodes=[node("n1", gpus=2, labels=parts.pop("labels", {}))],
        gangs=[gang("v", 1, **parts.pop("v", {})), gang("p", priority=10)],
        pods=[
            pods("v", 2, spec(1), node="n1", started=HOUR_AGO, **parts.pop("running", {})),
            pods("p", 1, spec(1)),
        ],
        **parts,
    )


SHRINK = plan(leaves("v", "v-1", stay=True), starts("p", "p-0"))
GIVE_UP = plan(leaves("v", "v-0", "v-1"), starts("p", "p-0"))


def _values(cluster: Snapshot, document: PlanResult, **keys: Any) -> dict[str, int]:
    return recompute_tiers(cluster, policy(cluster, evict=["preempt"], now=NOW, **keys), document)


def test_surplus_is_no_gang_given_up() -> None:
    values = _values(_world(), SHRINK)
    assert (values["gangs_given_up"], values["pods_evicted"], values["lost_work"]) == (0, 1, 3600)
    values = _values(_world(), GIVE_UP)
    assert (values["gangs_given_up"], values["pods_evicted"], values["lost_work"]) == (1, 2, 7200)


def test_a_job_that_restarts_loses_the_work_of_all_its_pods() -> None:
    values = _values(_world(v={"restarts_on_eviction": True}), SHRINK)
    assert (values["pods_evicted"], values["lost_work"]) == (1, 7200)


def test_work_since_the_last_checkpoint_and_the_restart_count() -> None:
    rule = {"interval_seconds": 1000, "restart_seconds": 50}
    assert _values(_world(), SHRINK, checkpoint=[rule])["lost_work"] == 600 + 50
    other = {**rule, "queue": "elsewhere"}
    assert _values(_world(), SHRINK, checkpoint=[other])["lost_work"] == 3600
    marked = _world(
        v={
            "annotations": {
                "gangplan.io/checkpoint-interval": "25m",
                "gangplan.io/restart-cost": "30",
            }
        }
    )
    assert _values(marked, SHRINK, checkpoint=[rule])["lost_work"] == 600 + 30


def test_an_unknown_start_counts_nothing() -> None:
    cluster = snapshot(
        nodes=[node("n1", gpus=1)],
        gangs=[gang("v"), gang("p", priority=10)],
        pods=[pods("v", 1, spec(1), node="n1"), pods("p", 1, spec(1))],
    )
    document = plan(leaves("v", "v-0"), starts("p", "p-0"))
    rule = {"interval_seconds": 1000, "restart_seconds": 50}
    assert _values(cluster, document, checkpoint=[rule])["lost_work"] == 0


@pytest.mark.parametrize(
    ("harm", "first"),
    [
        (["lost_work", "gangs", "pods", "moves", "domains"], "lost_work"),
        (["domains"], "eviction_domains"),
    ],
)
def test_harm_reorders_the_tiers(harm: list[str], first: str) -> None:
    names = list(_values(_world(), SHRINK, harm=harm))
    tail = names[names.index(first) :]
    assert tail[0] == first
    assert set(tail) >= {"gangs_given_up", "pods_evicted", "pods_moved", "lost_work", "packing"}


def _two_nodes(**parts: Any) -> Snapshot:
    return snapshot(
        nodes=[
            node("n1", gpus=1, labels={"leaf": "l1"}),
            node("n2", gpus=1, labels={"leaf": "l1"}),
        ],
        gangs=[gang("v", 2), gang("p", 2, priority=10)],
        pods=[
            pods("v", 1, spec(1), node="n1"),
            pods("v", 1, spec(1), node="n2", first=1),
            pods("p", 2, spec(1)),
        ],
        **parts,
    )


def test_domains_are_hyper_nodes_then_labels_then_nodes() -> None:
    out = leaves("v", "v-0", "v-1")
    parts = [part.model_copy(update={"from_node": None}) for part in out.pods]
    document = plan(out.model_copy(update={"pods": tuple(parts)}), entry("p", "wait"))
    assert _values(_two_nodes(), document)["eviction_domains"] == 2
    assert _values(_two_nodes(), document, topology_labels=["leaf"])["eviction_domains"] == 1
    members = tuple(HyperNodeMember("Node", exact_name=name) for name in ("n1", "n2"))
    leaf = HyperNode("s1", 1, members=members)
    assert _values(_two_nodes(hyper_nodes=(leaf,)), document)["eviction_domains"] == 1


def test_a_gang_is_startable_beside_what_some_waiting_gang_may_take() -> None:
    """q may preempt nobody, but p could make the room."""
    cluster = snapshot(
        nodes=[node("n1", gpus=1)],
        gangs=[gang("v"), gang("p", priority=10), gang("q")],
        pods=[pods("v", 1, spec(1), node="n1"), pods("p", 1, spec(1)), pods("q", 1, spec(1))],
    )
    standings = RankedState(cluster, policy(cluster, evict=["preempt"]), plan()).standings
    assert {name: one.rank for name, one in standings.items()} == {"ml/p": 1, "ml/q": 2}
    fixed = RankedState(cluster, policy(cluster), plan()).standings
    assert not any(one.startable for one in fixed.values())


def test_exhausted_budgets_and_closed_queues_leave_nothing_to_take() -> None:
    budget = PodDisruptionBudget("ml", "b", LabelSelector(), 0)
    for parts, keys in (
        ({"disruption_budgets": (budget,)}, {"pdb": True}),
        ({"queues": (Queue("a", state="Closed"),)}, {}),
    ):
        cluster = _world(**parts)
        effective = policy(cluster, evict=["preempt"], **keys)
        standings = RankedState(cluster, effective, plan()).standings
        assert not standings["ml/p"].startable


def test_covered_counts_what_the_gang_may_not_preempt() -> None:
    cluster = snapshot(
        nodes=[node("n1", gpus=2)],
        queues=[Queue("a", deserved=Resources({GPU: 1}))],
        gangs=[gang("v"), gang("p", priority=10), gang("q", priority=0)],
        pods=[pods("v", 1, spec(1), node="n1"), pods("p", 1, spec(1)), pods("q", 1, spec(1))],
    )
    classes = {
        name: one.tier_class
        for name, one in RankedState(
            cluster, policy(cluster, evict=["preempt"]), plan()
        ).standings.items()
    }
    assert classes == {"ml/p": "covered", "ml/q": "rest"}
    kept = RankedState(cluster, policy(cluster), plan()).standings
    assert {one.tier_class for one in kept.values()} == {"rest"}


@pytest.mark.parametrize(
    ("code", "gangs", "right"),
    [
        ("preempted", ["ml/p"], True),
        ("preempted", [], False),
        ("preempted", ["ml/v"], False),
        ("reclaimed", ["ml/p"], False),
    ],
)
def test_a_whole_document_names_the_gangs_for_which_it_evicts(
    code: str, gangs: list[str], right: bool
) -> None:
    cluster = _world()
    reason = Reason(code=code, message="makes room for ml/p", data={"gangs": gangs})
    losing = leaves("v", "v-1", stay=True).model_copy(update={"reasons": (reason,)})
    summary = Summary(
        gpus_allocatable=2,
        gpus_before=2,
        gpus_after=2,
        gangs_started=1,
        pods_placed=1,
        pods_evicted=1,
    )
    document = plan(losing, starts("p", "p-0"), summary=summary)
    effective = policy(cluster, evict=["preempt"], now=NOW)
    found = verify(cluster, effective, document).violations
    assert (not found) == right, found
