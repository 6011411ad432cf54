from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from models.plan import NodeEntry, PlanResult, QueueEntry
from models.resources import Resources
from planner.report.plan_view import PlanView
from planner.report.svg.gpu_map import MOST_NODES, gpu_map
from planner.report.svg.ladder import ladder
from planner.report.svg.pools import MOST_POOLS, pool_bars
from planner.report.svg.queue_bars import queue_bars
from planner.report.svg.scale import ticks
from planner.report.svg.tiers import MOST_TIERS, tier_bars

GPU = "nvidia.com/gpu"
NS = "{http://www.w3.org/2000/svg}"


def cells(markup: str, state: str) -> int:
    paths = re.findall(rf'<path d="([^"]*)" class="s-{state}"/>', markup)
    return sum(path.count("M") for path in paths)


def test_map_draws_every_gpu_of_every_node_once(demo):
    markup = gpu_map(PlanView(demo).nodes)
    ElementTree.fromstring(markup)
    drawn = {
        state: cells(markup, state)
        for state in ("used", "planned", "free-whole", "free-fragment", "unavailable")
    }
    assert drawn == {
        "used": 31,
        "planned": 22,
        "free-whole": 8,
        "free-fragment": 4,
        "unavailable": 7,
    }
    assert "h100: 6 nodes, 48 GPUs" in markup
    assert "<title>a100-03: 8 GPUs, 1 used, 7 free, unavailable (unschedulable)</title>" in markup
    assert "cpu-01" not in markup


def test_many_nodes_are_drawn_by_picture_with_their_number(medium):
    nodes = PlanView(medium).nodes
    assert len(nodes) > MOST_NODES
    markup = gpu_map(nodes)
    counts = [int(text.replace(",", "")) for text in re.findall(r">× ([\d,]+)</text>", markup)]
    assert sum(counts) == len(nodes)
    assert len(markup) < 200_000


def test_a_node_of_many_gpus_becomes_a_bar():
    node = NodeEntry(
        name="huge", pool="p", allocatable=Resources({GPU: 576}), after=Resources({GPU: 288})
    )
    markup = gpu_map(PlanView(PlanResult(nodes=(node,))).nodes)
    ElementTree.fromstring(markup)
    assert "<path" not in markup
    assert 'class="s-planned"' in markup


@pytest.mark.parametrize("name", ["demo", "medium"])
def test_every_chart_is_well_formed_and_described(name, request):
    plan = request.getfixturevalue(name)
    view = PlanView(plan)
    for markup in (
        pool_bars(view.pools),
        queue_bars(view.queues),
        tier_bars(view.tiers),
        ladder(plan),
        gpu_map(view.nodes),
    ):
        root = ElementTree.fromstring(markup)
        assert root.get("role") == "img"
        assert root.find(f"{NS}title").text
        assert root.find(f"{NS}desc").text
        width, height = map(float, root.get("viewBox").split()[2:])
        for rect in root.iter(f"{NS}rect"):
            assert float(rect.get("x")) + float(rect.get("width")) <= width + 1
            assert float(rect.get("y")) + float(rect.get("height")) <= height + 1


def test_numbers_in_charts_carry_units(demo):
    view = PlanView(demo)
    assert ">38 of 48 GPUs</text>" in pool_bars(view.pools)
    assert ">16 → 32 GPUs (deserved 40)</text>" in queue_bars(view.queues)
    assert ">8 GPUs, gap 12.50 %</text>" in tier_bars(view.tiers)
    assert ">53 GPUs (73.6 %)</text>" in ladder(demo)


def test_figures_of_the_largest_clusters_fit_beside_their_bars(demo):
    """Figures of six digits stay inside the picture; letters of a label are about 7.2 units wide."""
    queues = PlanView(demo).queues.assign(
        before_gpus=100_000, after_gpus=200_000, deserved_gpus=300_000
    )
    found = re.search(r'<text x="([\d.]+)"[^>]*>(100,000 → [^<]*)</text>', queue_bars(queues))
    assert found is not None
    assert float(found[1]) + 7.2 * len(found[2]) < 1080


def test_charts_that_leave_something_out_say_so(samples):
    queues = tuple(
        QueueEntry(name=f"q{index}", after=Resources({GPU: index})) for index in range(75)
    )
    nodes = tuple(
        NodeEntry(name=f"n{index}", pool=f"pool-{index}", allocatable=Resources({GPU: 8}))
        for index in range(MOST_POOLS + 5)
    )
    tiers = samples.large_certificate().tiers * 5
    certificate = samples.demo_certificate().model_copy(update={"tiers": tiers})
    view = PlanView(PlanResult(queues=queues, nodes=nodes, certificate=certificate))
    assert "The largest 60 of 75 queues." in queue_bars(view.queues)
    assert f"The largest {MOST_POOLS} of {MOST_POOLS + 5} pools." in pool_bars(view.pools)
    assert f"The {MOST_TIERS} tiers with the largest gaps of {len(tiers)}" in tier_bars(view.tiers)


@pytest.mark.parametrize(("most", "last"), [(0, 1), (1, 1), (7, 8), (48, 50), (100_000, 100_000)])
def test_ticks_are_round_and_reach_the_largest_value(most, last):
    found = ticks(most)
    assert found[0] == 0
    assert found[-1] == last >= most
    assert len(found) <= 11
