"""Plans for pods that share GPU cards: values against trying everything, vGPUs, running pods, reasons, the document."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.checks.run import check_snapshot
from models.cluster import Node
from models.plan import PlanResult
from models.resources import Resources
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.problem.placement import Standing
from planner.reduce.gang_classes import gang_classes
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.special.node_patterns.master import Master
from planner.testing.by_hand import Work, gpu_node, gpu_queue, shares, snapshot_of, work
from planner.testing.problems import policy_of, prepared_of
from planner.usecases.planning import make_plan

REGISTER = "volcano.sh/node-vgpu-register"
SHARES = (250, 300, 400, 500, 600, 700)


def plan_of(*parts: object) -> PlanResult:
    snapshot: Snapshot = snapshot_of(gpu_queue("q"), *parts)  # type: ignore[arg-type]
    return make_plan(snapshot, policy_of(snapshot), Limits(10.0, deterministic=True), guard=False)


def started(plan: PlanResult) -> set[str]:
    return {gang.name for gang in plan.gangs if gang.decision == "start"}


def gpus_of(plan: PlanResult) -> int:
    """Value of the tier of GPUs, in thousandths."""
    (tier,) = (one for one in plan.certificate.tiers if one.name.endswith(".gpus"))
    assert (tier.unit, tier.bound) == ("milli-GPU", tier.value)
    return tier.value


def vgpu_node(name: str, cards: int, memory: int = 32_000, shares_each: int = 4) -> Node:
    text = "".join(
        f"GPU-{i},{shares_each},{memory},NVIDIA-A100,true,hami-core:" for i in range(cards)
    )
    return replace(gpu_node(name, 0), annotations={REGISTER: text})


def vgpus(name: str, pods: int, node: str = "", cards: str = "", **amounts: int) -> Work:
    plain = work(name, pods, 0, nodes=(node,) * pods if node else ())
    request = Resources({"cpu": 1000, **{f"volcano.sh/vgpu-{k}": n for k, n in amounts.items()}})
    marks = {"volcano.sh/vgpu-ids-new": cards} if cards else {}
    return replace(
        plain,
        pods=tuple(
            replace(
                pod,
                spec=replace(pod.spec, request=request),
                annotations={**pod.annotations, **marks},
            )
            for pod in plain.pods
        ),
    )


def best_of_one_node(cards: int, sizes: list[int], wholes: list[int]) -> int:
    """The most thousandths that go on one node's cards: every pod tried on every card or left out."""
    best = 0
    for chosen in product((False, True), repeat=len(wholes)):
        whole = sum(n for n, taken in zip(wholes, chosen, strict=True) if taken)
        left = cards - whole
        if left < 0:
            continue
        for places in product(range(-1, left), repeat=len(sizes)):
            loads = [0] * left
            for size, place in zip(sizes, places, strict=True):
                if place >= 0:
                    loads[place] += size
            if all(load <= 1000 for load in loads):
                best = max(best, 1000 * whole + sum(loads))
    return best


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 3),
    st.lists(st.sampled_from(SHARES), min_size=1, max_size=5),
    st.lists(st.integers(1, 2), max_size=2),
)
def test_the_value_is_that_of_trying_everything(cards, sizes, wholes) -> None:
    parts = [shares(f"s{i}", 1, size) for i, size in enumerate(sizes)]
    parts += [work(f"w{i}", 1, n) for i, n in enumerate(wholes)]
    plan = plan_of(gpu_node("n1", cards), *parts)
    tiers = [one for one in plan.certificate.tiers if one.name.endswith(".gpus")]
    value = tiers[0].value if tiers else 0
    assert value == best_of_one_node(cards, sizes, wholes)
    if tiers:
        assert tiers[0].bound == value


def test_a_share_sits_on_one_card_and_a_whole_gpu_needs_an_empty_one() -> None:
    plan = plan_of(gpu_node("n1", 2), shares("a", 1, 600), shares("b", 1, 600), shares("c", 1, 600))
    assert len(started(plan)) == 2
    cards = [part.cards for gang in plan.gangs for part in gang.pods if part.action == "place"]
    assert sorted(cards) == [((0,),), ((1,),)]
    plan = plan_of(gpu_node("n1", 2), shares("a", 1, 10), work("b", 1, 2))
    assert started(plan) == {"b"}


def test_running_shares_keep_their_cards() -> None:
    running = shares("r", 2, 300, nodes=("n1", "n1"))
    marks = [{"gangplan.io/gpu-index": str(i)} for i in range(2)]
    told = replace(
        running,
        pods=tuple(
            replace(pod, annotations={**pod.annotations, **mark})
            for pod, mark in zip(running.pods, marks, strict=True)
        ),
    )
    # One on each card: no card is empty. Nobody tells: both are assumed on one card.
    assert started(plan_of(gpu_node("n1", 2), told, work("w", 1, 1))) == set()
    plan = plan_of(gpu_node("n1", 2), running, work("w", 1, 1))
    assert started(plan) == {"w"}
    (node,) = plan.nodes
    assert [one.before for one in node.cards] == [{"milliGpu": 600}, {"milliGpu": 0}]
    assert [one.assumed for one in node.cards] == [True, False]
    assert [one.after for one in node.cards] == [{"milliGpu": 600}, {"milliGpu": 1000}]
    snapshot = snapshot_of(gpu_node("n1", 2), gpu_queue("q"), running)
    codes = {one.code for one in check_snapshot(snapshot, policy_of(snapshot))}
    assert "gpu_cards_assumed" in codes


def test_vgpus_are_packed_by_memory_cores_and_shares() -> None:
    held = vgpus("r", 1, "n1", "GPU-0,NVIDIA,20000,60:;", number=1, memory=20_000, cores=60)
    node = vgpu_node("n1", 2)
    assert started(plan_of(node, held, vgpus("x", 2, number=1, memory=20_000, cores=50))) == set()
    assert started(plan_of(node, held, vgpus("x", 1, number=1, memory=20_000, cores=50))) == {"x"}
    assert started(plan_of(node, held, vgpus("x", 1, number=2, memory=12_000, cores=40))) == {"x"}
    assert started(plan_of(node, held, vgpus("x", 1, number=2, memory=1000, cores=100))) == set()
    assert started(plan_of(node, vgpus("x", 8, number=1, memory=1000))) == {"x"}
    assert started(plan_of(node, vgpus("x", 9, number=1, memory=1000))) == set()
    percent = {"number": 1, "memory-percentage": 50}
    assert started(plan_of(node, vgpus("x", 4, **percent))) == {"x"}
    assert started(plan_of(node, vgpus("x", 5, **percent))) == set()


def test_vgpus_count_cores_in_the_tiers() -> None:
    plan = plan_of(vgpu_node("n1", 2), vgpus("x", 2, number=1, memory=1000, cores=30))
    assert gpus_of(plan) == 600


def test_old_memory_shares() -> None:
    amounts = {"volcano.sh/gpu-memory": 32_000, "volcano.sh/gpu-number": 2}
    node = gpu_node("n1", 0)
    node = replace(node, allocatable=Resources({**node.allocatable, **amounts}))

    def asks(pods: int, memory: int) -> Work:
        plain = work("x", pods, 0)
        request = Resources({"cpu": 1000, "volcano.sh/gpu-memory": memory})
        return replace(
            plain,
            pods=tuple(replace(p, spec=replace(p.spec, request=request)) for p in plain.pods),
        )

    assert started(plan_of(node, asks(2, 10_000))) == {"x"}
    assert started(plan_of(node, asks(3, 10_000))) == set()


def test_mig_slices_are_dimensions_of_their_own_and_count_in_sevenths() -> None:
    node = gpu_node("n1", 0)
    node = replace(node, allocatable=Resources({**node.allocatable, "nvidia.com/mig-3g.20gb": 2}))
    plain = work("x", 2, 0)
    request = Resources({"cpu": 1000, "nvidia.com/mig-3g.20gb": 1})
    asks = replace(
        plain, pods=tuple(replace(p, spec=replace(p.spec, request=request)) for p in plain.pods)
    )
    plan = plan_of(node, asks)
    assert (started(plan), gpus_of(plan)) == ({"x"}, 2 * 428)


@pytest.mark.parametrize("milli", [600, 1000])
def test_a_waiting_share_is_told_why(milli: int) -> None:
    plan = plan_of(gpu_node("n1", 1), shares("r", 1, 500, nodes=("n1",)), shares("x", 1, milli))
    (reasons,) = (gang.reasons for gang in plan.gangs if gang.name == "x")
    assert {one.code for one in reasons} & {"cluster_capacity", "fragmentation"}
    assert "milli-GPU" in " ".join(one.message for one in reasons)


def test_three_sizes_that_fill_the_cards_of_one_node() -> None:
    """Three times 400 + 300 + 300. Before, the larger pods took their cards first, and the plan stayed at 2,000."""
    plan = plan_of(gpu_node("n1", 3), shares("a", 3, 400), shares("b", 6, 300), shares("c", 1, 200))
    assert gpus_of(plan) == 3000
    assert started(plan) == {"a", "b"}


def test_the_two_cards_of_a_pod_differ_in_the_bound_too() -> None:
    """Before, the model laid both halves of ``two`` on one card: a bound of 2,000 that no search could close."""
    one = {"number": 1, "memory": 8_000}
    parts = (
        vgpus("two", 1, number=2, memory=8_000, cores=50),
        vgpus("full", 1, **one, cores=100),
        vgpus("half", 1, **one, cores=50),
    )
    plan = plan_of(vgpu_node("n1", 2, 16_000), *parts)
    assert gpus_of(plan) == 1500


REGISTERS = ("", "garbage", "GPU-0,,:", "GPU-0,²,9,A,true,hami-core:", f"GPU-0,{10**30},9,A,true,")


@pytest.mark.parametrize("register", REGISTERS)
def test_pods_with_shares_where_no_node_has_cards(register: str) -> None:
    """Before, such a cluster ended the plan with an error, whatever else waited."""
    node = replace(gpu_node("n1", 4), annotations={REGISTER: register} if register else {})
    plan = plan_of(node, vgpus("new", 1, number=1, memory=400), work("whole", 1, 2))
    assert started(plan) == {"whole"}
    (waits,) = (one for one in plan.gangs if one.name == "new")
    assert [one.code for one in waits.reasons] == ["never_fits"]


def test_shares_where_no_node_has_gpus() -> None:
    plan = plan_of(gpu_node("n1", 0), shares("runs", 1, 500, nodes=("n1",)), shares("new", 1, 500))
    assert started(plan) == set()


def test_what_a_pod_asks_for_of_each_card_is_summed_in_its_reason() -> None:
    """Before, the need of a pod with two cards was told as that of one: 8,000 MiB of 32,000."""
    two = vgpus("two", 1, number=2, memory=8_000, cores=50)
    full = vgpus("full", 2, number=1, memory=16_000, cores=100)
    plan = plan_of(vgpu_node("n1", 2, 16_000), two, full)
    (waits,) = (one for one in plan.gangs if one.decision == "wait")
    short = {row["dimension"]: row["need"] for row in waits.reasons[0].data["short"]}
    assert waits.name == "two"
    assert short["volcano.sh/vgpu-memory"] == 16_000


def test_as_many_sizes_as_there_are_thousandths() -> None:
    """No pattern of a card is looked for among so many sizes, and not every size has a row of its own."""
    gangs = [shares(f"s{milli:03}", 1, milli) for milli in range(1, 1000)]
    snapshot: Snapshot = snapshot_of(gpu_queue("q"), gpu_node("n1", 2), *gangs)
    plan = make_plan(
        snapshot, policy_of(snapshot), Limits(1.0, deterministic=True), guard=False, baseline=False
    )
    (tier,) = (one for one in plan.certificate.tiers if one.name.endswith(".gpus"))
    assert 1990 <= tier.value <= 2000
    assert tier.bound is not None
    assert 2000 <= tier.bound <= 2001


def test_a_search_that_ends_early_has_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved is sent before whole numbers of patterns are looked for, which may take all the time."""

    def ended(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(Master, "whole", ended)
    snapshot: Snapshot = snapshot_of(
        gpu_queue("q"), gpu_node("n1", 3), *(shares(f"s{n}", 1, 470) for n in range(201))
    )
    prepared = prepared_of(snapshot)
    classes = gang_classes(
        prepared.problem, [Standing(i, "rest", 1) for i in range(len(prepared.problem.demands))]
    )
    sent: list[Outcome] = []
    search = PlacementSearch(
        prepared.problem, classes, SearchSettings(limits=Limits(60.0)), publish=sent.append
    )
    with pytest.raises(TimeoutError):
        search.run()
    (tier,) = (one for one in sent[-1].tiers if one.goal.name.endswith(".gpus"))
    assert (tier.value, tier.bound) == (6 * 470, 6 * 470)
