"""A run in the morning keeps what was recommended in the evening."""

from __future__ import annotations

import json

from planner.nightly.folders import FIRST, night_in


def test_the_evening_recommendation_stays_beside_the_morning_plan(place) -> None:
    """The whole folder was replaced: what people had acted on was gone."""
    place.export(day=15, hour=20)
    evening = place.run()
    plan = (evening.folder / "plan.json").read_bytes()
    for hour in (4, 6):
        place.export(day=16, hour=hour)
        morning = place.run()
        assert place.nights() == ["2026-09-15"]
        kept = morning.folder / FIRST
        assert (kept / "plan.json").read_bytes() == plan
        assert json.loads((kept / "run.json").read_text())["runId"] == evening.run.run_id
        assert not (kept / FIRST).exists()
        assert morning.run.run_id != evening.run.run_id
        assert any("recommended first" in note for note in morning.run.notes)
    there = {
        one.relative_to(morning.folder).as_posix()
        for one in morning.folder.rglob("*")
        if one.is_file()
    }
    assert there - {"run.json"} == {one.path for one in night_in(morning.folder).run.files}


def test_a_repetition_and_an_older_export_keep_no_copy(place) -> None:
    place.export(day=15, hour=20)
    place.run()
    assert not (place.run().folder / FIRST).exists()
    place.export(day=15, hour=18)
    assert not (place.run().folder / FIRST).exists()
