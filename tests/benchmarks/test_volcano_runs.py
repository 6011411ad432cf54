from __future__ import annotations

import pytest

from benchmarks.volcano_runs import likeness, runs_without_evictions


@pytest.mark.shared
def test_the_baseline_starts_what_the_scheduler_started(shared):
    """Before, two fixed orders of the nodes stood for its scores: 215 GPUs against its 232."""
    folder = shared / "data" / "volcano_runs"
    runs = runs_without_evictions(folder)
    small = [name for name in runs if name.startswith(("n100-", "n1000-g300-"))]
    assert len(small) >= 5
    assert [name for name in small if not likeness(folder, name, runs[name]).close] == []
