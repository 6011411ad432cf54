"""Growth of stages: the fit, what is too steep, and the chart."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from benchmarks.growth import SIZES, STAGES, slope, table, too_steep
from benchmarks.growth_chart import growth_chart


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
