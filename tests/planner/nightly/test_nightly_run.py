from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest

from models.findings import InputError, UsageError
from models.nightly.run import NightRun
from models.plan import PlanResult
from planner.nightly.folders import night_in
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.requirements import parse_requirement
from planner.verify.check import verify

ROOT = Path(__file__).resolve().parents[3]


def test_a_night_leaves_one_whole_folder(place) -> None:
    end = place.run()
    assert place.nights() == ["2026-09-15"]
    assert end.folder == place.output / "2026-09-15"
    assert (place.output / "latest").resolve() == end.folder.resolve()
    assert place.hidden() == []
    files = ("report.html", "report.md", "plan.json", "run.json", "policy.yaml")
    for name in (*files, "manifests/README.md"):
        assert (end.folder / name).stat().st_size > 0
    for name in ("gangs", "pods", "queues", "nodes", "schedule_gangs", "schedule_loans"):
        assert (end.folder / "tables" / f"{name}.csv").is_file()
    run = json.loads((end.folder / "run.json").read_text())
    schema = json.loads((ROOT / "data/schema/night-run.schema.json").read_text())
    jsonschema.validate(run, schema)
    assert run["outcome"] == "done"
    assert run["exitCode"] == 0
    assert run["figures"]["gangsStarted"] == 2
    assert run["figures"]["gpusAfter"] == 8
    assert {"read", "compare", "report"} <= set(run["stages"])


def test_run_json_lists_every_other_file_with_its_digest(place, at_once) -> None:
    folder = place.run().folder
    night = night_in(folder)
    assert night is not None
    listed = {one.path: one for one in night.run.files}
    there = {one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}
    assert set(listed) == there - {"run.json"}
    for name, one in listed.items():
        data = (folder / name).read_bytes()
        assert (one.size_bytes, one.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_what_lies_in_the_folder_is_enough_to_check_the_plan(place) -> None:
    folder = place.run().folder
    given = read_checked([folder / "snapshot.json.gz"], policy_file=folder / "policy.yaml")
    plan = PlanResult.model_validate_json((folder / "plan.json").read_bytes())
    assert verify(given.snapshot, given.policy, plan).violations == ()
    assert plan.snapshot.digest == given.snapshot.digest


def test_a_repetition_replaces_the_night(place, at_once) -> None:
    first = place.run().run
    (place.output / "2026-09-15" / "mine.txt").write_text("note")
    second = place.run().run
    assert place.nights() == ["2026-09-15"]
    assert second.run_id != first.run_id
    assert second.previous_run == first.run_id
    assert second.changed is False
    assert not (place.output / "2026-09-15" / "mine.txt").exists()
    assert place.hidden() == []


def test_the_next_night_stands_beside_it(place, at_once) -> None:
    place.run()
    place.export(day=16)
    end = place.run()
    assert place.nights() == ["2026-09-15", "2026-09-16"]
    assert (place.output / "latest").readlink() == Path("2026-09-16")
    assert end.run.previous_run


def test_an_older_export_leaves_the_newest_night_the_latest(place, at_once) -> None:
    place.export(day=20)
    place.run()
    place.export(day=15)
    end = place.run()
    assert place.nights() == ["2026-09-15", "2026-09-20"]
    assert (place.output / "latest").readlink() == Path("2026-09-20")
    assert any("2026-09-20 are there already" in note for note in end.run.notes)


def test_a_change_ends_with_one_where_it_is_asked_for(place) -> None:
    assert place.run(fail_on_change=True).run.exit_code == 0
    assert place.run(fail_on_change=True).run.exit_code == 0
    place.export(gangs=1)
    end = place.run(fail_on_change=True)
    assert end.run.exit_code == 1
    assert end.faults == ("the plan differs from that of 2026-09-15",)
    assert night_in(end.folder).run.exit_code == 1


def test_a_missed_requirement_ends_with_seven_and_the_folder_lands(place, at_once) -> None:
    end = place.run(requirements=(parse_requirement("gpusAfter>=100"),))
    assert end.run.exit_code == 7
    assert "gpusAfter is 8" in end.faults[0]
    assert place.nights() == ["2026-09-15"]


def test_last_run_tells_a_failure_and_no_folder_changes(place, at_once) -> None:
    before = place.run().run
    (place.root / "cluster.json").write_text("no export", encoding="utf-8")
    with pytest.raises(InputError):
        place.run()
    told = NightRun.model_validate_json((place.output / "last-run.json").read_bytes())
    assert (told.outcome, told.exit_code) == ("input_error", 3)
    assert "cluster.json" in told.error
    assert night_in(place.output / "2026-09-15").run == before


def test_a_stranger_with_the_name_of_a_night_is_left_alone(place, at_once) -> None:
    stranger = place.output / "2026-09-15"
    stranger.mkdir(parents=True)
    (stranger / "thesis.tex").write_text("mine")
    with pytest.raises(UsageError, match="is not the folder of a night"):
        place.run()
    assert (stranger / "thesis.tex").read_text() == "mine"


def test_no_demand_is_said_but_not_to_tenants(place, at_once) -> None:
    place.configure(report_for=["platform", "tenant research"])
    end = place.run()
    assert any("nothing is lent" in note for note in end.run.notes)
    for name, told in (
        ("report", True),
        ("report-platform", True),
        ("report-tenant-research", False),
    ):
        assert ("nothing is lent" in (end.folder / f"{name}.html").read_text()) is told
