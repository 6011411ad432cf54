"""Short forms and grids."""

from __future__ import annotations

from typing import Any

import pytest

from models.edits.short import short_edits
from models.edits.sweep import parse_sweep, point_text


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("queue/eval.weight", 4, "queue eval: weight 4"),
        ("queue/a.b.deserved.nvidia.com/gpu", "+8", "queue a.b: deserved nvidia.com/gpu +8"),
        ("queue/eval.capability", None, "queue eval: capability not listed"),
        ("gang/ml/x.priority", 5, "priority of gang ml/x becomes 5"),
        ("gang/ml/x.queue", "eval", "gang ml/x: queue eval"),
        ("policy.evict", ["preempt"], 'policy evict = ["preempt"]'),
        ("add/a100", "4", "add 4 nodes like a100"),
        ("remove/b-1", True, "remove nodes b-1"),
        ("drain", "pool/b", "drain pool/b"),
        ("fail/zone=a", "yes", "fail zone=a"),
        ("multiply/ml/x", 3, "3 times gang ml/x"),
        ("scale/eval", 1.5, "demand of queue eval × 1.5"),
        ("scale/service/chat", 2, "demand of service chat × 2"),
    ],
)
def test_short_forms(key: str, value: Any, text: str) -> None:
    assert [edit.text() for edit in short_edits(key, value)] == [text]


@pytest.mark.parametrize(("key", "value"), [("add/a", 0), ("drain", "none"), ("drain/b", False)])
def test_values_that_mean_no_edit(key: str, value: Any) -> None:
    assert short_edits(key, value) == ()


def test_points_in_order_and_their_scenarios() -> None:
    raw = {
        "scenario": {"name": "base", "edits": [{"fail": {"nodes": "a-1"}}]},
        "grid": {"queue/eval.weight": [1, 2], "add/a": "0..8 step 4"},
    }
    sweep = parse_sweep(raw, source="s.yaml")
    points = list(sweep.points())
    assert sweep.size == len(points) == 6
    assert point_text(points[1]) == "queue/eval.weight=1, add/a=4"
    assert [edit.kind for edit in sweep.at(points[0]).edits] == ["fail", "set_queue"]
    assert [edit.kind for edit in sweep.at(points[1]).edits] == ["fail", "set_queue", "add_nodes"]
    assert parse_sweep(sweep.document(), source="again").digest() == sweep.digest()
