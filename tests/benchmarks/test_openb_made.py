"""Lists made in the shape of the published kinds: what the number of a kind stands for."""

from __future__ import annotations

import pytest

from benchmarks.openb_lists import task
from benchmarks.openb_made import FOLDER, Maker

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the openb lists are not here")


@pytest.mark.parametrize(("kind", "share"), [("gpushare40", 0.4), ("multigpu30", 0.3)])
def test_a_part_of_the_gpus(kind: str, share: float) -> None:
    tasks = [task(row) for row in Maker(FOLDER, 1).make(kind)]
    own = [t for t in tasks if (t.gpus > 1 if kind.startswith("multi") else t.milli < 1000)]
    part = sum(t.gpu_milli for t in own) / sum(t.gpu_milli for t in tasks)
    assert abs(part - share) < 0.03


def test_pods_without_gpus_and_unknown_kinds() -> None:
    tasks = [task(row) for row in Maker(FOLDER, 1).make("cpu250-gpuspec20")]
    assert abs(sum(not t.gpus for t in tasks) / len(tasks) - 0.25) < 0.001
    assert all(t.gpus for t in tasks if t.models)
    with pytest.raises(ValueError, match="not one of"):
        Maker(FOLDER, 1).make("huge10")
