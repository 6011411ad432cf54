"""Sets of pods that make a gang ready, and whether they pack: compared with enumeration."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from verify_builders import GPU, gang, node, plan, pods, policy, snapshot, spec, template

from models.queues import Queue
from models.resources import PODS, Resources
from models.workloads import Gang, Pod, SubGroupPolicy
from planner.verify.fitting import Fitting
from planner.verify.needs import Need, need_of
from planner.verify.packing import packs
from planner.verify.readiness import is_ready
from planner.verify.room import Stall
from planner.verify.standing import RankedState
from planner.verify.subgroups import group_key


def _state(group: Gang, members: list[Pod], *nodes: int) -> RankedState:
    cluster = snapshot(
        nodes=[node(f"n{i}", gpus) for i, gpus in enumerate(nodes or (8,))],
        gangs=[group],
        pods=[members],
        queues=(Queue("a"),),
    )
    return RankedState(cluster, policy(cluster), plan())


def _fits(state: RankedState) -> bool | None:
    group = state.snapshot.gangs[0]
    need = need_of(state, group)
    specs = [piece.spec for piece in need.pieces]
    return Fitting(state, state.held_before, state.queue_before, specs).fits(group, need)


def test_plain_gang_needs_a_number() -> None:
    state = _state(gang("x", 3), pods("x", 4, spec(1)))
    need = need_of(state, state.snapshot.gangs[0])
    assert need.counts == {(3,)}
    assert need.least(lambda one: one.request.amount(GPU)) == 3


def test_too_few_pods_cannot_start() -> None:
    state = _state(gang("x", 5), pods("x", 4, spec(1)))
    assert not need_of(state, state.snapshot.gangs[0]).possible
    assert _fits(state) is False


def test_partitions_come_whole() -> None:
    job = gang("x", 3, templates=(template("w", spec(1), 8, partition_size=4),))
    state = _state(job, [])
    assert need_of(state, job).counts == {(4,)}


def test_many_equal_subgroups_are_counted_not_listed() -> None:
    parts = SubGroupPolicy("p", match_label_keys=("part",), size=4, min_subgroups=20)
    shape = spec(1)
    members = [
        pod
        for part in range(40)
        for pod in pods("x", 4, shape, role=f"p{part}-", labels={"part": str(part)})
    ]
    state = _state(gang("x", 80, subgroups=(parts,)), members)
    need = need_of(state, state.snapshot.gangs[0])
    assert need.least(lambda _: 1) == 80


def test_absurd_numbers_of_promised_pods_are_not_listed() -> None:
    """Above the bound the sets are unknown, and the document's own word counts."""
    parts = SubGroupPolicy("p", match_label_keys=("part",), size=2, min_subgroups=1)
    huge = template("w", spec(1), 10**12, partition_size=2)
    small = gang("x", 2, subgroups=(parts,), templates=(huge,))
    assert need_of(_state(small, []), small).counts == {(2,), (4,)}
    large = gang("x", 10**9, subgroups=(parts,), templates=(huge,))
    assert need_of(_state(large, []), large).counts is None


def _random_gang(rnd: Random) -> tuple[Gang, list[Pod]]:
    shapes = [spec(rnd.choice([0, 1, 2, 3])) for _ in range(2)]
    nodes = [None, None, None, "n0"]
    members = [
        pod
        for index in range(rnd.randint(1, 6))
        for pod in pods(
            "x",
            1,
            rnd.choice(shapes),
            role=rnd.choice("mw"),
            first=index,
            node=rnd.choice(nodes),
            labels={"part": str(rnd.randint(0, 2)), "grouped": rnd.choice(["yes", "no"])},
        )
    ]
    policies: tuple[SubGroupPolicy, ...] = ()
    if rnd.random() < 0.5:
        keys = ("part",) if rnd.random() < 0.8 else ()
        policies = (
            SubGroupPolicy(
                "p", match_label_keys=keys, size=rnd.randint(1, 3), min_subgroups=rnd.randint(0, 2)
            ),
        )
    roles = {"m": rnd.randint(0, 2), "w": rnd.randint(0, 2)} if rnd.random() < 0.5 else {}
    return gang("x", rnd.randint(0, 5), role_minimum=roles, subgroups=policies), members


def _legal(group: Gang, before: list[Pod], chosen: tuple[Pod, ...]) -> bool:
    after = [*before, *chosen]
    if not is_ready(group, after, []):
        return False
    for one in group.subgroups:
        for key in {group_key(one, pod) for pod in chosen}:
            size = sum(group_key(one, pod) == key for pod in after)
            if size < one.size:
                return False
    return True


def _best(group: Gang, need: Need, waiting: list[Pod], before: list[Pod]) -> int | None:
    """Least GPUs over all sets, by listing them."""
    found = [
        sum(pod.spec.request.amount(GPU) for pod in chosen)
        for size in range(1, len(waiting) + 1)
        for chosen in itertools.combinations(waiting, size)
        if _legal(group, before, chosen)
    ]
    return min(found, default=None)


def test_least_need_equals_enumeration() -> None:
    compared = 0
    for seed in range(400):
        group, members = _random_gang(Random(seed))
        state = _state(group, members)
        before = state.running_before(group)
        if is_ready(group, before, []):
            continue
        need = need_of(state, group)
        assert need.counts is not None
        waiting = [pod for pod in members if pod.pending]
        wanted = _best(group, need, waiting, before)
        assert need.least(lambda one: one.request.amount(GPU)) == wanted, seed
        compared += wanted is not None
    assert compared > 50


def _brute_packs(wanted: list[tuple[int, int]], rooms: list[tuple[int, int]]) -> bool:
    """Place (GPUs, cores) items one by one on every node."""
    if not wanted:
        return True
    (gpus, cores), rest = wanted[0], wanted[1:]
    for index, (free_gpus, free_cores) in enumerate(rooms):
        if gpus <= free_gpus and cores <= free_cores:
            after = [*rooms]
            after[index] = (free_gpus - gpus, free_cores - cores)
            if _brute_packs(rest, after):
                return True
    return False


def test_packing_equals_enumeration() -> None:
    answers = set()
    for seed in range(300):
        rnd = Random(seed)
        items = [(rnd.randint(1, 4), rnd.randint(1, 4)) for _ in range(3)]
        counts = tuple(rnd.randint(1, 2) for _ in items)
        rooms = [(rnd.randint(1, 6), rnd.randint(1, 6)) for _ in range(rnd.randint(1, 4))]
        requests = [(("cpu", cores), (GPU, gpus)) for gpus, cores in items]
        stalls = [
            (Stall(0, node("n"), {GPU: g, "cpu": c, PODS: 9}, nodes=1), frozenset({0, 1, 2}))
            for g, c in rooms
        ]
        flat = [item for item, count in zip(items, counts, strict=True) for _ in range(count)]
        wanted = _brute_packs(flat, rooms)
        answers.add(wanted)
        assert packs(counts, requests, stalls) is wanted, seed
    assert answers == {True, False}


@pytest.mark.parametrize(("nodes", "fits"), [((8, 5), True), ((9, 4), False)])
def test_several_sorts_of_pods_need_a_packing_not_a_sum(nodes: tuple[int, int], fits: bool) -> None:
    """Pods of 3, 3, 5 and 2 GPUs: on 8 + 5 GPUs they fit, on 9 + 4 only the sum would."""
    members = [*pods("x", 2, spec(3), role="m"), *pods("x", 1, spec(5), role="l")]
    members += pods("x", 1, spec(2), role="s")
    state = _state(gang("x", 4), members, *nodes)
    assert _fits(state) is fits


def test_pods_and_queue_limits_bind_too() -> None:
    group, members = gang("x", 3), pods("x", 3, spec(0))
    cluster = snapshot(nodes=[node("n1", allocatable={"pods": 2})], gangs=[group], pods=[members])
    assert _fits(RankedState(cluster, policy(cluster), plan())) is False
    limited = snapshot(
        nodes=[node("n1")],
        gangs=[group],
        pods=[members],
        queues=(Queue("a", capability=Resources({"cpu": 2000})),),
    )
    assert _fits(RankedState(limited, policy(limited), plan())) is False


def test_nodes_that_hold_something_else_are_as_if_looked_at_anew() -> None:
    """Other rooms made from the same one do not learn of it either."""
    answers = set()
    for seed in range(200):
        rng = Random(seed)
        sizes = [rng.randint(1, 4) for _ in range(6)]
        state = _state(gang("x", rng.randint(1, 5)), pods("x", 5, spec(rng.randint(1, 3))), *sizes)
        group = state.snapshot.gangs[0]
        need = need_of(state, group)
        specs = [piece.spec for piece in need.pieces]
        before = Fitting(state, state.held_before, state.queue_before, specs)
        for _ in range(4):
            names = rng.sample(list(state.held_before), rng.randint(0, 3))
            other = {name: {GPU: rng.randint(0, 4), PODS: rng.randint(0, 4)} for name in names}
            held = {**state.held_before, **other}
            anew = Fitting(state, held, state.queue_before, specs).fits(group, need)
            assert before.changed(other, state.queue_before).fits(group, need) is anew
            answers.add(anew)
    assert answers == {True, False}
