"""When finished pods and Jobs ended."""

from __future__ import annotations

from typing import Any

import pytest

from models.readers import read_snapshot
from models.writers.snapshot_json import snapshot_to_json


def ended(*moments: object) -> dict[str, Any]:
    return {
        "containerStatuses": [{"state": {"terminated": {"finishedAt": one}}} for one in moments]
    }


def test_a_finished_pod_ends_with_its_last_container(read: Any, objects: Any) -> None:
    first, last = "2026-09-10T21:00:00Z", "2026-09-10T23:30:00+02:00"
    snapshot = read(
        objects.pod("done", phase="Succeeded", status=ended(first, last)),
        objects.pod("broken", phase="Failed", status=ended("soon", 7, first)),
        objects.pod("odd", phase="Failed", status={"containerStatuses": [{"state": {}}]}),
        objects.pod("runs", phase="Running", node="n1", status=ended(first)),
    )
    found = {pod.name: pod.finished_at for pod in snapshot.pods}
    assert found == {"done": "2026-09-10T21:30:00Z", "broken": first, "odd": "", "runs": ""}
    assert snapshot.as_of == ""


@pytest.mark.parametrize(
    ("phase", "expected"), [("Completed", "2026-09-10T21:00:00Z"), ("Running", "")]
)
def test_a_job_ended_when_its_state_changed_last(
    read: Any, objects: Any, tmp_path: Any, phase: str, expected: str
) -> None:
    job = objects.job("train", objects.task("worker", 2))
    job["status"] = {"state": {"phase": phase, "lastTransitionTime": "2026-09-10T21:00:00Z"}}
    snapshot = read(job)
    assert [gang.finished_at for gang in snapshot.gangs] == [expected]
    file = tmp_path / "snapshot.json"
    file.write_bytes(snapshot_to_json(snapshot))
    assert read_snapshot([file]).gangs == snapshot.gangs
