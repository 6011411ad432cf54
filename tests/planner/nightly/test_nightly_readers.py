"""Reports for the readers of the configuration."""

from __future__ import annotations

import json


def test_every_reader_gets_a_report(place, at_once) -> None:
    queue = _queue(place)
    place.configure(report_for=["platform", "capacity", {"tenant": queue}])
    folder = place.run().folder
    for stem in ("report", "report-platform", "report-capacity", f"report-tenant-{queue}"):
        assert "<h1>" in (folder / f"{stem}.html").read_text()
        assert (folder / f"{stem}.md").read_text().startswith("# Night")
    listed = {file["path"] for file in json.loads((folder / "run.json").read_text())["files"]}
    assert {"report-platform.md", "metrics.prom", "manifests/README.md"} <= listed


def test_a_reader_that_the_plan_does_not_know_is_a_note(place, at_once) -> None:
    place.configure(report_for=["tenant nobodys-queue", "platform"])
    end = place.run()
    run = json.loads((end.folder / "run.json").read_text())
    assert run["exitCode"] == 0
    assert (
        "No report for tenant nobodys-queue: the plan has no queue 'nobodys-queue'." in run["notes"]
    )
    assert (end.folder / "report-platform.html").is_file()
    assert not list(end.folder.glob("report-tenant*"))


def _queue(place) -> str:
    folder = place.run().folder
    return json.loads((folder / "plan.json").read_text())["queues"][0]["name"]
