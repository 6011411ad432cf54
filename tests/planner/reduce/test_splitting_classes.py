"""Interchangeable gangs as one class, and the sums of a class split into gangs again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.workloads import RoleTemplate, SubGroupPolicy
from planner.problem.placement import Demand, Item
from planner.reduce.gang_classes import GangClass, split_pods
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import bare_demand, classes_of, prepared_of


@st.composite
def _classes_and_sums(draw: st.DrawFn) -> tuple[GangClass, int, list[int]]:
    """A class, how many of its gangs start, and sums that satisfy the rows of the class."""
    counts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    roles = [draw(st.sampled_from("abc")) for _ in counts]
    by_role = {
        role: sum(n for n, r in zip(counts, roles, strict=True) if r == role) for role in roles
    }
    needs = {role: draw(st.integers(0, most)) for role, most in by_role.items()}
    need = draw(st.integers(max(sum(needs.values()), 1), sum(counts)))
    growing = draw(st.booleans())
    size = draw(st.integers(1, 6))
    started = size if growing else draw(st.integers(0, size))
    items = [Item(role, i, n) for i, (role, n) in enumerate(zip(roles, counts, strict=True))]
    demand = bare_demand(
        items,
        need=0 if growing else need,
        role_need=[] if growing else [(r, n) for r, n in sorted(needs.items()) if n],
        ready=growing,
    )
    sums = [draw(st.integers(0, n * started)) for n in counts]
    for role, lacking in demand.role_need:
        _raise(
            sums, counts, started, lacking * started, [i for i, r in enumerate(roles) if r == role]
        )
    _raise(sums, counts, started, demand.need * started, list(range(len(counts))))
    return GangClass(tuple(range(size)), demand, "", 1), started, sums


def _raise(
    sums: list[int], counts: list[int], started: int, wanted: int, members: list[int]
) -> None:
    """Add pods to some items until they have as many as wanted."""
    for i in members:
        missing = wanted - sum(sums[j] for j in members)
        sums[i] += max(min(missing, counts[i] * started - sums[i]), 0)


def _is_ready(demand: Demand, split: dict[int, int]) -> bool:
    by_role: dict[str, int] = {}
    for index, count in split.items():
        role = demand.items[index].role
        by_role[role] = by_role.get(role, 0) + count
    enough = all(by_role.get(role, 0) >= lacking for role, lacking in demand.role_need)
    return enough and sum(split.values()) >= demand.need


@given(case=_classes_and_sums())
@settings(max_examples=400)
def test_feasible_sums_split_into_feasible_gangs(case: tuple[GangClass, int, list[int]]) -> None:
    one, started, sums = case
    splits = split_pods(one, started, sums)
    assert len(splits) == started
    for split in splits:
        assert all(0 <= count <= one.example.items[i].count for i, count in split.items())
        assert _is_ready(one.example, split), (one.example, sums, splits)
    for index, total in enumerate(sums):
        assert sum(split.get(index, 0) for split in splits) == total


def test_minima_are_served_before_anything_elastic() -> None:
    one = GangClass((0, 1), bare_demand([(0, 4)], need=2), "covered", 1)
    assert sorted(split[0] for split in split_pods(one, 2, [5])) == [2, 3]


@pytest.mark.parametrize(("sums", "told"), [([1], "too few pods"), ([9], "belong to no gang")])
def test_sums_that_no_gangs_make_are_refused(sums: list[int], told: str) -> None:
    one = GangClass((0, 1), bare_demand([(0, 4)], need=2), "covered", 1)
    with pytest.raises(ArithmeticError, match=told):
        split_pods(one, 2, sums)


def test_equal_gangs_of_a_queue_are_one_class_in_order_of_age() -> None:
    prepared = prepared_of(
        snapshot_of(
            gpu_node("n1"),
            gpu_queue("q"),
            gpu_queue("p"),
            work("x", 2, created=3),
            work("y", 2, created=1),
            work("z", 2, created=2, priority=1),
            work("v", 2, created=2, queue="p"),
            work("w", 3, created=2),
        )
    )
    names = prepared.problem.gang_names
    found = [
        [names[prepared.problem.demands[index].gang] for index in one.demands]
        for one in classes_of(prepared)
    ]
    assert ["ml/y", "ml/x"] in found
    assert sorted(map(len, found)) == [1, 1, 1, 2]
    assert all(one.size == 1 for one in classes_of(prepared, aggregate=False))


def test_running_gangs_are_classes_of_their_own_that_only_grow() -> None:
    running = work("r", 3, minimum=1, nodes=("n1",))
    prepared = prepared_of(snapshot_of(gpu_node("n1"), gpu_queue("q"), running, work("x", 2)))
    growing = [one for one in classes_of(prepared) if one.growing]
    assert [(one.tier_class, one.rank, one.size) for one in growing] == [("", 1, 1)]


def test_gangs_with_subgroups_or_partitions_stay_alone() -> None:
    """Three pods in twos are four: two gangs of three had sums of six pods that no split could serve."""
    spec = work("s", 1).pods[0].spec
    jobs = []
    for name in ("a", "b"):
        job = work(name, 0, minimum=3)
        template = RoleTemplate("w", spec, 4, partition_size=2)
        jobs.append(replace(job, gang=replace(job.gang, templates=(template,))))
    grouped = []
    for name in ("c", "d"):
        one = work(name, 2)
        policy = SubGroupPolicy(match_label_keys=("ring",), size=2)
        grouped.append(replace(one, gang=replace(one.gang, subgroups=(policy,))))
    prepared = prepared_of(snapshot_of(gpu_node("n1"), gpu_queue("q"), *jobs, *grouped))
    assert [one.size for one in classes_of(prepared)] == [1, 1, 1, 1]
