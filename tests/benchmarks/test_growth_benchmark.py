"""Growth of stages: the fit, what is too steep, and the chart."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchmarks.generate import write
from benchmarks.growth import SIZES, STAGES, slope, table, too_steep
from benchmarks.growth_chart import growth_chart
from benchmarks.growth_classes import cluster_of_kinds
from benchmarks.spec import ClusterSpec, KubeObject
from models.readers import read_snapshot
from planner.reduce.node_groups import Grouping
from planner.testing.problems import prepared_of


def _line(power: float, seconds: float = 1.0) -> list[tuple[int, float]]:
    return [(n, seconds * (n / 500) ** power) for n in SIZES["nodes"]]


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_the_fit_finds_the_power(power: float) -> None:
    assert slope(_line(power)) == pytest.approx(power, abs=1e-3)


def test_n_log_n_is_allowed_and_a_square_is_not() -> None:
    assert not too_steep([(n, n * math.log(n) / 1000) for n in SIZES["nodes"]])
    assert too_steep(_line(2.0))
    assert not too_steep(_line(2.0, 1e-5))  # too short to be judged


def test_table_and_chart_have_every_stage() -> None:
    panels = {axis: {stage: _line(1.0) for stage in STAGES} for axis in ("nodes", "gangs")}
    lines = list(table(panels))
    assert len(lines) == len(STAGES) + 2
    assert "1.00 (8.00 s)" in lines[-1]
    root = ET.fromstring(growth_chart(panels))
    drawn = [one for one in root.iter() if one.tag.endswith("polyline")]
    assert len(drawn) == 2 * len(STAGES)


def test_kinds_of_nodes_vary_and_everything_else_stays(tmp_path: Path) -> None:
    spec = ClusterSpec(nodes=40, gangs=12, queues=3, seed=3)
    few, many = cluster_of_kinds(spec, 5), cluster_of_kinds(spec, 40)
    assert _counted(few, "Node") == _counted(many, "Node") == 40
    names = [
        (one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]) for one in few
    ]
    assert len(set(names)) == len(names)
    here = {one["metadata"]["name"] for one in few if one["kind"] == "Node"}
    assert {pod["spec"]["nodeName"] for pod in few if pod.get("spec", {}).get("nodeName")} <= here
    assert _waiting(few) == _waiting(many)
    assert _classes(few, tmp_path) <= 5 < _classes(many, tmp_path)
    with pytest.raises(ValueError, match="not divided"):
        cluster_of_kinds(spec, 7)


def _counted(objects: list[KubeObject], kind: str) -> int:
    return sum(one["kind"] == kind for one in objects)


def _waiting(objects: list[KubeObject]) -> list[str]:
    return [one["metadata"]["name"] for one in objects if one.get("status") == {"phase": "Pending"}]


def _classes(objects: list[KubeObject], folder: Path) -> int:
    """Node groups of the problem."""
    write(objects, folder / "cluster.json")
    return len(Grouping(prepared_of(read_snapshot([folder / "cluster.json"])).problem).uniform())
