"""Rank and class of startable gangs: the walk of the default objective by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.cluster import Node
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.encode.eligibility import go_duration_s, one_class, standings
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import prepared_of

Place = tuple[str, int]


def _places(snapshot: Snapshot, **policy: object) -> dict[str, Place]:
    prepared = prepared_of(snapshot, **policy)
    found = standings(prepared, startable_demands(prepared.problem, exact_fit))
    names = prepared.problem.gang_names
    return {
        names[prepared.problem.demands[one.demand].gang].removeprefix("ml/"): (
            one.tier_class,
            one.rank,
        )
        for one in found
    }


def _cluster(*parts: Node | Queue | Work) -> Snapshot:
    return snapshot_of(gpu_node("n1", 16), *parts)


def test_gangs_within_what_is_deserved_are_covered() -> None:
    found = _places(_cluster(gpu_queue("q", deserved=8), work("x", 1, 4), work("y", 1, 4)))
    assert found == {"x": ("covered", 1), "y": ("covered", 1)}


def test_running_pods_use_up_what_is_deserved() -> None:
    running = work("r", 1, 5, nodes=("n1",))
    found = _places(_cluster(gpu_queue("q", deserved=8), running, work("x", 1, 4), work("y", 1, 3)))
    assert found == {"x": ("rest", 1), "y": ("covered", 1)}


def test_inside_a_rank_one_that_does_not_fit_is_passed_over_in_order_of_age() -> None:
    found = _places(
        _cluster(
            gpu_queue("q", deserved=8),
            work("old", 1, 4, created=1),
            work("big", 1, 5, created=2),
            work("new", 1, 4, created=3),
            work("late", 1, 1, created=4),
        )
    )
    assert found == {
        "old": ("covered", 1),
        "big": ("rest", 1),
        "new": ("covered", 1),
        "late": ("rest", 1),
    }


def test_names_decide_between_gangs_of_the_same_age() -> None:
    found = _places(_cluster(gpu_queue("q", deserved=4), work("b", 1, 4), work("a", 1, 4)))
    assert found == {"a": ("covered", 1), "b": ("rest", 1)}


def test_the_walk_ends_after_the_first_rank_with_one_that_does_not_fit() -> None:
    found = _places(
        _cluster(
            gpu_queue("q", deserved=8),
            work("top", 1, 6, priority=9),
            work("huge", 1, 9, priority=5),
            work("mid", 1, 1, priority=5),
            work("low", 1, 1, priority=1),
        )
    )
    assert found == {
        "top": ("covered", 1),
        "huge": ("rest", 2),
        "mid": ("covered", 2),
        "low": ("rest", 3),
    }


def test_a_gang_without_any_dimension_that_is_deserved_is_not_covered() -> None:
    found = _places(_cluster(gpu_queue("q", deserved=8), work("cpu", 1, 0), work("gpu", 1, 1)))
    assert found == {"cpu": ("rest", 1), "gpu": ("covered", 1)}


def test_every_deserved_dimension_that_is_asked_for_has_to_fit() -> None:
    queue = Queue("q", deserved=Resources({"nvidia.com/gpu": 8, "cpu": 1500}))
    found = _places(_cluster(queue, work("x", 1, 1, created=1), work("y", 1, 1, created=2)))
    assert found == {"x": ("covered", 1), "y": ("rest", 1)}


def test_a_listed_zero_covers_nothing() -> None:
    assert _places(_cluster(gpu_queue("q", deserved=0), work("x", 1, 1))) == {"x": ("rest", 1)}


def test_under_proportion_everything_startable_is_covered() -> None:
    found = _places(
        _cluster(Queue("q"), work("x", 1, 4), work("y", 1, 0)), queue_model="proportion"
    )
    assert set(found.values()) == {("covered", 1)}


def test_what_cannot_start_has_no_place_and_takes_no_rank() -> None:
    cluster = _cluster(
        gpu_queue("q", deserved=8), work("huge", 1, 17, priority=9), work("x", 1, 1, priority=1)
    )
    assert _places(cluster) == {"x": ("covered", 1)}


def test_ranks_are_counted_queue_by_queue_and_with_cluster_scope_over_all() -> None:
    cluster = _cluster(
        gpu_queue("q", deserved=8),
        gpu_queue("p", deserved=8),
        work("a", 1, 1, priority=9),
        work("b", 1, 1, priority=5),
        work("c", 1, 1, queue="p", priority=5),
        work("d", 1, 1, queue="p", priority=1),
    )
    own = _places(cluster)
    assert [own[name][1] for name in "abcd"] == [1, 2, 1, 2]
    over_all = _places(cluster, priority_scope="cluster")
    assert [over_all[name][1] for name in "abcd"] == [1, 2, 2, 3]


def test_cluster_scope_changes_no_covered_set() -> None:
    cluster = _cluster(
        gpu_queue("q", deserved=4),
        gpu_queue("p", deserved=4),
        work("a", 1, 5, priority=1),
        work("c", 1, 4, queue="p", priority=5),
        work("d", 1, 4, queue="p", priority=1),
    )
    for scope in ("queue", "cluster"):
        found = _places(cluster, priority_scope=scope)
        assert {name for name, place in found.items() if place[0] == "covered"} == {"c"}


def _waits(one: Work, text: str) -> Work:
    gang: Gang = replace(one.gang, annotations={"volcano.sh/sla-waiting-time": text})
    return replace(one, gang=gang)


def test_with_sla_the_earlier_deadline_goes_first_and_none_goes_last() -> None:
    cluster = _cluster(
        gpu_queue("q", deserved=16),
        _waits(work("a", 1, 1, created=10), "30m"),
        _waits(work("b", 1, 1, created=20), "5m"),
        work("c", 1, 1, created=0),
        _waits(work("d", 1, 1, created=0), "soon"),
        _waits(work("top", 1, 1, created=50, priority=1), "99h"),
    )
    found = _places(cluster, sla=True)
    assert [found[name][1] for name in ("top", "b", "a", "c", "d")] == [1, 2, 3, 4, 4]
    assert {rank for _, rank in _places(cluster).values()} == {1, 2}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h30m", 5400.0),
        ("90s", 90.0),
        ("1.5h", 5400.0),
        ("250ms", 0.25),
        ("2m3s4ms", 123.004),
        ("", None),
        ("10", None),
        ("h", None),
        ("1h ", None),
        ("-5m", None),
        ("1d", None),
    ],
)
def test_go_durations(text: str, seconds: float | None) -> None:
    assert go_duration_s(text) == seconds


def test_throughput_knows_one_class_and_one_rank() -> None:
    prepared = prepared_of(_cluster(gpu_queue("q"), work("x", 1, 4), work("y", 1, 3, priority=7)))
    found = one_class(standings(prepared, startable_demands(prepared.problem, exact_fit)))
    assert [(one.tier_class, one.rank) for one in found] == [("all", 1), ("all", 1)]
