"""The dashboard shows who holds GPUs that do not work, where that was measured, and says nothing where it was not."""

from __future__ import annotations

from dataclasses import replace

from models.snapshot import PodUse
from models.writers.snapshot_json import snapshot_to_json
from planner.samples import sample_path
from planner.usecases.inputs.inputs import read_inputs

TITLE = "Allocated but idle"


def test_the_inventory_shows_idle_gangs_and_use_by_queue(start, tmp_path):
    snapshot = read_inputs([sample_path("demo")])
    pods = [one.full_name for one in snapshot.pods if one.gang == "serving/chat" and one.running]
    use = tuple(PodUse(one, 7200, 250, 5400, 5400) for one in sorted(pods))
    path = tmp_path / "measured.json"
    path.write_bytes(snapshot_to_json(replace(snapshot, use=use)))
    dashboard = start(paths=(str(path),))
    app = dashboard.open("inventory")
    assert TITLE in [one.value for one in app.subheader]
    frames = {tuple(one.value.columns): one.value for one in app.dataframe}
    (gangs,) = [one for names, one in frames.items() if "worked_percent" in names]
    assert gangs[["gang", "idle_hours", "worked_percent"]].values.tolist() == [
        ["serving/chat", 1.5, 25.0]
    ]
    (queues,) = [one for names, one in frames.items() if "gpus_unmeasured" in names]
    row = queues.set_index("queue").loc[snapshot.gang_by_name["serving/chat"].queue]
    assert row["gpus_idle"] == gangs.loc[0, "gpus_allocated"]
    assert row["worked_gpu_hours"] == gangs.loc[0, "gpus_allocated"] * 2 * 0.25


def test_without_a_measurement_there_is_no_section(start):
    assert TITLE not in [one.value for one in start().open("inventory").subheader]
