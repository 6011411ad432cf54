"""A gang that waits now, starts tonight and has to leave before it is done: how, where no Job makes its pods."""

from __future__ import annotations

import csv
import io

from models.effective import resolve_policy
from models.moments import local_text
from models.plan import PlanResult
from models.policy import parse_policy
from models.schedule import Duration
from planner.manifests.build import night_manifests
from planner.testing.nights_by_hand import (
    HOUR,
    NOW,
    nodes,
    pod,
    pod_group,
    queue,
    schedule_of,
    scheduled,
    snapshot_of,
)


def test_pods_that_wait_now_are_named_where_they_have_to_leave_later() -> None:
    objects = [*nodes(2), queue("batch", deserved=16), pod_group("bare"), pod("bare-0", "bare")]
    snapshot = snapshot_of(objects)
    longer = Duration(seconds=9 * HOUR, low_s=9 * HOUR, high_s=9 * HOUR, source="annotation")
    cut_off = scheduled("bare", (1, 4), duration=longer, work_gpu_seconds=3 * HOUR * 8)
    schedule = schedule_of([cut_off], gpus=16, online=(0,) * 4 + (16,) * 4)
    policy = resolve_policy(snapshot, parse_policy({"now": local_text(NOW)}, source="test"))
    files = {
        one.path: one.text
        for one in night_manifests(snapshot, PlanResult(schedule=schedule), policy)
    }
    (row,) = csv.DictReader(io.StringIO(files["evictions.csv"]))
    assert (row["gang"], row["planned"], row["pods"]) == ("bare", "stop", "bare-0")
    assert row["command"] == "kubectl delete --namespace=ml pod/bare-0"
    assert "let go what has to leave" in files["README.md"]
    assert files["README.md"].count(row["command"]) == 1
