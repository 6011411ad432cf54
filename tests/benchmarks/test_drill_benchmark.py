from __future__ import annotations

import pytest

from benchmarks.drill import main, run
from benchmarks.reclaim_clusters import LAYOUTS, Layout


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_measured_drill_is_verified_and_its_curve_rises(layout: Layout) -> None:
    result, seconds = run(20, layout, time_limit_s=20.0)
    assert seconds > 0
    assert result.verification is not None
    assert result.verification.violations == ()
    assert result.summary.gpus_back == 16
    most = [point.gpus_most for point in result.curve]
    assert most == sorted(most)


def test_it_prints_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--nodes", "10", "--time-limit", "10"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("10 nodes, uniform:")
    assert "back_in_time" in said
