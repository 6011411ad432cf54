"""Values of all tiers on clusters small enough to count by hand."""

from __future__ import annotations

from typing import Any

import pytest
from verify_builders import (
    GPU,
    created,
    entry,
    gang,
    node,
    placed,
    plan,
    pods,
    policy,
    snapshot,
    spec,
    template,
)

from models.plan import PlanResult
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import SubGroupPolicy
from planner.verify.standing import go_seconds
from planner.verify.tiers import recompute_tiers, shortfall, shortfall_cost


def _values(cluster: Snapshot, document: PlanResult, **keys: Any) -> dict[str, int]:
    return recompute_tiers(cluster, policy(cluster, **keys), document)


def _start_values(cluster: Snapshot, document: PlanResult, **keys: Any) -> dict[str, int]:
    return {name: n for name, n in _values(cluster, document, **keys).items() if "." in name}


@pytest.mark.parametrize(
    ("thousandths", "cost"), [(0, 0), (125, 125), (126, 127), (250, 375), (1000, 31_875)]
)
def test_shortfall_cost_doubles_its_slope_on_every_eighth(thousandths: int, cost: int) -> None:
    assert shortfall_cost(thousandths) == cost


@pytest.mark.parametrize(
    ("deserved_milli", "gpus", "lacking"),
    [(8000, 8, 0), (8000, 9, 0), (8000, 0, 1000), (3000, 1, 667), (2666, 2, 250), (2666, 1, 625)],
)
def test_shortfall_rounds_up(deserved_milli: int, gpus: int, lacking: int) -> None:
    assert shortfall(deserved_milli, gpus) == lacking


def _two_queues() -> Snapshot:
    """Queue a deserves 4 of 8 GPUs and runs 2; queue b deserves nothing and has a gang of 2 pods."""
    return snapshot(
        nodes=[node("n1")],
        gangs=[
            gang("run"),
            gang("high", 2, priority=9),
            gang("late", 1, created="2026-08-20T09:00:00Z"),
            gang("early", 1, created="2026-08-20T07:00:00Z"),
            gang("other", 2, queue="b", priority=5),
        ],
        pods=[
            pods("run", 1, spec(2), node="n1"),
            pods("high", 2, spec(1)),
            pods("late", 1, spec(2)),
            pods("early", 1, spec(2)),
            pods("other", 2, spec(1)),
        ],
        queues=(Queue("a", deserved=Resources({GPU: 4})), Queue("b")),
    )


_HIGH = entry("high", "start", placed("n1", "high-0", "high-1"))
_EARLY = entry("early", "start", placed("n1", "early-0"))
_OTHER = entry("other", "start", placed("n1", "other-0", "other-1"))


def test_classes_ranks_and_shortfall() -> None:
    """high is covered (2 + 2 <= 4); the rank below does not fit; b has no deserved amount, so nothing is covered."""
    values = _start_values(_two_queues(), plan(_HIGH, _EARLY, _OTHER))
    assert values == {
        "covered.1.shortfall": 0,
        "covered.1.gpus": 2,
        "covered.1.gangs": 1,
        "rest.1.shortfall": 0,
        "rest.1.gpus": 2,
        "rest.1.gangs": 1,
        "rest.1.elastic": 0,
        "rest.2.shortfall": 0,
        "rest.2.gpus": 2,
        "rest.2.gangs": 1,
        "rest.2.elastic": 0,
    }
    assert list(values) == sorted(values, key=lambda name: name.rpartition(".")[0])


def test_shortfall_counts_gangs_of_this_and_earlier_tiers() -> None:
    """Half of what a deserves is missing until early starts, two tiers later."""
    values = _start_values(_two_queues(), plan(_EARLY))
    half = shortfall_cost(500)
    assert values["covered.1.shortfall"] == half
    assert values["rest.1.shortfall"] == half
    assert values["rest.2.shortfall"] == 0


def test_covered_walk_goes_by_rank_then_creation_and_passes_over() -> None:
    """Deserved 5: high (2) fits, late (2 more, created first) does not, the small one behind it does."""
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[
            gang("run"),
            gang("high", priority=9),
            gang("big", created="2026-08-20T07:00:00Z"),
            gang("small", created="2026-08-20T09:00:00Z"),
            gang("low", priority=-1),
        ],
        pods=[
            pods("run", 1, spec(2), node="n1"),
            pods("high", 1, spec(2)),
            pods("big", 1, spec(2)),
            pods("small", 1, spec(1)),
            pods("low", 1, spec(0)),
        ],
        queues=(Queue("a", deserved=Resources({GPU: 5})),),
    )
    start = [entry(name, "start", placed("n1", f"{name}-0")) for name in ("high", "big", "small")]
    values = _start_values(cluster, plan(*start))
    assert {name: n for name, n in values.items() if name.endswith("gpus")} == {
        "covered.1.gpus": 2,
        "covered.2.gpus": 1,
        "rest.2.gpus": 2,
        "rest.3.gpus": 0,
    }


def test_throughput_has_one_class_and_one_rank() -> None:
    values = _start_values(_two_queues(), plan(_HIGH, _OTHER), objective="throughput")
    assert values == {"all.1.gpus": 4, "all.1.gangs": 2, "all.1.elastic": 0}


def test_cluster_scope_compares_priorities_of_all_queues() -> None:
    values = _start_values(_two_queues(), plan(_HIGH, _OTHER), priority_scope="cluster")
    gpus = {name: n for name, n in values.items() if name.endswith("gpus")}
    assert list(gpus.items()) == [("covered.1.gpus", 2), ("rest.2.gpus", 2), ("rest.3.gpus", 0)]


def test_sla_makes_the_earlier_deadline_a_rank_of_its_own() -> None:
    waits = {"volcano.sh/sla-waiting-time": "1h30m"}
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[
            gang("none", created="2026-08-20T01:00:00Z"),
            gang("first", annotations=waits, created="2026-08-20T07:00:00Z"),
            gang("second", annotations={"sla-waiting-time": "1m"}, created="2026-08-20T08:30:00Z"),
        ],
        pods=[pods("none", 1, spec(1)), pods("first", 1, spec(2)), pods("second", 1, spec(4))],
    )
    document = plan(entry("second", "start", placed("n1", "second-0")))
    with_sla = _start_values(cluster, document, sla=True)
    assert [with_sla[f"rest.{rank}.gpus"] for rank in (1, 2, 3)] == [0, 4, 0]
    assert _start_values(cluster, document)["rest.1.gpus"] == 4


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1h30m", 5400.0), ("1.5h", 5400.0), ("250ms", 0.25), ("", None), ("1d", None), ("x1h", None)],
)
def test_go_durations(text: str, seconds: float | None) -> None:
    assert go_seconds(text) == seconds


def test_proportion_covers_everything_and_deserves_the_share() -> None:
    """Two queues of equal weight that ask for 6 GPUs each get 4 of 8."""
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[gang("x", 2), gang("y", 3, queue="b")],
        pods=[pods("x", 3, spec(2)), pods("y", 3, spec(2))],
        queues=(Queue("a"), Queue("b")),
    )
    start = entry("x", "start", placed("n1", "x-0", "x-1"))
    values = _start_values(cluster, plan(start), queue_model="proportion")
    assert values == {
        "covered.1.shortfall": shortfall_cost(1000),
        "covered.1.gpus": 4,
        "covered.1.gangs": 1,
        "covered.1.elastic": 0,
    }


def test_gangs_count_at_their_minimum_and_only_what_they_lack() -> None:
    """part needs 1 of its 3 pods more and gets 2; none (minMember 0) counts 1 of 2; the rest is elastic."""
    cluster = snapshot(
        nodes=[node("n1"), node("n2")],
        gangs=[gang("part", 3), gang("none", 0), gang("done")],
        pods=[
            pods("part", 2, spec(1), node="n1"),
            pods("part", 2, spec(1), first=2),
            pods("none", 2, spec(1)),
            pods("done", 1, spec(1), node="n1"),
            pods("done", 2, spec(1), first=1),
        ],
    )
    document = plan(
        entry("part", "start", placed("n1", "part-2", "part-3")),
        entry("none", "start", placed("n1", "none-0", "none-1")),
        entry("done", "grow", placed("n1", "done-1")),
    )
    values = _values(cluster, document)
    assert (values["rest.1.gpus"], values["rest.1.gangs"]) == (2, 2)
    assert values["rest.1.elastic"] == 1 + 1 + 1
    assert values["packing"] == 8


def test_packing_counts_nodes_without_gpu_pods_even_terminating_ones() -> None:
    cluster = snapshot(
        nodes=[node("n1"), node("n2", 4), node("n3", 2)],
        gangs=[gang("x")],
        pods=[
            pods("x", 1, spec(0)),
            pods("", 1, spec(1), node="n1", role="ending", terminating=True),
            pods("", 1, spec(1), node="n2", role="failed", phase="Failed"),
        ],
    )
    assert _values(cluster, plan(entry("x", "start", placed("n3", "x-0"))))["packing"] == 6


def test_minimum_of_roles_and_subgroups_is_the_least_over_all_choices() -> None:
    """Two partitions of two pods, one with 1 GPU per pod, one with 3; one partition has to be complete."""
    policy_ = SubGroupPolicy("p", match_label_keys=("part",), size=2, min_subgroups=1)
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[gang("x", 2, subgroups=(policy_,))],
        pods=[
            pods("x", 2, spec(3), role="big", labels={"part": "0"}),
            pods("x", 2, spec(1), role="small", labels={"part": "1"}),
        ],
    )
    start = entry("x", "start", placed("n1", "x-big0", "x-big1"))
    assert _values(cluster, plan(start))["rest.1.gpus"] == 2


def test_unsupported_gangs_are_outside_ranks() -> None:
    special = spec(1, special_rules=("gpuShare",))
    cluster = snapshot(
        nodes=[node("n1")],
        gangs=[gang("x"), gang("y", priority=9)],
        pods=[pods("x", 1, spec(1)), pods("y", 1, special)],
    )
    start = entry("x", "start", placed("n1", "x-0"))
    assert list(_start_values(cluster, plan(start))) == [
        "rest.1.shortfall",
        "rest.1.gpus",
        "rest.1.gangs",
        "rest.1.elastic",
    ]


def test_promised_pods_count_like_existing_ones() -> None:
    job = gang("x", 2, templates=(template("w", spec(2), 3),))
    cluster = snapshot(nodes=[node("n1")], gangs=[job])
    values = _values(cluster, plan(entry("x", "start", created("n1", 3, "w"))))
    assert (values["rest.1.gpus"], values["rest.1.elastic"]) == (4, 1)


def test_gang_that_never_fits_has_no_tier() -> None:
    cluster = snapshot(nodes=[node("n1")], gangs=[gang("x")], pods=[pods("x", 1, spec(9))])
    assert _start_values(cluster, plan(entry("x", "wait"))) == {}
